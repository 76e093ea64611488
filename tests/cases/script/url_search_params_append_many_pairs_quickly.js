export function main() {
  const url = new URL("http://h/");
  for (let i = 0; i < 50_000; i++) url.searchParams.append("name", "value");
  assert.equal(url.search.length, 50_000 * "&name=value".length);
}
