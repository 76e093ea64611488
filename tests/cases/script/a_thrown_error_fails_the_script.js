// exit: 1
// stdout:
// stderr: TypeError: thrown on purpose
// stderr: {file}:6
export function main() {
  throw new TypeError("thrown on purpose");
}
