export async function main() {
  const sql =
    "select 'NaN'::float8 as n, 'Infinity'::float4 as p, '-Infinity'::float8 as m, " +
    "array['NaN', 1.5, null, 'Infinity']::float4[] as a, array[array['-Infinity'::float8]] " +
    "as d, 'NaN'::text as t, 'NaN'::numeric as e, '\"NaN\"'::jsonb as j, " +
    "'[0:0]={NaN}'::float8[] as z";
  const expected = {
    n: NaN,
    p: Infinity,
    m: -Infinity,
    a: [NaN, 1.5, null, Infinity],
    d: [[-Infinity]],
    t: "NaN",
    e: "NaN",
    j: "NaN",
    z: "[0:0]={NaN}",
  };
  const same = (row) => {
    assert.deepEqual(Object.keys(row), Object.keys(expected));
    const shown = (value) =>
      JSON.stringify(value, (_, one) => (typeof one === "number" ? `number ${one}` : one));
    assert.equal(shown(row), shown(expected));
  };
  same((await g.sqldb.query("db", sql))[0]);
  same(await g.sqldb.queryOne("db", sql));
  assert.ok(Object.is(await g.sqldb.scalar("db", "select 'NaN'::float4"), NaN));
  assert.equal(await g.sqldb.scalar("db", "select '-Infinity'::float8"), -Infinity);
  for (const value of [NaN, Infinity, -Infinity, -0])
    assert.ok(Object.is(await g.sqldb.scalar("db", "select $1::float8", [value]), value));
}
