export async function main() {
  await g.sqldb.execute("db", "drop table if exists case_commit_line");
  await g.sqldb.execute(
    "db",
    "create table case_commit_line (id int unique deferrable initially deferred)",
  );
  const here = new Error("here");
  const ended = g.sqldb.transaction("db", async (transaction) => {
    await transaction.execute("insert into case_commit_line values (1), (1)");
  });
  const error = await assert.rejects(ended, { code: "CONFLICT", method: "transaction" });
  const line = (stack) => Number(/\.js:(\d+)/.exec(stack)[1]);
  assert.equal(line(error.stack), line(here.stack) + 1, error.stack);
  assert.ok(!error.stack.includes("ghost:"), error.stack);
  const refused = await assert.rejects(
    g.sqldb.transaction(5, async () => {}),
    { name: "TypeError" },
  );
  assert.ok(!refused.stack.includes("ghost:"), refused.stack);
}
