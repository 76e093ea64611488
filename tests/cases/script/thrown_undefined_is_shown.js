// exit: 1
// stderr: undefined
export async function main() {
  throw undefined;
}
