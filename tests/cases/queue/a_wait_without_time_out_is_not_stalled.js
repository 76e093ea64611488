// flags: --timeout 400ms
// exit: 3
// stderr: longer than its limit
export async function main() {
  await g.queue.waitForItem("q");
}
