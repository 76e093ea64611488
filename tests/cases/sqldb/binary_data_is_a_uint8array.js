export async function main() {
  const row = await g.sqldb.queryOne(
    "db",
    "select '\\x00ff10'::bytea as b, array['\\x01'::bytea, null] as a, ''::bytea as e, " +
      "null::bytea as n",
  );
  assert.deepEqual([...row.b], [0, 255, 16]);
  assert.ok(row.b instanceof Uint8Array && row.a[0] instanceof Uint8Array);
  assert.equal(row.a[0][0], 1);
  assert.equal(row.a[1], null);
  assert.equal(row.e.length, 0);
  assert.equal(row.n, null);
  assert.equal((await g.sqldb.scalar("db", "select $1::bytea", [row.b])).length, 3);
  assert.equal(
    (await g.sqldb.query("db", "select $1::bytea as b", [new Uint8Array(100000).fill(7)]))[0]
      .b[99999],
    7,
  );
}
