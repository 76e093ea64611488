export function main() {
  const decoder = new TextDecoder();
  const bytes = new TextEncoder().encode("é\u{1F600}");
  let text = "";
  for (const byte of bytes) text += decoder.decode(new Uint8Array([byte]), { stream: true });
  assert.equal(text + decoder.decode(), "é\u{1F600}");
}
