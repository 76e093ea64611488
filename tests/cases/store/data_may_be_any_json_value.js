export function main() {
  const values = [
    null,
    true,
    false,
    0,
    1,
    -1,
    0.1,
    1e21,
    5e-324,
    Number.MAX_VALUE,
    Number.MAX_SAFE_INTEGER,
    "",
    "text",
    "null",
    '"',
    "\\",
    "\u2028",
    "\0\n\x1b",
    [],
    {},
    [[]],
    [{}],
    { "": "" },
    { a: [1, { b: null }] },
    { "é": "\u{1F600}" },
    { 2: "b", 1: "a", x: 1 },
  ];
  for (const value of values) {
    g.store.put("c", "k", value);
    assert.deepEqual(g.store.get("c", "k").data, value);
    assert.deepEqual(g.store.list("c")[0].data, value);
  }
}
