export async function main() {
  for (const date of [
    new Date(0),
    new Date(8.64e15),
    new Date("-000043-03-15T00:00:00Z"),
    new Date("0000-02-29T00:00:00Z"),
    new Date("+012345-01-02T03:04:05.678Z"),
  ]) {
    assert.equal(
      await g.sqldb.scalar("db", "select extract(epoch from $1::timestamptz)::float8", [date]),
      date.getTime() / 1000,
    );
  }
  await assert.rejects(g.sqldb.query("db", "select $1::date", [new Date(NaN)]), {
    name: "RangeError",
    message: "params[0] is an invalid Date",
  });
}
