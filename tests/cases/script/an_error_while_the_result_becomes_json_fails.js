// exit: 1
// stdout:
// stderr: from the getter
export function main() {
  return { get value() { throw new Error("from the getter"); } };
}
