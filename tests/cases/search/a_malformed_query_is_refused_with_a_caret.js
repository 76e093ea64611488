export function main() {
  for (const query of [
    "",
    "(a",
    "a)",
    "[a TO",
    "f:",
    '"a',
    "a AND",
    "/a",
    "/(a/",
    "/[b-a]/",
    "f:-5",
    "tcp/ip",
    "a~~",
    "\\",
  ]) {
    const error = assert.throws(() => g.search.query(query));
    assert.equal(error.code, "QUERY_SYNTAX", query);
    assert.ok(error.message.includes("^"), error.message);
  }
  assert.ok(assert.throws(() => g.search.query("")).message.includes("*:*"));
}
