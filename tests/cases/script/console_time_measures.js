// stderr: step: 
// stderr: default: 
// stderr lacks: NaN
export function main() {
  console.time("step");
  console.time();
  console.timeEnd("step");
  console.timeEnd();
}
