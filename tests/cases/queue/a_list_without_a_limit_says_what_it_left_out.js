// console: made a workspace in .ghost
// console: g.queue.list("mails") gave 100 of 150 items: give a limit, or page with offset
export function main() {
  for (let index = 0; index < 150; index++) g.queue.enqueue("mails", index);
  assert.deepEqual(g.queue.list("mails", { offset: 50 }).length, 100);
  assert.deepEqual(g.queue.list("mails").length, 100);
}
