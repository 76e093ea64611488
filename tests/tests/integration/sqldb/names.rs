//! Names that would break out of a statement, as tables, columns and schemas.

use std::collections::{BTreeMap, BTreeSet};

use ghost_tests::{folder::Folder, servers::postgres};

/// Parts of names: at the beginning, at the end, alone.
const PARTS: &[&str] = &[
    "\"",
    "\"\"",
    "'",
    "''",
    "`",
    ".",
    "a.b",
    "..",
    ";",
    "; drop table victim",
    "\"; drop table victim; --",
    "'; drop table victim; --",
    "--",
    "-- \n",
    "/*",
    "*/",
    "/* */",
    "\\",
    "\\\\",
    "\\\"",
    "\\'",
    "$",
    "$1",
    "$$",
    "$a$",
    "%",
    "%s",
    "%I",
    "{}",
    "${x}",
    "#",
    "@",
    ":a",
    "::text",
    "?",
    "(",
    ")",
    "()",
    "(select 1)",
    "[",
    "]",
    ",",
    "a, b",
    " ",
    "  ",
    "\t",
    "\n",
    "\r",
    "\r\n",
    "\u{1}",
    "\u{7f}",
    "\u{85}",
    "\u{a0}",
    "\u{200b}",
    "\u{202e}",
    "\u{feff}",
    "é",
    "É",
    "ß",
    "İ",
    "日本",
    "😀",
    "e\u{301}",
    "select",
    "SELECT",
    "from",
    "user",
    "null",
    "NULL",
    "true",
    "public",
    "pg_catalog",
    "information_schema",
    "oid",
    "ctid",
    "A",
    "a b",
    "1",
    "0x1",
    "1e9",
    "-1",
    "*",
    "=",
    "<",
    "&",
    "|",
    "!",
    "~",
    "^",
    "+",
    "U&\"\\0041\"",
    "E'\\n'",
    "constructor",
    "__proto__",
    "toString",
];

fn names() -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for part in PARTS {
        names.extend([(*part).to_owned(), format!("x{part}"), format!("{part}x"), format!("{part}y{part}")]);
    }
    names.extend([
        "n".repeat(63),
        "\"".repeat(63),
        "é".repeat(31),
        "n".repeat(64),
        "é".repeat(32),
        "n".repeat(5000),
        String::new(),
    ]);
    names.extend(["a\0b", "\0"].map(ToOwned::to_owned));
    names.sort();
    names.dedup();
    names
}

const SCRIPT: &str = r#"
export async function main(names) {
  const fits = (name) => name !== "" && !name.includes("\0") && new TextEncoder().encode(name).length <= 63;
  const quoted = (name) => `"${name.replaceAll('"', '""')}"`;
  await g.sqldb.execute("db", "drop schema if exists hostile cascade");
  await g.sqldb.execute("db", "create schema hostile");
  await g.sqldb.execute("db", "drop table if exists victim");
  await g.sqldb.execute("db", "create table victim (id int)");
  const objects = () => g.sqldb.query("db", `select nspname, relname, relfilenode::text from pg_class c join pg_namespace n on n.oid = relnamespace
    where nspname not in ('pg_toast', 'pg_catalog') and nspname !~ '^pg_temp' order by 1, 2`);
  const before = JSON.stringify(await objects());

  // Nothing has these names yet.
  const wrong = [];
  const expect = async (name, what, promise) => {
    const code = await promise.then(() => "nothing", (error) => error.code);
    const expected = fits(name) ? "NOT_FOUND" : "INVALID_ARGUMENT";
    if (code !== expected) wrong.push([name, what, code]);
  };
  for (const name of names) {
    await Promise.all([
      expect(name, "describeTable", g.sqldb.describeTable("db", name, "hostile")),
      expect(name, "schema", g.sqldb.describeTable("db", "no such table", name)),
      expect(name, "listIndexes", g.sqldb.listIndexes("db", name, "hostile")),
      expect(name, "listConstraints", g.sqldb.listConstraints("db", name, "hostile")),
      expect(name, "copyFrom", g.sqldb.copyFrom("db", name, [[1]], { schema: "hostile" })),
      expect(name, "columns", g.sqldb.copyFrom("db", "victim", [[1]], { columns: [name] })),
    ]);
    const tables = await g.sqldb.listTables("db", name).catch((error) => error.code);
    if (fits(name) ? !Array.isArray(tables) : tables !== "INVALID_ARGUMENT") wrong.push([name, "listTables", tables]);
    await g.sqldb.copyTo("db", name, { schema: "hostile" }).catch(() => {});
  }
  if (before !== JSON.stringify(await objects())) wrong.push(["an object changed"]);

  // And now something has.
  let made = 0;
  for (const name of names.filter(fits)) {
    await g.sqldb.execute("db", `create table hostile.${quoted(name)} (${quoted(name)} text primary key)`).catch((error) => {
      // Some are columns of the system, of every table.
      if (error.details?.sqlstate !== "42701") throw error;
      return g.sqldb.execute("db", `create table hostile.${quoted(name)} (${quoted(name + "_")} text primary key)`);
    });
    const options = { schema: "hostile" };
    await g.sqldb.copyFrom("db", name, [[name]], options);
    const [columns, rows, constraints, [row]] = await Promise.all([
      g.sqldb.describeTable("db", name, "hostile"), g.sqldb.copyTo("db", name, options), g.sqldb.listConstraints("db", name, "hostile"),
      g.sqldb.query("db", `select * from hostile.${quoted(name)}`),
    ]);
    const column = columns[0].name;
    const right = (column === name || column === name + "_") && rows.length === 1 && rows[0][0] === name && constraints[0].columns === column && row[column] === name;
    if (!right) wrong.push([name, columns, rows, constraints, row]);
    made += 1;
  }
  const listed = (await g.sqldb.listTables("db", "hostile")).map((table) => table.name);
  if (listed.length !== made) wrong.push(["listed", listed.length, made]);
  await g.sqldb.execute("db", "drop schema hostile cascade");
  return { wrong: wrong.slice(0, 20), names: names.length, made };
}
"#;

/// Returns the script's result: what went wrong, and how many tables it created.
fn run(connection: &str, names: &[String]) -> serde_json::Value {
    let folder = Folder::new();
    let run = folder.script(["--input", "-"], SCRIPT).stdin(serde_json::json!(names).to_string());
    let reported = run.env("GHOST_SECRET_DB", connection).finish().exits(0);
    serde_json::from_str(&reported.stdout).expect("it is JSON")
}

/// The statement of an entry of the log: `LOG:  execute s7: select 1`.
fn statement(entry: &str) -> Option<String> {
    let message = entry.strip_prefix("LOG:  ")?;
    let prepared = || Some(message.strip_prefix("execute ")?.split_once(": ")?.1);
    message.strip_prefix("statement: ").or_else(prepared).map(ToOwned::to_owned)
}

/// The statements that have a name in them, of the script and of ghost.
fn with_name(name: &str) -> Vec<String> {
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let (table, other) = (quoted(name), quoted(&format!("{name}_")));
    let is_of_system = name == "ctid";
    let column = if is_of_system { &other } else { &table };
    let mut all = vec![
        format!("create table hostile.{table} ({table} text primary key)"),
        format!("select * from hostile.{table}"),
        format!("COPY \"hostile\".{table} ({column}) FROM STDIN"),
        format!("COPY (\nSELECT * FROM \"hostile\".{table}\n) TO STDOUT"),
    ];
    if is_of_system {
        all.push(format!("create table hostile.{table} ({column} text primary key)"));
        // The other table has it too, and the server refuses to write it.
        all.push(format!("COPY \"public\".\"victim\" ({table}) FROM STDIN"));
    }
    if name == "(select 1)" {
        // As long as it is no table, it is a query.
        all.push(format!("COPY (\n{name}\n) TO STDOUT"));
    }
    all
}

/// Asserts that the statements with a name occur once each, and removes them: the rest is the same for all names.
fn without_names(log: &[String], names: &[String]) -> BTreeSet<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for statement in log.iter().filter_map(|entry| statement(entry)) {
        *counts.entry(statement).or_default() += 1;
    }
    for statement in names.iter().flat_map(|name| with_name(name)) {
        assert_eq!(counts.remove(&statement), Some(1), "{statement:?}");
    }
    counts.into_keys().collect()
}

fn fits(name: &str) -> bool {
    !name.is_empty() && !name.contains('\0') && name.len() <= 63
}

#[test]
fn hostile_names_are_names_and_nothing_else() {
    let Some(server) = postgres::or_skip() else { return };
    let database = server.database("names");
    let log = || server.own.map(|own| own.log("names"));
    let harmless = vec!["harmless".to_owned()];
    assert_eq!(run(&database, &harmless)["wrong"], serde_json::json!([]));
    let before = log();
    let mut names = names();
    assert!(names.len() >= 300, "{}", names.len());
    let reported = run(&database, &names);
    assert_eq!(reported["wrong"], serde_json::json!([]));
    names.retain(|name| fits(name));
    assert_eq!(reported["made"], names.len());
    if let (Some(before), Some(after)) = (before, log()) {
        let usual = without_names(&before, &harmless);
        let left = without_names(&after[before.len()..], &names);
        let more: Vec<_> = left.difference(&usual).collect();
        assert!(more.is_empty(), "a name became a statement: {more:#?}");
    }
}
