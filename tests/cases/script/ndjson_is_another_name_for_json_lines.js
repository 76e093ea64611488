// flags: --input-format ndjson
// input: -
// stdin: 1
// stdin: 2
// stdout: [1,2]
export function main(values) {
  return values;
}
