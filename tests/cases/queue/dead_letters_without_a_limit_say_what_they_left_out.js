// console: made a workspace in .ghost
// console: g.queue.deadLetter("mails") gave 100 of 120 dead letters: give a limit, or page with offset
export function main() {
  for (let index = 0; index < 120; index++) {
    g.queue.enqueue("mails", index, { maxRetries: 0 });
    g.queue.abort(g.queue.dequeue("mails").id);
  }
  assert.deepEqual(g.queue.deadLetter("mails").length, 100);
}
