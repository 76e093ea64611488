// console: ┌───────┬───┬───┐
// console: │ (idx) │ c │ a │
// console: ├───────┼───┼───┤
// console: │     0 │ 3 │ 1 │
// console: │     1 │ 6 │ 4 │
// console: └───────┴───┴───┘
export function main() {
  console.table([{ a: 1, b: 2, c: 3 }, { a: 4, b: 5, c: 6 }], ["c", "a"]);
}
