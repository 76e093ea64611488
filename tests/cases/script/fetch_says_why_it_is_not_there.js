// exit: 1
// stderr: fetch
// stderr: g.
export async function main() {
  await fetch("https://example.com");
}
