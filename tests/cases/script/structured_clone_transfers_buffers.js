export function main() {
  const bytes = new Uint8Array([1, 2, 3]);
  const copy = structuredClone({ bytes }, { transfer: [bytes.buffer] });
  assert.ok(bytes.buffer.detached);
  assert.equal(bytes.length, 0);
  assert.deepEqual([...copy.bytes], [1, 2, 3]);
  const kept = new ArrayBuffer(4);
  const refused = { name: "DataCloneError" };
  assert.throws(() => structuredClone([() => {}], { transfer: [kept] }), refused);
  assert.equal(kept.detached, false);
  for (const transfer of [[kept, kept], [{}], [bytes.buffer]])
    assert.throws(() => structuredClone(1, { transfer }), refused);
}
