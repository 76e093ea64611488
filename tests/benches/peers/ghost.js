const store = {
  put: (key, data) => g.store.put("c", key, data),
  get: (key) => g.store.get("c", key).data,
  list: (limit) => g.store.list("c", { limit, sort: "key", order: "asc" }),
  count: () => g.store.count("c"),
  fill(size, key, data) {
    for (let i = 0; i < size; i++) g.store.put("c", key(i), data);
  },
};

export const main = (...what) => work(...what);
