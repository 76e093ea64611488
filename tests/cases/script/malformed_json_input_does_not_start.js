// input: {"a": 1,}
// exit: 2
// stdout:
// stderr: line 1
// stderr lacks: main ran
export function main() {
  console.log("main ran");
}
