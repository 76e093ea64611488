// console: a
// console:     b
// console:         { x: 1 } c
// console:     d
// console: e
export function main() {
  console.group("a");
  console.groupCollapsed("b");
  console.dirxml({ x: 1 }, "c");
  console.groupEnd();
  console.log("d");
  console.clear();
  console.log("e");
}
