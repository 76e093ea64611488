export async function main() {
  await g.sqldb.transaction("db", async (transaction) => {
    await transaction.execute("declare c cursor for select '10.0.0.1'::inet as address");
    await assert.rejects(transaction.query("fetch all from c"), {
      code: "DATA", message: 'column "address" is of type inet, which such a statement can\'t give: cast it to text',
    });
  });
}
