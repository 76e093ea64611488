// flags: --input-format csv
// input: -
// stdin: name,born,note
// stdin: Ada,1815,"said ""yes"", twice"
// stdin: Grace,1906,
// stdout: [{"name":"Ada","born":"1815","note":"said \"yes\", twice"},{"name":"Grace","born":"1906","note":""}]
export function main(rows) {
  return rows;
}
