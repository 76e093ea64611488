export function main() {
  assert.equal(typeof SharedArrayBuffer, "undefined");
  assert.equal(typeof Atomics, "undefined");
  const error = assert.throws(() => new SharedArrayBuffer(8), { name: "ReferenceError" });
  assert.match(error.message, /one thread; use ArrayBuffer/);
}
