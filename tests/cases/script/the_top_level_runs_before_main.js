// console: top
// console: main
console.log("top");
export function main() {
  console.log("main");
}
