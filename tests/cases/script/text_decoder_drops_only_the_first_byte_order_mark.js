export function main() {
  const mark = new Uint8Array([0xef, 0xbb, 0xbf]);
  const decoder = new TextDecoder();
  let text = decoder.decode(mark, { stream: true });
  text += decoder.decode(mark, { stream: true });
  assert.equal(text + decoder.decode(), "\ufeff");
  assert.equal(decoder.decode(mark), "");
}
