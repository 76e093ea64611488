// exit: 1
// stdout:
// stderr: only text
export function main() {
  throw "only text";
}
