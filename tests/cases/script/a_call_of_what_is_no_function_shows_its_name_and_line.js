// exit: 1
// stderr: TypeError: greet is not a function
// stderr: {file}:8
export function main() {
  const person = {};

  return person
    .greet(
      [1].map((number) => number),
    );
}
