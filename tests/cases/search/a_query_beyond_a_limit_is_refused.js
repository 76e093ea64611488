export function main() {
  const refused = (query) => assert.equal(assert.throws(() => g.search.query(query)).code, "LIMIT");
  refused("a".repeat(8 * 1024 + 1));
  refused("(".repeat(65) + "a" + ")".repeat(65));
  refused("a ".repeat(1025));
  refused("a~3");
  refused(`/${"a".repeat(257)}/`);
  refused("/(.*a.{12}){60}/");
}
