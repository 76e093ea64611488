export async function main() {
  for (const use of [
    () => fetch("https://example.com"),
    () => require("fs"),
    () => process.env,
    () => process.exit(0),
    () => Deno.args,
    () => Deno.env.get("HOME"),
  ]) {
    const error = await assert.rejects(async () => use());
    assert.ok(error instanceof Error);
    assert.match(error.message, /store/);
  }
}
