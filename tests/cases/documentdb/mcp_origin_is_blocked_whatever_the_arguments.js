// flags: --origin mcp
export async function main() {
  for (const [name, method] of Object.entries(g.documentdb)) {
    if (method.prototype !== undefined) continue;
    await assert.rejects(method(), { code: "BLOCKED", namespace: "documentdb", method: name });
  }
  // The classes are only values.
  assert.equal(new g.documentdb.ObjectId("65f0c0ffee65f0c0ffee65f0").text.length, 24);
}
