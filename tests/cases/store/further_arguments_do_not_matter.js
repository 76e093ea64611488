export function main() {
  g.store.put("c", "k", 1, "further");
  assert.equal(["k"].map(g.store.get.bind(null, "c"))[0].data, 1);
}
