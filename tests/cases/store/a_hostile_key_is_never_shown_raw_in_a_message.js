export function main() {
  const error = assert.throws(() => g.store.list("c", { "\x1b[31mred": 1 }), {
    code: "INVALID_ARGUMENT",
  });
  assert.ok(!error.message.includes("\x1b"));
  const sort = assert.throws(() => g.store.list("c", { sort: "\x1b[2J" + "x".repeat(10_000) }), {
    code: "INVALID_ARGUMENT",
  });
  assert.ok(!sort.message.includes("\x1b"));
  assert.ok(sort.message.length < 500, "the message is short whatever was given");
}
