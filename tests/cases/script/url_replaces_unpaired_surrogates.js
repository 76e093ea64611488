export function main() {
  assert.equal(new URL("\udc00", "http://h/\ud800/").href, "http://h/%EF%BF%BD/%EF%BF%BD");
  const invalid = { name: "TypeError", message: "Invalid URL: 'http://\ufffd/'" };
  assert.throws(() => new URL("http://\ud800/"), invalid);
  const url = new URL("http://h/");
  url.hash = "a\ud800b";
  assert.equal(url.href, "http://h/#a%EF%BF%BDb");
  const params = new URLSearchParams([["a", "\udc00"]]);
  assert.equal(params.get("a"), "\ufffd");
  params.append("\ud800", "b");
  assert.equal(params.get("\ufffd"), "b");
  assert.equal(params.has("\ud801"), true);
  assert.equal(new URLSearchParams("a=\u{1F600}").get("a"), "\u{1F600}");
}
