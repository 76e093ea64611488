// console: Ada is 36 years and 12 days
// console: 1.5 text [object Object]
// console: { a: 1 } and [ 1 ]
// console: 100%, % and %x stay rest
// console: %s
// console: NaN 5
// console: styled text
// console: one two three { four: 4 }
// console: { first: "%s" } not a placeholder
export function main() {
  console.log("%s is %d years and %i days", "Ada", 36.5, 12.9);
  console.log("%f %s %s", "1.5", "text", { a: 1 });
  console.log("%o and %O", { a: 1 }, [1]);
  console.log("100%, %% and %x stay", "rest");
  console.log("%s");
  console.log("%d %i", "text", 5n);
  console.log("styled%c text", "color: red");
  console.log("one %s", "two", "three", { four: 4 });
  console.log({ first: "%s" }, "not a placeholder");
}
