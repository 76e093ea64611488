export function main() {
  g.store.put("c", "member", { at: new Date("1815-12-10T00:00:00Z") });
  g.store.put("c", "itself", new Date("1815-12-10T00:00:00Z"));
  assert.deepEqual(g.store.get("c", "member").data, { at: "1815-12-10T00:00:00.000Z" });
  assert.equal(g.store.get("c", "itself").data, "1815-12-10T00:00:00.000Z");
}
