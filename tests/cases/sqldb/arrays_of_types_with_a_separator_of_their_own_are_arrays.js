export async function main() {
  await g.sqldb.execute("db", "drop type if exists case_colon cascade");
  // A base type as an extension makes it: its text is another type's, between items stands a colon.
  for (const sql of [
    "create type case_colon",
    "create function case_colon_in(cstring) returns case_colon language internal immutable " +
      "strict as 'textin'",
    "create function case_colon_out(case_colon) returns cstring language internal immutable " +
      "strict as 'textout'",
    "create type case_colon (input = case_colon_in, output = case_colon_out, like = text, " +
      "delimiter = ':')",
  ]) {
    await g.sqldb.execute("db", sql);
  }
  const sql = `select '{a,b:NULL:"c:d":{e}}'::text as text, $1::case_colon[] as back,
    '{{a,b:NULL}:{"c:d":e}}'::case_colon[] as two,
    array['(1,2),(0,0)', null]::box[] as boxes`;
  assert.deepEqual(await g.sqldb.queryOne("db", sql, [["a,b", null, "c:d"]]), {
    text: '{a,b:NULL:"c:d":{e}}',
    back: ["a,b", null, "c:d"],
    two: [
      ["a,b", null],
      ["c:d", "e"],
    ],
    boxes: ["(1,2),(0,0)", null],
  });
  await g.sqldb.execute("db", "drop type case_colon cascade");
}
