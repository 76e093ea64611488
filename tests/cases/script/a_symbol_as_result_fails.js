// exit: 1
// stdout:
// stderr: symbol
export function main() {
  return Symbol("s");
}
