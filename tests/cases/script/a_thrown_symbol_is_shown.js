// exit: 1
// stderr: Symbol(odd)
export function main() {
  throw Symbol("odd");
}
