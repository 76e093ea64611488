export function main() {
  const first = g.store.update("c", "k", (data) => {
    assert.deepEqual(data, undefined);
    return { count: 1 };
  });
  assert.deepEqual(first, g.store.get("c", "k"));
  const second = g.store.update("c", "k", (data) => ({ count: data.count + 1 }));
  assert.deepEqual([second.data, second.createdAt], [{ count: 2 }, first.createdAt]);
  assert.deepEqual(g.store.update("c", "k", () => null).data, null);
  assert.deepEqual(g.store.update("c", "k", (data) => (data === null ? [] : "wrong")).data, []);
  assert.deepEqual([g.store.update.name, g.store.update.length], ["update", 3]);
  assert.deepEqual([g.store.replace, g.store.remove], [undefined, undefined]);
}
