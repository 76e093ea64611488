// exit: 1
// stderr: inner
// stderr: {file}:8
// stderr: outer
// stderr: {file}:11
// stderr: {file}:14
export function main() {
  function inner() {
    throw new Error("deep");
  }
  function outer() {
    return [1].map(() => inner());
  }

  outer();
}
