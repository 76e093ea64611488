// stderr: TypeError: wrong kind
// stderr: {file}:6
export function main() {
  function inner() {
    return new TypeError("wrong kind");
  }
  console.log(inner());
}
