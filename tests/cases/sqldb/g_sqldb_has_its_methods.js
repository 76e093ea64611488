export async function main() {
  assert.deepEqual(Object.keys(g.sqldb).sort(), [
    "copyFrom",
    "copyTo",
    "describeTable",
    "execute",
    "executeBatch",
    "listConstraints",
    "listDatabases",
    "listIndexes",
    "listSchemas",
    "listTables",
    "query",
    "queryOne",
    "scalar",
    "transaction",
  ]);
  assert.equal(g.sqldb.transaction.name, "transaction");
  assert.equal(g.sqldb.transaction.length, 2);
  assert.ok(Object.isFrozen(g.sqldb) && Object.isFrozen(g.sqldb.transaction));
}
