export function main() {
  g.store.put("people", "ada", {
    name: "Ada Lovelace",
    author: { name: "Annie" },
    tags: ["math", { deep: "pearl" }],
  });
  g.store.put("people", "bob", { name: "Bob" });
  g.store.put("other", "ada", { name: "Ada" });
  const keys = (query) =>
    g.store
      .search("people", query)
      .map(({ key }) => key)
      .join(" ");
  assert.equal(keys("ada"), "ada");
  assert.equal(keys("author.name:ann*"), "ada");
  assert.equal(keys("tags.deep:pearl"), "ada");
  assert.equal(keys("_key:bob"), "bob");
  assert.equal(keys("author:*"), "ada");
  assert.deepEqual(g.store.search("people", "bob")[0].data, { name: "Bob" });
  assert.deepEqual(g.store.search("missing", "*:*"), []);
}
