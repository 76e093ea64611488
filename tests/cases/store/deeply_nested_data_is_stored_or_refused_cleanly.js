export function main() {
  for (const depth of [100, 1_000]) {
    let data = 0;
    for (let i = 0; i < depth; i++) data = [data];
    g.store.put("c", "k", data);
    assert.equal(
      JSON.stringify(g.store.get("c", "k").data),
      "[".repeat(depth) + "0" + "]".repeat(depth),
    );
  }
  let data = 0;
  for (let i = 0; i < 100_000; i++) data = [data];
  try {
    g.store.put("c", "deep", data);
  } catch (error) {
    assert.ok(error instanceof RangeError, `${error}`);
    assert.equal(g.store.get("c", "deep"), null);
    return;
  }
  assert.ok(Array.isArray(g.store.get("c", "deep").data));
}
