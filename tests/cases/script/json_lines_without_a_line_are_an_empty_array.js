// flags: --input-format jsonl
// input: -
// stdout: []
export function main(values) {
  return values;
}
