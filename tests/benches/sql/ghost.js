// What is measured of ghost, in milliseconds inside the script; the same as node.mjs does.

const timed = async (work) => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};

export async function main(contents) {
  const query = (sql) => g.sqldb.query("db", sql);
  const sleeps = (seconds) => Promise.all(Array.from({ length: 100 }, () => query(`select pg_sleep(${seconds})`)));
  // Connections are there.
  await sleeps(0.01);
  const figures = {};
  for (const [name, sql] of Object.entries(contents)) {
    await query(sql);
    figures[name] = await timed(() => query(sql));
  }
  const many = Array.from({ length: 100000 }, (_, i) => [i, `name ${i}`, i / 7, i % 2 === 0, null]);
  await query("drop table if exists bench_copy").then(() => query("create table bench_copy (id int, name text, ratio float8, even boolean, nothing text)"));
  return {
    ...figures,
    sleeps: await timed(() => sleeps(0.1)),
    single: (await timed(async () => { for (let i = 0; i < 1000; i++) await g.sqldb.query("db", "select $1::int", [i]); })) / 1000,
    copy: await timed(() => g.sqldb.copyFrom("db", "bench_copy", many)),
  };
}
