export function main() {
  const nested = (depth) => (depth === 0 ? "deep" : { a: nested(depth - 1) });
  const documents = {
    text: "a bare text",
    number: 42,
    list: ["x", ["y", { z: "inner" }]],
    truth: true,
    nothing: null,
    deep: nested(100),
  };
  for (const [key, data] of Object.entries(documents)) g.store.put("c", key, data);
  const keys = (query) =>
    g.store
      .search("c", query)
      .map(({ key }) => key)
      .sort()
      .join(" ");
  assert.equal(keys("bare"), "text");
  assert.equal(keys("42"), "number");
  assert.equal(keys("y"), "list");
  assert.equal(keys("inner"), "list");
  assert.equal(keys("true"), "truth");
  assert.equal(keys("deep"), "deep");
  assert.equal(keys("*:*"), "deep list nothing number text truth");
  assert.equal(keys("_key:nothing"), "nothing");
}
