// exit: 1
// stderr: STALLED
export async function main() {
  return await Promise.race([]);
}
