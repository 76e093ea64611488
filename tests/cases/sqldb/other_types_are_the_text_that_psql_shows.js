export async function main() {
  const row = await g.sqldb.queryOne(
    "db",
    `select '10.0.0.1'::inet as inet, int4range(1, 5) as range, row(1, 'a b', null) as record,
    '(1,2)'::point as point, 'a b'::tsvector as tsvector, b'101' as bits,
    'pg_class'::regclass as class,
    'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid as uuid, array['10.0.0.1'::inet,
    null] as addresses`,
  );
  assert.deepEqual(row, {
    inet: "10.0.0.1",
    range: "[1,5)",
    record: '(1,"a b",)',
    point: "(1,2)",
    tsvector: "'a' 'b'",
    bits: "101",
    class: "pg_class",
    uuid: "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
    addresses: ["10.0.0.1", null],
  });
}
