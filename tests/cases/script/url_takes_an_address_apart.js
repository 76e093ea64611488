export function main() {
  const url = new URL("https://ada:pw@example.com:8443/a/b%20c/../d?x=1&x=2#part");
  assert.equal(url.href, "https://ada:pw@example.com:8443/a/d?x=1&x=2#part");
  assert.equal(url.origin, "https://example.com:8443");
  assert.deepEqual(
    [
      url.protocol,
      url.username,
      url.password,
      url.host,
      url.hostname,
      url.port,
      url.pathname,
      url.search,
      url.hash,
    ],
    ["https:", "ada", "pw", "example.com:8443", "example.com", "8443", "/a/d", "?x=1&x=2", "#part"],
  );
  assert.deepEqual(url.searchParams.getAll("x"), ["1", "2"]);
  assert.equal(
    JSON.stringify({ url }),
    '{"url":"https://ada:pw@example.com:8443/a/d?x=1&x=2#part"}',
  );
  assert.equal(String(url), url.href);
}
