// What is measured of ghost, in milliseconds inside the script; the same as node.mjs does.

const timed = async (work) => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};

const index = "bench-ghost";

export async function main(kind) {
  if (kind === "at once") {
    const calls = () => Promise.all(Array.from({ length: 100 }, () => g.clustersearch.ping("cluster")));
    // Until there is a connection for each.
    for (let i = 0; i < 8; i++) await calls();
    return { calls: await timed(calls) };
  }
  await g.clustersearch.deleteIndex("cluster", index);
  await g.clustersearch.createIndex("cluster", index, { settings: { number_of_shards: 1, number_of_replicas: 0, refresh_interval: "-1" } });
  const documents = Array.from({ length: 100000 }, (_, i) => ({ _id: String(i), name: `name ${i}`, ratio: i / 7, even: i % 2 === 0, text: `the text of document ${i}, with some words` }));
  const bulk = await timed(() => g.clustersearch.bulk("cluster", index, documents));
  await g.clustersearch.bulk("cluster", index, documents.slice(0, 1), 1, { refresh: true });
  const query = { size: 10000, query: { match_all: {} } };
  await g.clustersearch.search("cluster", index, query);
  return {
    bulk,
    hits: await timed(() => g.clustersearch.search("cluster", index, query)),
    single: (await timed(async () => { for (let i = 0; i < 500; i++) await g.clustersearch.get("cluster", index, String(i)); })) / 500,
  };
}
