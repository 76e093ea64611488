export function main() {
  const bytes = new TextEncoder().encode("é".repeat(100_000));
  const decoder = new TextDecoder();
  let text = decoder.decode(bytes.subarray(0, 1), { stream: true });
  text += decoder.decode(bytes.subarray(1, 150_002), { stream: true });
  text += decoder.decode(bytes.subarray(150_002));
  assert.ok(text === "é".repeat(100_000));
}
