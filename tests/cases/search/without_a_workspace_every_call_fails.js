// flags: --no-workspace
export function main() {
  const calls = {
    index: () => g.search.index({ _key: "k", _collection: "c" }),
    query: () => g.search.query("x"),
    delete: () => g.search.delete("c", "k"),
    deleteByCollection: () => g.search.deleteByCollection("c"),
    count: () => g.search.count(),
    clear: () => g.search.clear(),
  };
  for (const [method, call] of Object.entries(calls)) {
    const error = assert.throws(call);
    assert.deepEqual(
      [error.code, error.namespace, error.method],
      ["NO_WORKSPACE", "search", method],
    );
  }
}
