export function main() {
  assert.throws(() => setTimeout("globalThis.ran = true", 0), { name: "TypeError" });
  assert.throws(() => setInterval(), { name: "TypeError" });
  assert.throws(() => queueMicrotask("text"), { name: "TypeError" });
}
