export function main() {
  for (let i = 0; i < 20; i++) g.store.put("c", `k${String(i).padStart(2, "0")}`, i);
  for (const sort of ["key", "createdAt", "updatedAt"]) {
    for (const order of ["asc", "desc"]) {
      const all = g.store.list("c", { sort, order });
      assert.equal(all.length, 20);
      for (const [offset, limit] of [
        [0, 5],
        [5, 5],
        [18, 5],
        [19, 1],
        [20, 5],
        [1000, 5],
        [3, 0],
        [0, 2147483647],
      ]) {
        assert.deepEqual(
          g.store.list("c", { sort, order, offset, limit }),
          all.slice(offset, offset + limit),
        );
      }
    }
  }
}
