export function main() {
  const bytes = new Uint8Array([0x61, 0xff, 0x62]);
  assert.equal(new TextDecoder().decode(bytes), "a\ufffdb");
  assert.throws(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes), {
    name: "TypeError",
  });
  assert.throws(() => new TextDecoder("no-such-encoding"), { name: "RangeError" });
}
