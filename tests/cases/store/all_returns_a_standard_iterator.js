export function main() {
  for (let index = 0; index < 300; index++) g.store.put("c", String(index).padStart(3, "0"), index);
  const documents = g.store.all("c");
  assert.deepEqual(documents[Symbol.iterator]() === documents, true);
  assert.deepEqual(documents instanceof Iterator, true);
  assert.deepEqual(documents.next().value.key, "000");
  assert.deepEqual(documents.return(7), { value: 7, done: true });
  assert.deepEqual(documents.next(), { value: undefined, done: true });
  for (const document of g.store.all("c")) {
    if (document.data === 2) break;
  }
  const [first, second] = g.store.all("c");
  assert.deepEqual([first.data, second.data], [0, 1]);
  const even = g.store
    .all("c")
    .filter((document) => document.data % 2 === 0)
    .map((document) => document.data);
  assert.deepEqual(even.drop(1).take(3).toArray(), [2, 4, 6]);
  const [one, other] = [g.store.all("c"), g.store.all("c", { order: "desc" })];
  assert.deepEqual(
    [one.next().value.data, other.next().value.data, one.next().value.data],
    [0, 299, 1],
  );
  assert.deepEqual([g.store.all.name, g.store.all.length], ["all", 1]);
}
