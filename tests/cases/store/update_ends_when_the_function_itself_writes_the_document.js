export function main() {
  const error = assert.throws(() =>
    g.store.update("c", "k", (data) => {
      g.store.put("c", "k", 1);
      return data;
    }),
  );
  assert.deepEqual([error.name, error.code, error.method], ["GError", "CONFLICT", "update"]);
  assert.deepEqual(error.message.includes("10000 times"), true);
}
