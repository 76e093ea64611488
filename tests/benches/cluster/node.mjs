// What is measured of the official client of Elasticsearch, in milliseconds inside the script; the same as ghost.js does.

import { Client } from "@elastic/elasticsearch";

const timed = async (work) => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};

const [node, kind] = process.argv.slice(2);
const client = new Client({ node });
const index = "bench-node";
const figures = {};
if (kind === "at once") {
  const calls = () => Promise.all(Array.from({ length: 100 }, () => client.info()));
  // Until there is a connection for each.
  for (let i = 0; i < 8; i++) await calls();
  figures.calls = await timed(calls);
} else {
  await client.indices.delete({ index, ignore_unavailable: true });
  await client.indices.create({ index, body: { settings: { number_of_shards: 1, number_of_replicas: 0, refresh_interval: "-1" } } });
  const documents = Array.from({ length: 100000 }, (_, i) => ({ id: String(i), name: `name ${i}`, ratio: i / 7, even: i % 2 === 0, text: `the text of document ${i}, with some words` }));
  figures.bulk = await timed(() => client.helpers.bulk({
    datasource: documents,
    onDocument: ({ id }) => ({ index: { _index: index, _id: id } }),
  }));
  await client.indices.refresh({ index });
  const query = { index, body: { size: 10000, query: { match_all: {} } } };
  await client.search(query);
  figures.hits = await timed(() => client.search(query));
  figures.single = (await timed(async () => { for (let i = 0; i < 500; i++) await client.get({ index, id: String(i) }); })) / 500;
}
console.log(JSON.stringify(figures));
process.exit(0);
