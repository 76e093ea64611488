export function main() {
  const proxy = (target) => new Proxy(target, {});
  g.store.put("c", "a", proxy({ list: proxy([1, proxy({ two: 2 })]) }));
  g.store.put("c", "b", 1);
  assert.deepEqual(g.store.get("c", "a").data, { list: [1, { two: 2 }] });
  assert.equal(g.store.list("c", proxy({ limit: 1 })).length, 1);
  assert.throws(() => g.store.list("c", proxy({ limt: 1 })), {
    code: "INVALID_ARGUMENT",
    message: /limt/,
  });
  assert.throws(() => g.store.put(proxy({}), "k", 1), {
    code: "INVALID_ARGUMENT",
    message: /^collection /,
  });
}
