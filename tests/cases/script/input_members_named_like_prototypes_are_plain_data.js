// input: {"__proto__": {"admin": true}}
export function main(value) {
  assert.deepEqual(Object.keys(value), ["__proto__"]);
  assert.equal(value.admin, undefined);
}
