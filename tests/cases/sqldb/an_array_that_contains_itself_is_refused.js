export async function main() {
  const cycle = [];
  cycle.push(cycle);
  await assert.rejects(g.sqldb.query("db", "select $1::jsonb", [cycle]), {
    name: "TypeError",
    message: /is a cycle of arrays, or nested deeper than 64$/,
  });
  const object = {};
  object.self = object;
  await assert.rejects(g.sqldb.query("db", "select $1::jsonb", [object]), {
    name: "TypeError",
    message: "params[0].self is params[0] again, a cycle, which JSON can't hold",
  });
}
