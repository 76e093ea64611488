const DATA = { text: "x".repeat(180), n: 1 }; // 200 bytes of JSON
const count = Number(Deno.args[0]);
const kv = await Deno.openKv("queue.sqlite");
const { promise, resolve } = Promise.withResolvers();

let done = 0;
kv.listenQueue(() => {
  if (++done === count) resolve();
});
for (let i = 0; i < count; i++) await kv.enqueue(DATA);
await promise;
console.log(done);
Deno.exit(0); // the listener would go on
