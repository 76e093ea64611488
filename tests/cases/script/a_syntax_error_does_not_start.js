// exit: 2
// stdout:
// stderr: SyntaxError
// stderr: {file}:7
export function main() {
  const = 5;
}
