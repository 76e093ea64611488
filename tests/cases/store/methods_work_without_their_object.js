export function main() {
  const { put, get } = g.store;
  put("c", "k", 1);
  assert.equal(get.call(null, "c", "k").data, 1);
  assert.deepEqual(["k"].map((key) => get.apply({}, ["c", key]).data), [1]);
}
