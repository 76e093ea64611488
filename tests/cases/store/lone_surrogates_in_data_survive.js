export function main() {
  const data = { "\udc00": "\ud800", text: "a\ud83d" };
  g.store.put("c", "k", data);
  assert.deepEqual(g.store.get("c", "k").data, data);
}
