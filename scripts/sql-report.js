// ghost run scripts/sql-report.js
//
// Looks at every table of a PostgreSQL database (the secret `db`) for what slows it down or lets it rot: no primary key, a
// foreign key without an index, rows that were never analyzed. Each table's report is kept in the store; what is new since
// the last time goes to the queue "sql-findings", for whoever works it off. Also: next, done ID.

const conn = "db";
const commands = { report, next, done };

export function main(command = "report", ...words) {
  if (!Object.hasOwn(commands, command)) {
    throw new RangeError(`there is no command ${command}, there are ${Object.keys(commands).join(", ")}`);
  }
  return commands[command](...words);
}

async function report() {
  const tables = (await g.sqldb.listTables(conn)).filter(({ type }) => type === "table");
  const reports = await Promise.all(tables.map(look));
  let added = 0;
  for (const report of reports) {
    const key = `${report.schema}.${report.name}`;
    const known = g.store.get("sql-report", key)?.data.findings ?? [];
    for (const finding of report.findings.filter((one) => !known.includes(one))) {
      g.queue.enqueue("sql-findings", { table: key, finding });
      added += 1;
    }
    g.store.put("sql-report", key, report);
  }
  const findings = reports.reduce((sum, report) => sum + report.findings.length, 0);
  return { tables: reports.length, findings, new: added, bytes: reports.reduce((sum, report) => sum + report.bytes, 0) };
}

async function look({ name, schema, estimatedRows }) {
  const [columns, indexes, constraints, size] = await Promise.all([
    g.sqldb.describeTable(conn, name, schema),
    g.sqldb.listIndexes(conn, name, schema),
    g.sqldb.listConstraints(conn, name, schema),
    g.sqldb.queryOne(
      conn,
      `select pg_total_relation_size(format('%I.%I', $1::text, $2::text)::regclass)::float8 as bytes,
         exists (select from pg_stat_all_tables where schemaname = $1 and relname = $2 and n_live_tup > 0
           and coalesce(last_analyze, last_autoanalyze) is null) as stale`,
      [schema, name],
    ),
  ]);
  const findings = [];
  if (!columns.some(({ isPrimaryKey }) => isPrimaryKey)) findings.push("no primary key");
  for (const { name, columns } of constraints.filter(({ type }) => type === "FOREIGN KEY")) {
    const count = columns.split(", ").length;
    // A partial index does not have all rows.
    const covers = ({ columns: indexed, definition }) =>
      indexed.slice(0, count).join(", ") === columns && !definition.includes(" WHERE ");
    if (!indexes.some(covers)) findings.push(`no index for the foreign key ${name} (${columns})`);
  }
  if (size.stale) findings.push("never analyzed");
  return { schema, name, rows: estimatedRows, bytes: size.bytes, columns: columns.length, findings };
}

// The finding that waits longest; it comes back by itself if it is not done within a day.
function next() {
  return g.queue.dequeue("sql-findings", { leaseMs: 24 * 60 * 60 * 1000 });
}

function done(id) {
  g.queue.commit(Number(id));
}
