export async function main() {
  let kept;
  await g.sqldb.transaction("db", (transaction) => {
    kept = transaction;
  });
  for (const method of ["query", "queryOne", "execute", "scalar"]) {
    await assert.rejects(kept[method]("select 1"), {
      code: "NOT_FOUND",
      message: "the transaction has ended",
    });
  }
  assert.deepEqual(Object.keys(kept).sort(), ["execute", "query", "queryOne", "scalar"]);
}
