export function main() {
  g.search.index({
    _key: "k",
    _collection: "c",
    a: null,
    b: undefined,
    day: new Date(0),
    n: 1e21,
    e: "",
  });
  assert.deepEqual(g.search.query("*:*")[0].fields, {
    day: "1970-01-01T00:00:00.000Z",
    n: "1e+21",
    e: "",
  });
  assert.equal(g.search.query("a:*").length, 0);
  assert.equal(g.search.query("day:[1969 TO 1971]").length, 1);
}
