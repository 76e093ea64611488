// exit: 2
// stdout:
// stderr: SyntaxError
// stderr: {file}:
export function main() {
  if (true) {
}
