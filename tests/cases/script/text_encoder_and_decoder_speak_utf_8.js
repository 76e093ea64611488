export function main() {
  const text = "aé中\u{1F600}";
  const bytes = new TextEncoder().encode(text);
  assert.ok(bytes instanceof Uint8Array);
  assert.deepEqual([...bytes], [0x61, 0xc3, 0xa9, 0xe4, 0xb8, 0xad, 0xf0, 0x9f, 0x98, 0x80]);
  assert.equal(new TextDecoder().decode(bytes), text);
  assert.equal(new TextDecoder("utf-8").decode(bytes.buffer), text);
  assert.equal(new TextDecoder().encoding, "utf-8");
  assert.equal(new TextEncoder().encoding, "utf-8");
  assert.deepEqual([...new TextEncoder().encode("\ud800")], [0xef, 0xbf, 0xbd]);
  assert.equal(new TextEncoder().encode().length, 0);
  assert.equal(new TextDecoder().decode(), "");
}
