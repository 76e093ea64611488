export async function main() {
  const row = await g.sqldb.queryOne(
    "db",
    `select '2026-01-02'::date as d, '2026-01-02 03:04:05.678'::timestamp as t,
    '2026-01-02 03:04:05.678901+02'::timestamptz as z, 'infinity'::timestamptz as i,
    '0044-03-15 BC'::date as bc,
    '03:04:05.5'::time as c, '1 year -2 days 03:00'::interval as v`,
  );
  assert.deepEqual(row, {
    d: "2026-01-02",
    t: "2026-01-02T03:04:05.678",
    z: "2026-01-02T01:04:05.678901Z",
    i: "infinity",
    bc: "0044-03-15 BC",
    c: "03:04:05.5",
    v: "1 year -2 days +03:00:00",
  });
  const moment = await g.sqldb.scalar("db", "select '2026-01-02 03:04:05.678+00'::timestamptz");
  assert.equal(new Date(moment).toISOString(), moment);
}
