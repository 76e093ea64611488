export function main() {
  for (const options of [
    { limt: 5 },
    { Limit: 5 },
    { limit: 5, filter: {} },
    { unknown: undefined },
    { unknown: null },
  ]) {
    const unknown = Object.keys(options).find((name) => name !== "limit");
    const error = assert.throws(() => g.store.list("c", options), {
      code: "INVALID_ARGUMENT",
      namespace: "store",
      method: "list",
    });
    assert.ok(error instanceof TypeError || error instanceof RangeError);
    assert.match(error.message, new RegExp(unknown));
    assert.match(error.message, /limit.*offset.*sort.*order/, "the allowed options are named");
  }
}
