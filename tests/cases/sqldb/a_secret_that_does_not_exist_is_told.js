export async function main() {
  await assert.rejects(g.sqldb.query("missing", "select 1"), {
    code: "SECRET_NOT_FOUND",
    message: /there is no secret missing/,
  });
  await assert.rejects(g.sqldb.query("postgres://u:p@h/d", "select 1"), {
    code: "INVALID_ARGUMENT",
    message: /^conn is the name of a secret, not a connection string; .*ghost secret set NAME$/,
  });
}
