export function main() {
  assert.equal(
    new URL("../c?q#h", "https://example.com/a/b/x").href,
    "https://example.com/a/c?q#h",
  );
  assert.equal(new URL("//other.com/x", "https://example.com/").href, "https://other.com/x");
  assert.equal(new URL("HTTPS://EXAMPLE.com:443/ü").href, "https://example.com/%C3%BC");
  assert.equal(new URL("https://bücher.example/").hostname, "xn--bcher-kva.example");
  assert.equal(new URL("http://[::1]:80/").host, "[::1]");
}
