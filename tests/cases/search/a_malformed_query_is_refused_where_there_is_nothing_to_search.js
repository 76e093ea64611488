export function main() {
  assert.equal(assert.throws(() => g.search.query("(")).code, "QUERY_SYNTAX");
  assert.equal(
    assert.throws(() => g.search.query("(", { collection: "none", limit: 0 })).code,
    "QUERY_SYNTAX",
  );
  assert.equal(assert.throws(() => g.store.search("none", "(")).code, "QUERY_SYNTAX");
}
