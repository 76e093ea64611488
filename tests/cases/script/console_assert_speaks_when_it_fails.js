// console: Assertion failed
// console: Assertion failed: with text { and: "more" }
// console: Assertion failed: it was 0
// console: Assertion failed: { object: true }
export function main() {
  console.assert(true, "silent");
  console.assert(1 < 2);
  console.assert(false);
  console.assert(false, "with text", { and: "more" });
  console.assert(0, "%s was %d", "it", 0);
  console.assert(null, { object: true });
}
