// One transaction a call: what a script does that is told nothing of transactions. No order by time, unlike ghost's.
import { Database } from "bun:sqlite";

const [synchronous, ...what] = process.argv.slice(2);
const database = new Database("documents.sqlite");
database.run("PRAGMA journal_mode = WAL");
database.run(`PRAGMA synchronous = ${synchronous}`);
database.run("CREATE TABLE IF NOT EXISTS documents (collection TEXT, key TEXT, data TEXT, created TEXT, updated TEXT, PRIMARY KEY (collection, key)) WITHOUT ROWID");
const put = database.prepare("INSERT INTO documents VALUES ('c', ?1, ?2, ?3, ?3) ON CONFLICT DO UPDATE SET data = ?2, updated = ?3");
const get = database.prepare("SELECT * FROM documents WHERE collection = 'c' AND key = ?");
const list = database.prepare("SELECT * FROM documents WHERE collection = 'c' ORDER BY key LIMIT ?");
const count = database.prepare("SELECT count(*) AS count FROM documents WHERE collection = 'c'");

const store = {
  put: (key, data) => put.run(key, JSON.stringify(data), new Date().toISOString()),
  get: (key) => JSON.parse(get.get(key).data),
  list: (limit) => list.all(limit).map((row) => ({ ...row, data: JSON.parse(row.data) })),
  count: () => count.get().count,
  fill: (size, key, data) =>
    database.transaction(() => {
      for (let i = 0; i < size; i++) store.put(key(i), data);
    })(),
};

console.log(await work(...what));
database.close();
