export function main() {
  const before = new Date().toISOString();
  g.store.put("people", "ada", 1);
  const { createdAt, updatedAt } = g.store.get("people", "ada");
  const after = new Date(Date.now() + 1).toISOString();
  for (const time of [createdAt, updatedAt]) {
    assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(new Date(time).toISOString(), time);
    assert.ok(before <= time && time <= after, `${before} <= ${time} <= ${after}`);
  }
  assert.equal(createdAt, updatedAt);
}
