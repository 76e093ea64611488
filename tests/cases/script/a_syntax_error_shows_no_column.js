// exit: 2
// stderr: at {file}:5
// stderr lacks: {file}:5:
export function main() {
  let x = ;
}
