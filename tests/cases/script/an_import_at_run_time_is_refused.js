export async function main() {
  const error = await assert.rejects(() => import("./other.js"));
  assert.ok(error instanceof Error);
  assert.match(error.message, /import/);
}
