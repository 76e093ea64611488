const names = [
  "__proto__",
  "constructor",
  "a.b",
  "a b",
  "a:b",
  "ü",
  "",
  "_id",
  "_all",
  "a\\b",
  "x".repeat(300),
  "\u0001",
  "1",
];
export function main() {
  const fields = Object.fromEntries(names.map((name, i) => [name, `word${i}`]));
  g.search.index({ ...fields, ["__proto__"]: "word0", _key: "k", _collection: "c" });
  const [found] = g.search.query("word3");
  assert.deepEqual(Object.keys(found.fields).sort(), [...names].sort());
  for (const [i, name] of names.entries()) {
    assert.equal(found.fields[name], `word${i}`, name);
    assert.equal(g.search.query(`word${i}`).length, 1, name);
  }
  for (const [i, field] of [
    [0, "__proto__"],
    [2, "a.b"],
    [3, "a\\ b"],
    [4, "a\\:b"],
    [5, "ü"],
    [9, "a\\\\b"],
  ]) {
    assert.equal(g.search.query(`${field}:word${i}`).length, 1, field);
  }
}
