export function main() {
  const data = { list: [1] };
  g.store.put("c", "k", data);
  data.list.push(2);
  const first = g.store.get("c", "k");
  first.data.list.push(3);
  first.key = "other";
  assert.deepEqual(g.store.get("c", "k").data, { list: [1] });
}
