export function main() {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  assert.throws(() => g.store.put("c", "k", proxy), { name: "TypeError" });
  assert.throws(() => g.store.put("c", "k", { deep: proxy }), { name: "TypeError" });
  assert.throws(() => g.store.list("c", proxy), { name: "TypeError" });
  assert.throws(() => g.store.get(proxy, "k"), { name: "TypeError", message: /^collection / });
  assert.equal(g.store.count("c"), 0);
}
