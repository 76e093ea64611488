// flags: --input-format jsonl
// input: -
// stdin: {"a":1}
// stdin:
// stdin: "two"
// stdin: null
// stdout: [{"a":1},"two",null]
export function main(values) {
  return values;
}
