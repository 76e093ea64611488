export function main() {
  g.store.put("c", "k", 1);
  for (const change of [async () => 2, () => Promise.resolve(2), () => ({ then() {} })]) {
    const error = assert.throws(() => g.store.update("c", "k", change));
    assert.deepEqual(
      [error.name, error.code, error.method],
      ["TypeError", "INVALID_ARGUMENT", "update"],
    );
    assert.deepEqual(
      error.message.startsWith(
        "the function returned a promise, but must return the new data directly",
      ),
      true,
    );
  }
  assert.deepEqual(g.store.get("c", "k").data, 1);
}
