export function main() {
  const copy = structuredClone(JSON.parse('{"__proto__":{"a":1}}'));
  assert.equal(Object.getPrototypeOf(copy), Object.prototype);
  assert.equal(JSON.stringify(copy), '{"__proto__":{"a":1}}');
  assert.equal(copy.a, undefined);
}
