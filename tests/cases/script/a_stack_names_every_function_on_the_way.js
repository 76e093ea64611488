// exit: 1
// stderr: at inner (
// stderr: {file}:9
// stderr: at outer (
// stderr: {file}:12
// stderr: {file}:15
export function main() {
  function inner() {
    throw new Error("deep");
  }
  function outer() {
    return [1].map(() => inner());
  }

  outer();
}
