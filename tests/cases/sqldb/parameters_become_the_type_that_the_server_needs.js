export async function main() {
  const row = await g.sqldb.queryOne(
    "db",
    `select $1::int + 1 as number, $2::text as text, not $3::bool as negated,
    $4::numeric as numeric,
    $5::timestamptz as moment, $6::date as day, $7::uuid as uuid, $8::int8 as big,
    $9::inet as inet, $10::text as nothing`,
    [
      41,
      'it\'s \\ "quoted"',
      true,
      0.1,
      new Date(0),
      "2026-01-02",
      "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11",
      9007199254740993n,
      "::1",
      null,
    ],
  );
  assert.deepEqual(row, {
    number: 42,
    text: 'it\'s \\ "quoted"',
    negated: false,
    numeric: "0.1",
    moment: "1970-01-01T00:00:00.000Z",
    day: "2026-01-02",
    uuid: "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
    big: "9007199254740993",
    inet: "::1",
    nothing: null,
  });
}
