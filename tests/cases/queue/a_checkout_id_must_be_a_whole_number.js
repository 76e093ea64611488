export function main() {
  for (const method of ["commit", "abort"]) {
    for (const id of ["1", null, undefined, {}, true])
      assert.throws(() => g.queue[method](id), {
        name: "TypeError",
        code: "INVALID_ARGUMENT",
        message: /^checkoutId must be a whole number/,
      });
    for (const id of [-1, 1.5, NaN, Infinity, 2 ** 53])
      assert.throws(() => g.queue[method](id), { name: "RangeError", code: "INVALID_ARGUMENT" });
  }
}
