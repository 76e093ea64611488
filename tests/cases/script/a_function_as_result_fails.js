// exit: 1
// stdout:
// stderr: function
export function main() {
  return () => {};
}
