export async function main() {
  const row = await g.sqldb.queryOne(
    "db",
    "select $1::int[] as i, $2::text[] as t, $3::int[] as m, $4::timestamptz[] as d, " +
      "$5::bytea[] as b",
    [
      [1, null, 3],
      ['a"b', "NULL", "", "{,}", "\\", null],
      [
        [1, 2],
        [3, 4],
      ],
      [new Date(0)],
      [new Uint8Array([1, 2])],
    ],
  );
  assert.deepEqual(
    [row.i, row.t, row.m, row.d],
    [
      [1, null, 3],
      ['a"b', "NULL", "", "{,}", "\\", null],
      [
        [1, 2],
        [3, 4],
      ],
      ["1970-01-01T00:00:00.000Z"],
    ],
  );
  assert.deepEqual([...row.b[0]], [1, 2]);
  assert.equal(
    await g.sqldb.scalar(
      "db",
      "select count(*)::int from generate_series(1, 9) i where i = any($1)",
      [[2, 4, 99]],
    ),
    2,
  );
}
