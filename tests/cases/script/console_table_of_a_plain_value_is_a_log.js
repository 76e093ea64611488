// console: text
// console: 5
// console: null
// console: ┌───────┐
// console: │ (idx) │
// console: ├───────┤
// console: └───────┘
export function main() {
  console.table("text");
  console.table(5);
  console.table(null);
  console.table([]);
}
