export function main() {
  class Point { constructor() { this.x = 1; } }
  const copy = structuredClone(new Point());
  assert.equal(Object.getPrototypeOf(copy), Object.prototype);
  assert.deepEqual(copy, { x: 1 });
}
