export async function main() {
  const error = await g.sqldb
    .transaction("db", async (transaction) => {
      await transaction.execute("set local idle_in_transaction_session_timeout = 100");
      await new Promise((resolve) => setTimeout(resolve, 500));
      await transaction.query("select 1");
    })
    .catch((error) => error);
  assert.deepEqual(
    [error.code, error.details?.sqlstate, error.details?.unknownOutcome],
    ["UNAVAILABLE", "25P03", undefined],
  );
  assert.match(error.message, /idle-in-transaction timeout/);
}
