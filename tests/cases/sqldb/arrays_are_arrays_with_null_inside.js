export async function main() {
  const row = await g.sqldb.queryOne(
    "db",
    `select array[1, null, 3] as i, array[[1, 2], [3, 4]] as m, '{}'::text[] as e,
    array['a"b', 'NULL', null] as t, '[0:1]={1,2}'::int[] as odd`,
  );
  assert.deepEqual(row, {
    i: [1, null, 3],
    m: [
      [1, 2],
      [3, 4],
    ],
    e: [],
    t: ['a"b', "NULL", null],
    odd: "[0:1]={1,2}",
  });
}
