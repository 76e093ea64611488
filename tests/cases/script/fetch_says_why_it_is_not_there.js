// exit: 1
// stderr: fetch
// stderr: store
export async function main() {
  await fetch("https://example.com");
}
