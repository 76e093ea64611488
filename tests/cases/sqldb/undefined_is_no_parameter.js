export async function main() {
  const refused = (params, message) =>
    assert.rejects(g.sqldb.query("db", "select $1::int[]", params), {
      name: "TypeError",
      code: "INVALID_ARGUMENT",
      message,
    });
  await refused(
    [undefined],
    "params[0] must be a SQL value: a string, number, boolean, null, BigInt, Date, " +
      "Uint8Array, array or object, not undefined",
  );
  await refused([[1, undefined]], /^params\[0\]\[1\] must be a SQL value/);
  await refused([Symbol("x")], /^params\[0\] must be a SQL value.*not a symbol$/);
  await refused([() => 1], /not a function$/);
  await refused("text", "params must be an array, not a string");
  await refused({ 0: 1 }, "params must be an array, not an object");
}
