export function main() {
  const little = new Uint8Array([0xff, 0xfe, 0x61, 0, 0x3d, 0xd8, 0, 0xde]);
  assert.equal(new TextDecoder("utf-16").decode(little), "a\u{1F600}");
  assert.equal(new TextDecoder("UTF-16LE").encoding, "utf-16le");
  assert.equal(new TextDecoder("utf-16be").decode(new Uint8Array([0, 0x61])), "a");
  const decoder = new TextDecoder("utf-16le");
  let text = "";
  for (const byte of little) text += decoder.decode(new Uint8Array([byte]), { stream: true });
  assert.equal(text + decoder.decode(), "a\u{1F600}");
  assert.equal(new TextDecoder("utf-16le").decode(new Uint8Array([0, 0xd8])), "\ufffd");
  for (const label of ["latin1", "iso-8859-1", "windows-1252"]) {
    assert.equal(new TextDecoder(label).decode(new Uint8Array([0x80, 0xe9])), "€é");
    assert.equal(new TextDecoder(label).encoding, "windows-1252");
  }
}
