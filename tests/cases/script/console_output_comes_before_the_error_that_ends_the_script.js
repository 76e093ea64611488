// exit: 1
// stderr: said first
// stderr: thrown last
export function main() {
  console.log("said first");
  throw new Error("thrown last");
}
