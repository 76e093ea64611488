// exit: 1
// stderr: TypeError: value is not iterable
// stderr: {file}:7
export function main() {
  const count = 3;

  for (const number of count) {
    console.log(number);
  }
}
