// console: ┌───────┬─────────┬──────┬──────┐
// console: │ (idx) │ name    │ born │ navy │
// console: ├───────┼─────────┼──────┼──────┤
// console: │     0 │ "Ada"   │ 1815 │      │
// console: │     1 │ "Grace" │ 1906 │ true │
// console: └───────┴─────────┴──────┴──────┘
// console: ┌───────┬─────┬───┐
// console: │ (idx) │ 0   │ 1 │
// console: ├───────┼─────┼───┤
// console: │     0 │ "a" │ 1 │
// console: │     1 │ "b" │ 2 │
// console: └───────┴─────┴───┘
// console: ┌───────┬────────┐
// console: │ (idx) │ Values │
// console: ├───────┼────────┤
// console: │     0 │ "x"    │
// console: │     1 │ "y"    │
// console: └───────┴────────┘
// console: ┌────────┬───┬───┐
// console: │ (idx)  │ a │ b │
// console: ├────────┼───┼───┤
// console: │ first  │ 1 │   │
// console: │ second │   │ 2 │
// console: └────────┴───┴───┘
export function main() {
  console.table([{ name: "Ada", born: 1815 }, { name: "Grace", born: 1906, navy: true }]);
  console.table([["a", 1], ["b", 2]]);
  console.table(["x", "y"]);
  console.table({ first: { a: 1 }, second: { b: 2 } });
}
