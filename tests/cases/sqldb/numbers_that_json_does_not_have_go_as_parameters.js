export async function main() {
  const row = await g.sqldb.queryOne(
    "db",
    "select $1::float8 as nan, $2::float8 as inf, $3::float8 as zero, $4::float8 as small",
    [NaN, -Infinity, -0, 5e-324],
  );
  assert.ok(Number.isNaN(row.nan));
  assert.equal(row.inf, -Infinity);
  assert.ok(Object.is(row.zero, -0));
  assert.equal(row.small, 5e-324);
}
