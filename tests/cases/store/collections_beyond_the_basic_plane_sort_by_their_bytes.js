// UTF-16 would put the emoji (a surrogate pair) before U+FFFD.
export function main() {
  g.store.put("\u{1F600}", "k", 1);
  g.store.put("\uFFFD", "k", 1);
  assert.deepEqual(g.store.collections(), ["\uFFFD", "\u{1F600}"]);
}
