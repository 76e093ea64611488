const kv = await Deno.openKv("documents.sqlite");
const BATCH = 500; // an atomic operation takes 1,000 changes and 800 KiB

const store = {
  answersLater: true,
  put: (key, data) => kv.set(["c", key], data),
  get: async (key) => (await kv.get(["c", key])).value,
  list: (limit) => Array.fromAsync(kv.list({ prefix: ["c"] }, { limit })),
  // There is no count: it has to read them all.
  async count() {
    let count = 0;
    for await (const _ of kv.list({ prefix: ["c"] }, { batchSize: 500 })) count++;
    return count;
  },
  async fill(size, key, data) {
    for (let i = 0; i < size; i += BATCH) {
      const changes = kv.atomic();
      for (let j = i; j < Math.min(i + BATCH, size); j++) changes.set(["c", key(j)], data);
      await changes.commit();
    }
  },
};

console.log(await work(...Deno.args));
kv.close();
