export function main() {
  let deep = [];
  for (let i = 0; i < 100_000; i++) deep = [deep];
  let copy = structuredClone(deep);
  let depth = 0;
  for (; copy.length; depth++) copy = copy[0];
  assert.equal(depth, 100_000);
}
