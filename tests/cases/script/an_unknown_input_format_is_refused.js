// flags: --input-format yaml
// input: 1
// exit: 2
// stderr: yaml
// stderr: csv
export function main() {}
