// What is measured of ghost, in milliseconds inside the script.

const timed = async (work) => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};

export async function main() {
  const up = await timed(() => g.objectstore.putObject("db", "bench", "ghost", "up"));
  const down = await timed(() => g.objectstore.getObject("db", "bench", "ghost", "down"));
  const calls = () =>
    Promise.all(
      Array.from({ length: 100 }, () => g.objectstore.getObjectText("slow", "bench", "small")),
    );
  // Until there is a connection for each.
  for (let i = 0; i < 8; i++) await calls();
  return { up, down, calls: await timed(calls) };
}
