// flags: --origin mcp
export async function main() {
  for (const [method, call] of Object.entries(g.objectstore)) {
    await assert.rejects(call(), { code: "BLOCKED", namespace: "objectstore", method });
  }
}
