// What is measured of MongoDB's driver for Node.js, in milliseconds inside the script; the same as ghost.js does.

import { MongoClient } from "mongodb";

const timed = async (work) => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};

const [collections, slow] = JSON.parse(process.argv[3]);
const client = new MongoClient(process.argv[2], { maxPoolSize: 128 });
const db = client.db("bench");
const figures = {};
const all = (name) => db.collection(name).find().toArray();
for (const name of collections) {
  await all(name);
  figures[name] = await timed(() => all(name));
}
figures.single = slow ? 0 : (await timed(async () => {
  for (let i = 0; i < 500; i++) await db.collection("one").findOne();
})) / 500;
const calls = () => Promise.all(Array.from({ length: 100 }, () => db.collection("one").findOne()));
if (slow) {
  // Until there is a connection for each.
  for (let i = 0; i < 8; i++) await calls();
  figures.slow = await timed(calls);
}
console.log(JSON.stringify(figures));
await client.close();
