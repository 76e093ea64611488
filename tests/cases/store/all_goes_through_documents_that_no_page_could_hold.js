export function main() {
  const large = "x".repeat(12 << 20);
  for (let index = 0; index < 7; index++) g.store.put("c", String(index), large);
  g.store.put("c", "small", 1);
  let [documents, bytes] = [0, 0];
  for (const { data } of g.store.all("c")) {
    documents += 1;
    bytes += String(data).length;
  }
  assert.deepEqual([documents, bytes], [8, 7 * large.length + 1]);
}
