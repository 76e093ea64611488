export function main() {
  for (const name of ["limit", "offset"]) {
    for (const value of [-1, -0.5, 1.5, NaN, Infinity, -Infinity, 2147483648, 2 ** 53]) {
      const error = assert.throws(() => g.store.list("c", { [name]: value }), {
        name: "RangeError",
        code: "INVALID_ARGUMENT",
        namespace: "store",
        method: "list",
      });
      assert.match(error.message, new RegExp(name));
      assert.ok(
        error.message.includes(String(value)) || /2147483648|9007199254740992/.test(error.message),
        error.message,
      );
      assert.match(error.message, /2147483647/, "the largest allowed value is named");
    }
  }
}
