// What is measured of node-postgres, in milliseconds inside the script; the same as ghost.js does.

import pg from "pg";

const timed = async (work) => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};

const contents = JSON.parse(process.argv[3]);
const pool = new pg.Pool({ connectionString: process.argv[2], max: 50 });
const query = (text, values) => pool.query(text, values);
const sleeps = (seconds) => Promise.all(Array.from({ length: 100 }, () => query(`select pg_sleep(${seconds})`)));
await sleeps(0.01);
const figures = {};
for (const [name, sql] of Object.entries(contents)) {
  await query(sql);
  figures[name] = await timed(() => query(sql));
}
Object.assign(figures, {
  sleeps: await timed(() => sleeps(0.1)),
  single: (await timed(async () => { for (let i = 0; i < 1000; i++) await query("select $1::int", [i]); })) / 1000,
});
console.log(JSON.stringify(figures));
await pool.end();
