export function main() {
  assert.throws(() => g.queue.commit(0), {
    code: "NOT_FOUND",
    message: "there has never been a checkout 0",
  });
  assert.throws(() => g.queue.commit(2 ** 53 - 1), {
    code: "NOT_FOUND",
    message: "there has never been a checkout 9007199254740991",
  });
  assert.equal(g.queue.abort(77), false);
}
