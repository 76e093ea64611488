// Uses what a bundle needs of the host: arguments, the console, a timer, documents, a queue, the search.
export async function main(name) {
  console.log("hello", name);
  await new Promise((resolve) => setTimeout(resolve, 1));
  g.store.put("people", name, { name });
  g.queue.enqueue("work", { n: 1 });
  const item = g.queue.dequeue("work");
  g.queue.commit(item.id);
  g.search.index({ _collection: "people", _key: "ada", text: "the first programmer" });
  const found = g.search.query("programmer");
  return { name, documents: g.store.count("people"), item: item.data, found: found.map((hit) => hit.key) };
}
