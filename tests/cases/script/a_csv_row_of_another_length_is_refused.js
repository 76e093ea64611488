// flags: --input-format csv
// input: -
// stdin: name,born
// stdin: Ada,1815
// stdin: Grace
// exit: 2
// stdout:
// stderr: line 3
export function main(rows) {
  return rows;
}
