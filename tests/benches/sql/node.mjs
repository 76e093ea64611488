// What is measured of node-postgres, in milliseconds inside the script; the same as ghost.js does.

import pg from "pg";

const rows = "select i, md5(i::text) as text, i * 1.5::float8 as number, now() as moment, i % 2 = 0 as even from generate_series(1, 10000) i";
const timed = async (work) => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};

const pool = new pg.Pool({ connectionString: process.argv[2], max: 50 });
const query = (text, values) => pool.query(text, values);
const sleeps = (seconds) => Promise.all(Array.from({ length: 100 }, () => query(`select pg_sleep(${seconds})`)));
await sleeps(0.01);
await query(rows);
const figures = {
  sleeps: await timed(() => sleeps(0.1)),
  rows: await timed(() => query(rows)),
  single: (await timed(async () => { for (let i = 0; i < 1000; i++) await query("select $1::int", [i]); })) / 1000,
};
console.log(JSON.stringify(figures));
await pool.end();
