// flags: --input-format jsonl
// input: -
// stdin: {"a":1}
// stdin: {"a":
// exit: 2
// stdout:
// stderr: line 2
export function main() {}
