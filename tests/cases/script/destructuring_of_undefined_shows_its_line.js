// exit: 1
// stderr: TypeError: cannot read the members of undefined
// stderr: {file}:8
export function main() {
  const people = {};

  const {
    ada: { born },
  } = people;
  return born;
}
