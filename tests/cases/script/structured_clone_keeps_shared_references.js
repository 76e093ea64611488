export function main() {
  const shared = { n: 1 };
  const copy = structuredClone([shared, shared]);
  assert.ok(copy[0] === copy[1] && copy[0] !== shared);
}
