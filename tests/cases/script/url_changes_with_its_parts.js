export function main() {
  const url = new URL("https://example.com/a?x=1");
  url.pathname = "/b c";
  url.hash = "top";
  url.port = "8080";
  url.searchParams.append("y", "ü &");
  assert.equal(url.href, "https://example.com:8080/b%20c?x=1&y=%C3%BC+%26#top");
  url.search = "?z=3";
  assert.equal(url.searchParams.get("z"), "3");
  assert.equal(url.searchParams.has("x"), false);
  assert.throws(() => { url.href = "broken"; }, { name: "TypeError" });
}
