// flags: --no-workspace
export async function main() {
  await assert.rejects(g.clustersearch.ping("missing"), {
    code: "SECRET_NOT_FOUND",
    message: /there is no secret missing/,
  });
  await assert.rejects(g.sqldb.query("cluster", "select 1"), { code: "SECRET_INVALID" });
}
