export function main() {
  for (let index = 0; index < 600; index++)
    g.store.put("orders", String(index).padStart(3, "0"), { index });
  g.store.put("other", "x", 1);
  const seen = [];
  for (const document of g.store.all("orders")) seen.push(document);
  assert.deepEqual(seen.length, 600);
  assert.deepEqual(seen[0], g.store.get("orders", "000"));
  assert.deepEqual(
    seen.map((document) => document.data.index),
    [...Array(600).keys()],
  );
  const keys = (options) => [...g.store.all("orders", options)].map((document) => document.key);
  assert.deepEqual(keys({ prefix: "59" }), [
    "590",
    "591",
    "592",
    "593",
    "594",
    "595",
    "596",
    "597",
    "598",
    "599",
  ]);
  assert.deepEqual(keys({ after: "597" }), ["598", "599"]);
  assert.deepEqual(keys({ after: "002", order: "desc" }), ["001", "000"]);
  assert.deepEqual(keys({ prefix: "3", after: "398" }), ["399"]);
  assert.deepEqual(keys({ order: "desc" }).reverse(), keys());
  assert.deepEqual([...g.store.all("nothing")], []);
}
