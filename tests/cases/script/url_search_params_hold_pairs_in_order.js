export function main() {
  const params = new URLSearchParams("?b=2&a=1&b=3&plus=a+b&pct=%C3%BC");
  assert.deepEqual(
    [...params],
    [
      ["b", "2"],
      ["a", "1"],
      ["b", "3"],
      ["plus", "a b"],
      ["pct", "ü"],
    ],
  );
  params.set("b", "only");
  params.delete("plus");
  params.append("new", "");
  params.sort();
  assert.equal(params.toString(), "a=1&b=only&new=&pct=%C3%BC");
  assert.equal(params.get("missing"), null);
  assert.equal(params.size, 4);
  assert.equal(new URLSearchParams({ x: 1, y: "a b" }).toString(), "x=1&y=a+b");
  assert.equal(
    new URLSearchParams([
      ["k", "v"],
      ["k", "w"],
    ]).toString(),
    "k=v&k=w",
  );
  assert.deepEqual([...params.keys()], ["a", "b", "new", "pct"]);
}
