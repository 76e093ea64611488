// exit: 1
// stdout:
// stderr: STALLED
export async function main() {
  await new Promise(() => {});
}
