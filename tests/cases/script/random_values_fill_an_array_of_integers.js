export function main() {
  const bytes = new Uint8Array(1000);
  assert.equal(crypto.getRandomValues(bytes), bytes);
  assert.ok(new Set(bytes).size > 100);
  const part = new Uint8Array(8);
  crypto.getRandomValues(part.subarray(2, 4));
  assert.deepEqual([part[0], part[1], part[4], part[7]], [0, 0, 0, 0]);
  assert.ok(crypto.getRandomValues(new BigUint64Array(4)).some((value) => value > 0xffffffffn));
}
