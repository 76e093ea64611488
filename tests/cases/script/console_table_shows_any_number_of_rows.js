// stderr: │ 69999 │ 69999 │
export function main() {
  console.table(Array.from({ length: 70_000 }, (_, i) => ({ i })));
}
