// stderr: TypeError: wrong kind
// stderr: {file}:5
export function main() {
  function inner() {
    return new TypeError("wrong kind");
  }
  console.log(inner());
}
