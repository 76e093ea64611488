// exit: 1
// stdout:
// stderr: BigInt
export function main() {
  return { count: 1n };
}
