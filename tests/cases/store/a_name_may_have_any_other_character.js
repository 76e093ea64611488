export function main() {
  const names = [
    " ",
    ".",
    "..",
    "a/b",
    "\\",
    "\"'`",
    "$ne",
    "__proto__",
    "constructor",
    "中文",
    "e\u0301",
    "\u{1F468}\u200D\u{1F469}",
    "\u202e",
    "\u2028",
    "\ufeff",
    "\uffff",
  ];
  for (const name of names) {
    g.store.put(name, name, name);
    assert.deepEqual(g.store.get(name, name).data, name);
    assert.equal(g.store.list(name)[0].key, name);
  }
  assert.equal(g.store.collections().length, names.length);
}
