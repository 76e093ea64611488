export function main() {
  const broken = () => { throw new Error("not for the store"); };
  const { stringify } = JSON;
  JSON.stringify = broken;
  JSON.parse = broken;
  Object.keys = broken;
  Array.isArray = broken;
  Array.prototype.map = broken;
  Array.prototype.push = broken;
  Array.prototype[Symbol.iterator] = broken;
  String.prototype.toString = broken;
  Number.isInteger = broken;
  Date.prototype.toISOString = broken;
  globalThis.Object = broken;
  globalThis.Error = globalThis.TypeError = globalThis.RangeError = broken;
  g.store.put("c", "a", { list: [1, 2], text: "x" });
  g.store.put("c", "b", 1);
  const listed = g.store.list("c", { sort: "key", order: "asc", limit: 10 });
  assert.equal(listed.length, 2);
  assert.equal(stringify(listed[0].data), '{"list":[1,2],"text":"x"}');
  assert.equal(g.store.collections().length, 1);
  let caught;
  try { g.store.get("c"); } catch (error) { caught = error; }
  assert.equal(caught.code, "INVALID_ARGUMENT");
  assert.equal(caught.name, "TypeError");
}
