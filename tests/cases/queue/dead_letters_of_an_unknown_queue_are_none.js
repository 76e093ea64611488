export function main() {
  assert.deepEqual(g.queue.deadLetter("q"), []);
}
