// runs: 2
export function main() {
  const drawn = {
    math: Math.random(),
    uuid: crypto.randomUUID(),
    bytes: [...crypto.getRandomValues(new Uint8Array(8))],
  };
  const before = g.store.get("drawn", "first")?.data;
  g.store.put("drawn", before ? "second" : "first", drawn);
  for (const kind of before ? Object.keys(drawn) : [])
    assert.ok(JSON.stringify(drawn[kind]) !== JSON.stringify(before[kind]), kind);
}
