export function main() {
  const bytes = new Uint8Array([0xef, 0xbb, 0xbf, 0x61]);
  assert.equal(new TextDecoder().decode(bytes), "a");
  assert.equal(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), "\ufeffa");
}
