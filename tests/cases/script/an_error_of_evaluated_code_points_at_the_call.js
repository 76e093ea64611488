// exit: 1
// stderr: at main ({file}:6
// stderr lacks: <input>

export function main() {
  return (0, eval)("\n\n\n  null.x");
}
