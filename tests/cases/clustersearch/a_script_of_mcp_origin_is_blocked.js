// flags: --origin mcp
export async function main() {
  for (const method of Object.keys(g.clustersearch)) {
    await assert.rejects(g.clustersearch[method](), { code: "BLOCKED", method });
  }
}
