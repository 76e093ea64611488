// A real PostgreSQL server that is used against its client: results, statements and sessions.

//# one value of 1 GB is refused without being kept
// exit: 0
// flags: --timeout 60s
// stdout: "LIMIT"
export async function main() { try { await g.sqldb.scalar("db", "select repeat('x', 1000000000)"); } catch (error) { return error.code; } }

//# one value of 60 MB of control characters grows sixfold as JSON
// exit: 0|3
// flags: --timeout 10s
export async function main() { try { return (await g.sqldb.scalar("db", "select repeat(chr(1), 60000000)")).length; } catch (error) { return error.code; } }

//# copyTo of 4 million small rows
// exit: 0|3
// flags: --timeout 8s
export async function main() { try { return (await g.sqldb.copyTo("db", "select 1 from generate_series(1, 4000000)")).length; } catch (error) { return error.code; } }

//# query of 4 million rows of null
// exit: 0|3
// flags: --timeout 8s
export async function main() { try { return (await g.sqldb.query("db", "select null as a from generate_series(1, 4000000)")).length; } catch (error) { return error.code; } }

//# query of 4 million rows without a column
// exit: 0|3
// flags: --timeout 8s
export async function main() { try { return (await g.sqldb.query("db", "select from generate_series(1, 4000000)")).length; } catch (error) { return error.code; } }

//# ten statements of 60 MB each at once
// exit: 0|3
// flags: --timeout 10s
export async function main() { const all = await Promise.allSettled(Array.from({ length: 10 }, () => g.sqldb.scalar("db", "select repeat('x', 60000000)"))); return all.map(({ status, reason }) => reason?.code ?? status); }

//# execute of a select of 4 million rows keeps none
// exit: 0|3
// flags: --timeout 8s
export async function main() { try { return (await g.sqldb.execute("db", "select 1 from generate_series(1, 4000000)")).rowsAffected; } catch (error) { return error.code; } }

//# queryOne and scalar of 4 million rows keep one
// exit: 0|3
// flags: --timeout 10s
export async function main() { try { return [await g.sqldb.queryOne("db", "select n from generate_series(1, 4000000) n"), await g.sqldb.scalar("db", "select n from generate_series(1, 4000000) n")]; } catch (error) { return error.code; } }

//# a document of JSON that is nested 6,000 deep
// exit: 0|1|3
export async function main() { try { return typeof (await g.sqldb.scalar("db", "select (repeat('[', 6000) || repeat(']', 6000))::json")); } catch (error) { return error.code ?? error.name; } }

//# JSON with keys that pollute, repeat and are no text
// stdout: ["__proto__","constructor"]
export async function main() { const value = await g.sqldb.scalar("db", `select '{"__proto__":{"polluted":1},"constructor":1,"constructor":2}'::json`); if (({}).polluted) throw new Error("polluted"); return Object.keys(value); }

//# columns named __proto__, constructor, toString, empty and twice the same
// stdout: [["__proto__","constructor","toString","a"],2,true]
export async function main() { const [row] = await g.sqldb.query("db", 'select 1 as "__proto__", 2 as constructor, 3 as "toString", 1 as a, 2 as a'); return [Object.keys(row), row.a, Object.getPrototypeOf(row) === Object.prototype]; }

//# names of columns and tables with escapes and direction marks reach no terminal raw
// exit: 0
export async function main() { const evil = "\x1b[2J\u202e\u2028\r"; const rows = await g.sqldb.query("db", `select 1 as "${evil}"`); console.error(JSON.stringify(rows).length); try { await g.sqldb.query("db", `select * from "${evil}"`); } catch (error) { return error.code; } }

//# 1,600 columns, and 1,665 that are too many
// stdout: [1600,"BACKEND"]
export async function main() { const of = (n) => "select " + Array.from({ length: n }, (_, i) => `${i} as c${i}`).join(","); const row = await g.sqldb.queryOne("db", of(1600)); let code; try { await g.sqldb.query("db", of(1665)); } catch (error) { code = error.code; } return [Object.keys(row).length, code]; }

//# values of types that few know
// exit: 0
export async function main() {
  const values = ["'(1,2)'::point", "'<(0,0),1>'::circle", "'1 day'::interval", "'infinity'::timestamptz", "'-infinity'::date", "'4714-11-24 BC'::date", "'294276-12-31'::timestamp", "'24:00'::time", "'NaN'::numeric", "'Infinity'::numeric", "1e131071::numeric", "'NaN'::float4", "'-Infinity'::float8", "B'1010'", "'\\xdeadbeef'::bytea", "'::1/128'::inet", "'[1,5)'::int4range", "'{[1,2),[5,6)}'::int4multirange", "'<a>&lt;</a>'::xml", "'a & b'::tsquery", "to_tsvector('x')", "txid_current_snapshot()", "'pg_class'::regclass", "row(1, row(null, 'x'))", "array[[1,2],[3,4]]", "'[5:7]={1,2,3}'::int[]", "'{}'::int[]", "array[null]::text[]", "'0/0'::pg_lsn", "1::money", "'a'::\"char\"", "''::\"char\"", "x'ff'::int::bit(8)", "array[row(1,'a')]", "'{\"a\":NaN}'::text", "null::json", "'null'::jsonb", "'(\"{1,2}\",)'::text", "array['(1,2)'::point]", "array['((0,0),(1,1))'::box, '((2,2),(3,3))'::box]", "format_type(23, null)::name"];
  const odd = [];
  for (const value of values) { try { JSON.stringify(await g.sqldb.scalar("db", `select ${value}`)); } catch (error) { odd.push([value, error.code ?? String(error)]); } }
  return odd;
}

//# a composite type that changes under another connection is not read wrong
// stdout: ["(1,2026-01-01)","2026-01-01"]
export async function main() {
  await g.sqldb.execute("db", "drop type if exists attack_pair cascade"); await g.sqldb.execute("db", "create type attack_pair as (a int, b int)");
  const read = () => g.sqldb.scalar("db", "select row(1, 2)::attack_pair");
  await Promise.all([read(), read(), read()]);
  await g.sqldb.execute("db", "alter type attack_pair alter attribute b type date using null") .catch(async () => { await g.sqldb.execute("db", "drop type attack_pair"); await g.sqldb.execute("db", "create type attack_pair as (a int, b date)"); });
  const all = await Promise.all(Array.from({ length: 6 }, () => g.sqldb.scalar("db", "select row(1, '2026-01-01')::attack_pair")));
  return [...new Set(all.map(String)), await g.sqldb.scalar("db", "select '2026-01-01'::date")];
}

//# a type whose functions are the attacker's, and a domain over a domain over a domain
// exit: 0
export async function main() { await g.sqldb.executeBatch("db", [{ sql: "drop schema if exists attack_types cascade" }, { sql: "create schema attack_types" }, { sql: "create domain attack_types.d0 as int" }, ...Array.from({ length: 40 }, (_, i) => ({ sql: `create domain attack_types.d${i + 1} as attack_types.d${i}` })), { sql: "create type attack_types.t as (a attack_types.d40, b attack_types.d40[])" }]); return [await g.sqldb.scalar("db", "select 5::attack_types.d40"), await g.sqldb.scalar("db", "select row(1, array[2])::attack_types.t"), await g.sqldb.scalar("db", "select array[row(1, array[2])::attack_types.t]")]; }

//# composite types that nest 60 deep
// stdout: "string"
export async function main() { await g.sqldb.executeBatch("db", [{ sql: "drop schema if exists attack_deep cascade" }, { sql: "create schema attack_deep" }, { sql: "create type attack_deep.t0 as (a int)" }, ...Array.from({ length: 60 }, (_, i) => ({ sql: `create type attack_deep.t${i + 1} as (a attack_deep.t${i}[])` }))]); return typeof await g.sqldb.scalar("db", "select row(null)::attack_deep.t60"); }

//# composite types that hold each other twice, which the server itself walks through 4,096 times
// stdout: "string"
export async function main() { await g.sqldb.executeBatch("db", [{ sql: "drop schema if exists attack_twice cascade" }, { sql: "create schema attack_twice" }, { sql: "create type attack_twice.t0 as (a int)" }, ...Array.from({ length: 12 }, (_, i) => ({ sql: `create type attack_twice.t${i + 1} as (a attack_twice.t${i}, b attack_twice.t${i}[])` }))]); return typeof await g.sqldb.scalar("db", "select row(null, null)::attack_twice.t12"); }

//# notices are raised without end
// exit: 3
// flags: --timeout 2s
export async function main() { await g.sqldb.execute("db", "do $$ begin loop raise notice '%', repeat('x', 10000); end loop; end $$"); }

//# an error with a message, a detail and a hint of 30 MB each
// exit: 0|3
// flags: --timeout 8s
export async function main() { try { await g.sqldb.execute("db", "do $$ begin raise exception using message = repeat('m', 30000000), detail = repeat('d', 30000000), hint = repeat('h', 30000000); end $$"); } catch (error) { return [error.code, error.message.length < 100_000, JSON.stringify(error.details).length < 300_000]; } }

//# an error raised with control characters, forged states and names
// exit: 1
export async function main() { await g.sqldb.execute("db", "do $$ begin raise exception using message = E'\\x1b[2J\\rerror: forged\\u202e', detail = E'\\u2028', schema = E'\\x07', table = E'\\u200b', column = 'c', errcode = 'ZZZZZ'; end $$"); }

//# statements that sleep are cancelled at the deadline
// exit: 3
// flags: --timeout 1s
export async function main() { await Promise.all(Array.from({ length: 20 }, () => g.sqldb.query("db", "select pg_sleep(600)"))); }

//# a statement that refuses to be cancelled for a while
// exit: 3
// flags: --timeout 1s
export async function main() { await g.sqldb.execute("db", "do $$ begin loop begin perform pg_sleep(1000); exception when query_canceled then null; end; end loop; end $$"); }

//# a lock that another call of the same run holds
// exit: 3
// flags: --timeout 2s
export async function main() { await g.sqldb.transaction("db", async (t) => { await t.execute("select pg_advisory_xact_lock(14014)"); await g.sqldb.execute("db", "select pg_advisory_lock(14014)"); }); }

//# a transaction in a transaction in a transaction takes all places and ends at the deadline
// exit: 1|3
// flags: --timeout 2s
export async function main() { const again = () => g.sqldb.transaction("db", async (t) => { await t.query("select 1"); return again(); }); await again(); }

//# COMMIT, BEGIN, ROLLBACK and SAVEPOINT hidden in comments, case, functions and strings
// stdout: []
export async function main() { const open = []; for (const sql of ["BEGIN", "/* x */ begin", "-- x\nBEGIN", "START TRANSACTION", "commit", "ROLLBACK", "END", "ABORT", "/* /* nested */ */ COMMIT", "PREPARE TRANSACTION 'x'", "commit and chain", "\u00a0commit", "COMMIT;", ";commit", "select 1; commit", "DO $$ begin commit; end $$"]) { try { await g.sqldb.transaction("db", (t) => t.query(sql)); open.push(sql); } catch (error) { if (!error.code) throw error; } } return open.filter((sql) => !/^DO/.test(sql)); }

//# what a call leaves in its session reaches no other
// stdout: true
export async function main() {
  for (const sql of ["set application_name = 'left'", "set search_path = 'left'", "set role pg_monitor", "set session characteristics as transaction read only", "set statement_timeout = 1", "listen left_behind", "create temp table left_behind ()", "select pg_advisory_lock(99)", "declare left_behind cursor with hold for select 1", "prepare left_behind as select 1", "set client_encoding = 'SQL_ASCII'", "set datestyle = 'German'", "set intervalstyle = 'sql_standard'", "set bytea_output = 'escape'", "set extra_float_digits = -15", "set standard_conforming_strings = off", "set lc_monetary = 'C'", "set timezone = 'Asia/Tokyo'"]) { try { await g.sqldb.execute("db", sql); } catch {} }
  const rows = await Promise.all(Array.from({ length: 20 }, () => g.sqldb.queryOne("db", "select current_setting('application_name') <> 'left' and current_setting('search_path') <> 'left' and current_user = session_user and current_setting('transaction_read_only') = 'off' and to_regclass('pg_temp.left_behind') is null and not exists (select from pg_cursors where name = 'left_behind') as clean, '2026-02-01'::date as d, 'ü'::text as u, '\\x00ff'::bytea as b, 0.1::float8 as f")));
  return rows.every((row) => row.clean && row.d === "2026-02-01" && row.u === "ü" && row.b.length === 2 && row.f === 0.1);
}

//# parameters of every hostile kind are refused or come back as they were
// exit: 0|3
export async function main() {
  const same = ["\0", "\ud800", "\u{10ffff}", "'; drop table x; --", "\\", "%s", "$1", "x".repeat(1 << 20)];
  for (const text of same) { try { if (await g.sqldb.scalar("db", "select $1::text", [text]) !== text) return text.slice(0, 20); } catch (error) { if (!error.code) throw error; } }
  for (const bad of [undefined, () => 1, Symbol("x"), new Map(), NaN, [undefined], [[1], [1, 2]], { toJSON() { throw new Error("mine"); } }, new Proxy([], { get(t, k) { return k === "length" ? 2 ** 31 : undefined; } }), new Date(NaN), 2n ** 100n]) { try { await g.sqldb.query("db", "select $1::int", [bad]); } catch (error) { if (!(error instanceof Error)) return String(error); } }
  return true;
}

//# params that are no array, are sparse, inherit, or change while they are read
// stdout: true
export async function main() { for (const params of [{}, "x", 5, { length: 1, 0: 1 }, [,], Object.create([1]), new Proxy([1], { get: (t, k) => (k === "length" ? 70_000 : 1) }), new Uint8Array(1), Array(65_536).fill(1), [[[[[[[[[[1]]]]]]]]]]]) { try { await g.sqldb.query("db", "select $1::text", params); } catch (error) { if (error.code === undefined || error.code === "INTERNAL") return String(error); } } return true; }

//# names of tables, schemas and columns that break out of their quotes
// stdout: true
export async function main() { const evil = ['"; drop schema public; --', "a\"b", "a.b", "a\0b", "", "x".repeat(1000), "\ud800", "pg_class; select 1", "SELECT 1", "(select 1)", "\u202e"]; for (const name of evil) { for (const call of [() => g.sqldb.copyFrom("db", name, [[1]]), () => g.sqldb.copyFrom("db", "pg_class", [[1]], { columns: [name] }), () => g.sqldb.copyFrom("db", "pg_class", [[1]], { schema: name }), () => g.sqldb.describeTable("db", name), () => g.sqldb.describeTable("db", "pg_class", name), () => g.sqldb.listIndexes("db", name), () => g.sqldb.listConstraints("db", name), () => g.sqldb.listTables("db", name), () => g.sqldb.copyTo("db", name)]) { try { await call(); } catch (error) { if (error.code === undefined || error.code === "INTERNAL") return String(error); } } } return await g.sqldb.scalar("db", "select 1") === 1; }

//# rows of a copy that throw, change, end the transaction or never end
// exit: 0|3
// flags: --timeout 2s
export async function main() { await g.sqldb.execute("db", "drop table if exists attack_copy"); await g.sqldb.execute("db", "create table attack_copy (a int, b text)"); const left = []; const attempts = [[[1, "a"], [2]], [[1, "\\."], [2, "\n\\.\n"]], [[1, { get a() { throw new Error("mine"); } }]], Object.defineProperty([[1, "a"]], 1, { get() { throw new Error("mine"); }, enumerable: true }), [[1, "a"], null], [[1, "a\0b"]], new Proxy([[1, "a"]], { get: (t, k) => (k === "length" ? 2 ** 31 : t[0]) })]; for (const rows of attempts) { try { await g.sqldb.copyFrom("db", "attack_copy", rows); } catch (error) { if (!(error instanceof Error)) throw error; } left.push(await g.sqldb.scalar("db", "select count(*)::int from attack_copy")); } return left; }

//# a copy to and from programs and files of the server is no copy of ghost's
// stdout: true
export async function main() { for (const sql of ["select 1) to program 'touch /tmp/attack'; --", "pg_class to '/tmp/attack'", "with x as (select 1) select 1; drop table y", "table pg_class; select 1", "values (1)) to stdout; select (1", "select 1 /*", "select 1 --", "select $1", "copy pg_class to stdout"]) { try { await g.sqldb.copyTo("db", sql); if (!/--$/.test(sql)) return sql; } catch (error) { if (error.code === undefined || error.code === "INTERNAL") return String(error); } } return true; }

//# one statement of 30 MB, of a million parentheses, of a million unions
// exit: 0|3
// flags: --timeout 8s --max-memory 128M
export async function main() { const seen = []; for (const sql of ["select '" + "x".repeat(30 << 20) + "' = ''", "select " + "(".repeat(1e5) + "1" + ")".repeat(1e5), "select 1" + " union select 1".repeat(20_000), "select " + "1+".repeat(1e5) + "1", "select " + "$1,".repeat(1e5) + "1", "/*".repeat(1e5), "'", "$tag$", "\0"]) { try { await g.sqldb.query("db", sql); seen.push("answered"); } catch (error) { seen.push(error.code); if (error.code === undefined || error.code === "INTERNAL") throw error; } } return seen; }

//# the connection is ended by the server in the middle of everything
// exit: 0
export async function main() { const codes = new Set(); const die = "select pg_terminate_backend(pg_backend_pid())"; for (const call of [() => g.sqldb.query("db", die), () => g.sqldb.transaction("db", async (t) => { await t.query(die).catch(() => {}); await t.query("select 1"); }), () => g.sqldb.executeBatch("db", [{ sql: "select 1" }, { sql: die }, { sql: "select 2" }]), () => g.sqldb.copyTo("db", die), () => g.sqldb.query("db", "select 1")]) { try { await call(); codes.add("answered"); } catch (error) { codes.add(error.code); if (error.code === undefined || error.code === "INTERNAL") throw error; } } return [...codes]; }

//# five hundred calls at once, of which each second fails
// stdout: [250,250]
// flags: --timeout 10s
export async function main() { const all = await Promise.allSettled(Array.from({ length: 500 }, (_, i) => g.sqldb.scalar("db", `select 1 / ${i % 2}`))); return [all.filter(({ status }) => status === "fulfilled").length, all.filter(({ status }) => status === "rejected").length]; }

//# a transaction is used after its end, by its callback's own promise and by a stranger
// stdout: true
export async function main() { let kept, late; await g.sqldb.transaction("db", async (t) => { kept = t; late = new Promise((go) => setTimeout(go, 20)).then(() => t.query("select 1")).catch((error) => error.code); }); const codes = [await late]; for (const method of ["query", "queryOne", "execute", "scalar"]) codes.push(await kept[method]("select 1").then(() => "answered", (error) => error.code)); return codes.every((code) => code === "NOT_FOUND"); }

//# the callback of a transaction is none, throws nothing, returns a thenable or never settles
// exit: 0|1|3
// flags: --timeout 1s
export async function main() { for (const callback of [undefined, 5, {}, class {}]) { try { await g.sqldb.transaction("db", callback); throw new Error("taken"); } catch (error) { if (!(error instanceof TypeError)) throw error; } } try { await g.sqldb.transaction("db", () => { throw undefined; }); } catch (error) { if (error !== undefined) throw error; } const given = await g.sqldb.transaction("db", () => ({ then(go) { go(5); go(6); } })); if (given !== 5) throw new Error(String(given)); await g.sqldb.transaction("db", () => new Promise(() => {})); }
