export function main() {
  const date = new Date(2020, 6, 1, 12);
  assert.equal(date.toISOString(), "2020-07-01T12:00:00.000Z");
  assert.equal(date.getTimezoneOffset(), 0);
  assert.match(date.toString(), /GMT\+0000/);
  assert.equal(new Date("2020-07-01T12:00:00").toISOString(), "2020-07-01T12:00:00.000Z");
}
