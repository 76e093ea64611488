export function main() {
  for (const query of [undefined, null, 5, {}, ["a"], Symbol("a")]) {
    const error = assert.throws(() => g.search.query(query));
    assert.ok(error instanceof TypeError, String(query));
    assert.equal(error.code, "INVALID_ARGUMENT");
    assert.ok(error.message.includes("queryString"), error.message);
  }
}
