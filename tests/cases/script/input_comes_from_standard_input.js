// input: -
// stdin: {"a":
// stdin: 1}
// stdout: {"a":1}
export function main(value) {
  return value;
}
