// The same documents in SQLite, one transaction each, as a script under Bun would store them.
import { Database } from "bun:sqlite";

const data = JSON.stringify({ text: "x".repeat(180), n: 1 });
const told = {};
for (const [name, synchronous, puts] of [["full", "FULL", 3_000], ["normal", "NORMAL", 100_000]]) {
  const database = new Database(`${name}.sqlite`);
  database.run("PRAGMA journal_mode = WAL");
  database.run(`PRAGMA synchronous = ${synchronous}`);
  database.run("CREATE TABLE documents (collection TEXT, key TEXT, data TEXT, created TEXT, updated TEXT, PRIMARY KEY (collection, key)) WITHOUT ROWID");
  const put = database.prepare("INSERT INTO documents VALUES (?1, ?2, ?3, ?4, ?4) ON CONFLICT DO UPDATE SET data = ?3, updated = ?4");
  const started = performance.now();
  for (let i = 0; i < puts; i++) put.run("c", `key${i}`, JSON.stringify(JSON.parse(data)), new Date().toISOString());
  told[name] = (puts / (performance.now() - started)) * 1000;
  if (name === "normal") {
    const get = database.prepare("SELECT * FROM documents WHERE collection = ? AND key = ?");
    const gets = 300_000;
    const before = performance.now();
    for (let i = 0; i < gets; i++) JSON.parse(get.get("c", `key${(i * 7919) % puts}`).data);
    told.get = (gets / (performance.now() - before)) * 1000;
  }
  database.close();
}
console.log(JSON.stringify(told));
