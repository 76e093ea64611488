// flags: --no-workspace
export function main() {
  assert.throws(() => g.store.put(1, "k", 1), {
    name: "TypeError",
    code: "INVALID_ARGUMENT",
    message: /^collection /,
  });
  assert.throws(() => g.store.list("c", { limt: 1 }), { code: "INVALID_ARGUMENT" });
}
