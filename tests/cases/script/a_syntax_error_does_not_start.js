// exit: 2
// stdout:
// stderr: SyntaxError
// stderr: {file}:6
export function main() {
  const = 5;
}
