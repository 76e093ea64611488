// What is measured of ghost, in milliseconds inside the script; the same as node.mjs does.

const timed = async (work) => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};

export async function main([collections, slow]) {
  const figures = {};
  const all = (name) => g.documentdb.find("docs", "bench", name);
  for (const name of collections) {
    await all(name);
    figures[name] = await timed(() => all(name));
  }
  figures.single = slow ? 0 : await timed(async () => {
    for (let i = 0; i < 500; i++) await g.documentdb.findOne("docs", "bench", "one");
  }) / 500;
  if (slow) {
    const calls = () => Promise.all(Array.from({ length: 100 }, () => g.documentdb.findOne("docs", "bench", "one")));
    // Until there is a connection for each.
    for (let i = 0; i < 8; i++) await calls();
    figures.slow = await timed(calls);
  }
  return figures;
}
