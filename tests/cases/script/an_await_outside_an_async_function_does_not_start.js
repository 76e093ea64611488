// exit: 2
// stderr: {file}:5
export function main() {
  function inner() {
    await null;
  }
}
