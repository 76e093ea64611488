export function main() {
  const wrong = (call, message) => assert.throws(call, { name: "TypeError", message });
  wrong(() => g.store.putt("people", "ada", 1), "g.store has no method putt; did you mean put?");
  wrong(() => g.queue.enque("jobs", 1), "g.queue has no method enque; did you mean enqueue?");
  wrong(() => g.stor.put("people", "ada", 1), "g has no namespace stor; did you mean store?");
  const hint = "g.sqldb has no method querry; did you mean query?";
  wrong(() => g.sqldb.querry("orders", "select 1"), hint);
  assert.equal(g.store.putt, undefined);
  assert.equal(g.stor, undefined);
}
