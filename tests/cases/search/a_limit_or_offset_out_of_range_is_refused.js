export function main() {
  for (const name of ["limit", "offset"]) {
    for (const value of [-1, 1.5, NaN, Infinity, 2 ** 31]) {
      const error = assert.throws(() => g.search.query("x", { [name]: value }));
      assert.ok(error instanceof RangeError, `${name} ${value}: ${error}`);
      assert.ok(error.message.includes(name), error.message);
    }
    const error = assert.throws(() => g.search.query("x", { [name]: "5" }));
    assert.ok(error instanceof TypeError, String(error));
  }
  assert.deepEqual(g.search.query("x", { limit: 2 ** 31 - 1, offset: 2 ** 31 - 1 }), []);
}
