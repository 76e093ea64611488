export function main() {
  const params = new URLSearchParams("a=1&b=2&c=3");
  const seen = [];
  for (const [name] of params) {
    seen.push(name);
    if (name === "a") params.delete("b");
    if (name === "c") params.append("d", "4");
  }
  assert.deepEqual(seen, ["a", "c", "d"]);
  const url = new URL("http://h/?a=1&b=2");
  const values = [];
  url.searchParams.forEach((value) => {
    values.push(value);
    url.search = "x=3&y=4";
  });
  assert.deepEqual(values, ["1", "4"]);
}
