export async function main() {
  const row = await g.sqldb.queryOne(
    "db",
    `select true as b, 1::int2 as i2, (-2147483648)::int as i4, 9007199254740993::int8 as i8,
    1.10::numeric as n, 0.1::float4 as f4, 1e300::float8 as f8, 'NaN'::float8 as nan,
    '-Infinity'::float8 as inf`,
  );
  assert.deepEqual(row, {
    b: true,
    i2: 1,
    i4: -2147483648,
    i8: "9007199254740993",
    n: "1.10",
    f4: 0.1,
    f8: 1e300,
    nan: NaN,
    inf: -Infinity,
  });
  assert.ok(Object.is(await g.sqldb.scalar("db", "select '-0'::float8"), -0));
}
