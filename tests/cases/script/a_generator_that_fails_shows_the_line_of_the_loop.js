// exit: 1
// stderr: {file}:6
// stderr: {file}:9
function* numbers() {
  yield 1;
  throw new Error("no more");
}
export function main() {
  for (const number of numbers()) {
    String(
      number,
    );
  }
}
