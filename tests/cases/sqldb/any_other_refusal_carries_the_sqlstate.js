export async function main() {
  const error = await g.sqldb.query("db", "select 1 / $1::int", [0]).catch((error) => error);
  assert.deepEqual(
    [error.name, error.code, error.message, error.details.sqlstate],
    ["GError", "BACKEND", "division by zero", "22012"],
  );
  assert.equal(await g.sqldb.scalar("db", "select 1"), 1);
}
