export function main() {
  const copy = structuredClone(new RangeError("far", { cause: "why" }));
  assert.ok(copy instanceof RangeError);
  assert.equal(copy.message, "far");
}
