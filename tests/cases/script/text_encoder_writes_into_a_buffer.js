export function main() {
  const buffer = new Uint8Array(4);
  assert.deepEqual(new TextEncoder().encodeInto("aé中", buffer), { read: 2, written: 3 });
  assert.deepEqual([...buffer], [0x61, 0xc3, 0xa9, 0]);
}
