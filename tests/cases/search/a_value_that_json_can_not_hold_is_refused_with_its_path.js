export function main() {
  for (const [value, message] of [
    [NaN, "fields.n is NaN, which JSON can't hold"],
    [[1, Infinity], "fields.n[1] is Infinity, which JSON can't hold"],
    [1n, "fields.n is a BigInt, which JSON can't hold"],
    [() => 1, "fields.n is a function, which JSON can't hold"],
    [new Date(NaN), "fields.n is an invalid Date, which JSON can't hold"],
    [new Set([1]), "fields.n is a Set, which JSON can't hold"],
    [[undefined], "fields.n[0] is undefined, which JSON can't hold"],
    [/x/, "fields.n is a RegExp, which JSON can't hold"],
  ]) {
    assert.throws(() => g.search.index({ _key: "k", _collection: "c", n: value }), {
      name: "TypeError",
      code: "INVALID_ARGUMENT",
      message,
    });
  }
  assert.equal(g.search.count(), 0);
}
