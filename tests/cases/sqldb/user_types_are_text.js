export async function main() {
  await g.sqldb.execute("db", "drop table if exists case_user_types");
  for (const sql of [
    "drop domain if exists case_positive",
    "drop type if exists case_pair",
    "drop type if exists case_mood",
    "create type case_mood as enum ('sad', 'very happy')",
    "create domain case_positive as int check (value > 0)",
    "create type case_pair as (n case_positive, m case_mood)",
    "create table case_user_types (m case_mood, d case_positive, p case_pair, a case_mood[])",
  ]) {
    await g.sqldb.execute("db", sql);
  }
  await g.sqldb.execute("db", "insert into case_user_types values ($1, $2, $3, $4)", [
    "sad",
    7,
    '(1,"very happy")',
    ["sad", null, "very happy"],
  ]);
  assert.deepEqual(await g.sqldb.query("db", "select * from case_user_types"), [
    { m: "sad", d: 7, p: '(1,"very happy")', a: ["sad", null, "very happy"] },
  ]);
  await assert.rejects(g.sqldb.execute("db", "insert into case_user_types (d) values ($1)", [-1]), {
    code: "BACKEND",
  });
}
