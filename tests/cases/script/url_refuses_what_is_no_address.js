export function main() {
  for (const text of [
    "",
    "no scheme",
    "/relative",
    "https://",
    "http://a b/",
    "http://example.com:99999/",
  ]) {
    assert.throws(() => new URL(text), { name: "TypeError" });
    assert.equal(URL.canParse(text), false);
  }
  assert.equal(URL.canParse("https://example.com"), true);
}
