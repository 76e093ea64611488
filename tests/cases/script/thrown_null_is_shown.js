// exit: 1
// stderr: null
export function main() {
  throw null;
}
