//! Values of every type go to a script and back as they are: each is compared with the text that the server itself makes
//! of it. `GHOST_TEST_VALUES` says how many of each type; 40 by itself.

use std::fmt::Write;

use ghost_tests::{folder::Folder, servers::postgres};

/// A type, and an expression for a random value of it; `i` counts them.
const TYPES: &[(&str, &str)] = &[
    ("boolean", "random() < 0.5"),
    ("smallint", "(random() * 65535)::int - 32768"),
    ("integer", "((random() - 0.5) * 4294967294)::int8"),
    ("bigint", "((random() - 0.5) * 1.8e19)::numeric::int8"),
    (
        "real",
        "case when i % 10 = 0 then (array['NaN','Infinity','-Infinity','-0','1e-45'])[1 + i / 10 % 5]::real else ((random() - 0.5) * 10 ^ (random() * 70 - 35))::real end",
    ),
    (
        "double precision",
        "case when i % 10 = 0 then (array['NaN','Infinity','-Infinity','-0','5e-324'])[1 + i / 10 % 5]::float8 else (random() - 0.5) * 10 ^ (random() * 600 - 300) end",
    ),
    (
        "numeric",
        "case when i % 20 = 0 then (array['NaN','Infinity','-Infinity','0.000'])[1 + i / 20 % 4]::numeric else ((random() - 0.5)::numeric * 10::numeric ^ (random() * 60 - 30)::int)::numeric end",
    ),
    ("numeric(30,7)", "(random() - 0.5) * 1e20"),
    ("oid", "(random() * 4294967295)::int8"),
    (
        "text",
        "(select string_agg(chr((array[1, 10, 34, 92, 123, 44, 39, 65, 233, 8364, 128512])[1 + (random() * 10)::int]), '') from generate_series(1, (random() * 10)::int + i - i))",
    ),
    ("varchar(20)", "md5(random()::text || i)"),
    ("char(10)", "substr(md5(random()::text), 1, 5)"),
    ("name", "md5(random()::text)"),
    (r#""char""#, "chr(33 + (random() * 90)::int)"),
    ("bytea", "decode(md5(random()::text || i), 'hex')"),
    ("uuid", "gen_random_uuid()"),
    (
        "date",
        "case when i % 20 = 0 then (array['infinity','-infinity','0044-03-15 BC','9999-12-31','10000-01-01'])[1 + i / 20 % 5]::date else '2000-01-01'::date + ((random() - 0.5) * 2000000)::int end",
    ),
    ("time", "make_time((random() * 23)::int, (random() * 59)::int, random() * 59.99)"),
    (
        "timetz",
        "(make_time((random() * 23)::int, (random() * 59)::int, random() * 59.99)::text || (array['+00','+02','-03:30','+14:59'])[1 + (random() * 3)::int])",
    ),
    (
        "timestamp",
        "case when i % 20 = 0 then (array['infinity','-infinity','0044-03-15 BC','10000-01-01','2000-01-01 00:00:00.001'])[1 + i / 20 % 5]::timestamp else '2000-01-01'::timestamp + make_interval(secs => (random() - 0.5) * 1e11) end",
    ),
    (
        "timestamptz",
        "case when i % 20 = 0 then (array['infinity','-infinity','0044-03-15 BC','10000-01-01','2000-01-01 00:00:00.001'])[1 + i / 20 % 5]::timestamptz else '2000-01-01'::timestamptz + make_interval(secs => (random() - 0.5) * 1e11) end",
    ),
    (
        "interval",
        "make_interval(months => ((random() - 0.5) * 100)::int, days => ((random() - 0.5) * 60)::int, secs => ((random() - 0.5) * 200000)::numeric(12,3)::float8)",
    ),
    ("json", r#"jsonb_build_object('a', random(), 'b', array[i, null], 'c', 'x"y')"#),
    (
        "jsonb",
        r#"case when i % 3 = 0 then to_jsonb(i) when i % 3 = 1 then '"a string"'::jsonb else jsonb_build_array(i, null, jsonb_build_object('k', 'ü')) end"#,
    ),
    ("xml", "'<a>' || i || '</a>'"),
    ("bit(13)", "(random() * 8191)::int::bit(13)"),
    ("varbit", "(random() * 8191)::int::bit(13)::varbit"),
    ("inet", "('10.' || i % 256 || '.0.1/' || i % 33)"),
    ("cidr", "('2001:db8:' || to_hex(i % 65535) || '::/48')"),
    ("macaddr", "substr(md5(random()::text), 1, 12)"),
    ("macaddr8", "substr(md5(random()::text), 1, 16)"),
    ("money", "((random() - 0.5) * 1e9)::numeric(12,2)"),
    ("point", "point(random(), random() * 100)"),
    ("line", "line(point(random(), 0), point(1, random()))"),
    ("lseg", "lseg(point(random(), 0), point(1, random()))"),
    ("box", "box(point(random(), 0), point(1, random()))"),
    ("path", "path(polygon(3 + i % 5, circle(point(0, 0), random())))"),
    ("polygon", "polygon(3 + i % 5, circle(point(0, 0), random()))"),
    ("circle", "circle(point(random(), 0), random())"),
    ("tsvector", "to_tsvector('simple', md5(random()::text) || ' b''c ' || i)"),
    ("tsquery", "to_tsquery('simple', 'a & !b | c' || i)"),
    ("jsonpath", r#"'$."a' || i || '"[*] ? (@ > 1)'"#),
    ("pg_lsn", "('0/' || to_hex(i * 4711))"),
    ("xid", "i::text"),
    ("txid_snapshot", "(i || ':' || i + 5 || ':' || i + 1)"),
    ("regclass", "'pg_class'"),
    (
        "int4range",
        "int4range((random() * 100)::int - 200, (random() * 100)::int, (array['[]','()','[)','(]'])[1 + i % 4])",
    ),
    ("int8range", "int8range(null, (random() * 1e12)::int8)"),
    ("numrange", "case when i % 7 = 0 then 'empty' else numrange(random()::numeric, 2, '[]') end"),
    ("daterange", "daterange('2000-01-01'::date + i, null)"),
    ("tsrange", "tsrange('2000-01-01'::timestamp + make_interval(secs => random() * 1e9), '2100-01-01')"),
    ("tstzrange", "tstzrange('2000-01-01'::timestamptz + make_interval(secs => random() * 1e9), 'infinity')"),
    ("int4multirange", "int4multirange(int4range(1, i + 1), int4range(i + 10, i + 20))"),
    ("nummultirange", "nummultirange(numrange(random()::numeric, 2))"),
    ("tstzmultirange", "tstzmultirange(tstzrange('2000-01-01', '2001-01-01'), tstzrange('2002-01-01', null))"),
    ("int[]", "array[i, null, (random() * 100)::int]"),
    ("int[]", "('[' || i % 3 - 1 || ':' || i % 3 || ']={1,2}')"),
    ("int[]", "array[[1, i], [null, 4]]"),
    ("text[]", r#"array['', 'NULL', 'null', 'a"b\', '{}', ',', ' ', 'é' || i, null, e'\t']"#),
    ("bytea[]", "array[decode(md5(random()::text), 'hex'), null, '']"),
    ("numeric[]", "array[random()::numeric, 'NaN', null]"),
    (
        "timestamptz[]",
        "array['2000-01-01'::timestamptz + make_interval(secs => random() * 1e9), 'infinity', '0044-03-15 BC', null]",
    ),
    ("uuid[]", "array[gen_random_uuid(), null]"),
    ("boolean[]", "array[true, false, null]"),
    ("float8[]", "array[random(), 'NaN', 'Infinity', '-0', null]"),
    ("inet[]", "array['10.0.0.1'::inet, null]"),
    ("box[]", "array[box(point(random(), 0), point(1, random()))]"),
    ("value_types.mood", "(enum_range(null::value_types.mood))[1 + i % 5]"),
    ("value_types.mood[]", "enum_range(null::value_types.mood)"),
    ("value_types.positive", "i"),
    ("value_types.positive[]", "array[i, null]"),
    (
        "value_types.pair",
        r#"(i, 'a "b" (c) [d] , \' || i, 'very happy', i, array[1.50, null], '2000-01-01'::timestamptz + make_interval(secs => i), random() * 10 ^ (random() * 60 - 30))"#,
    ),
    ("value_types.pair", "(null, '', null, null, null, null, null)"),
    ("value_types.pair[]", "array[(i, 'x', 'ok', 1, null, null, 1e20)::value_types.pair, null]"),
    ("int2vector", "'1 2 3'"),
];

const SETUP: &str = "
  drop schema if exists value_types cascade;
  create schema value_types;
  create type value_types.mood as enum ('sad', 'ok', 'very happy', 'quo\"te', 'null');
  create domain value_types.positive as int check (value > 0);
  create type value_types.pair as (a int, b text, c value_types.mood, d value_types.positive, e numeric[], f timestamptz, g float8)";

/// `format` shows what the type's own output is; a cast to text may be another.
const SCRIPT: &str = r#"
export async function main({ setup, types, count }) {
  for (const sql of setup.split(";")) await g.sqldb.execute("db", sql);
  const wrong = [];
  let values = 0;
  for (const [type, expression] of types) {
    const sql = `select format('%s', x) as text, x as value from (select (${expression})::${type} as x from generate_series(1, ${count}) s(i)) y`;
    const rows = await g.sqldb.query("db", sql);
    const isJson = type === "json" || type === "jsonb";
    const back = `select format('%s', $1::${type})`;
    const texts = await Promise.all(rows.map(({ value }) => g.sqldb.scalar("db", back, [isJson ? JSON.stringify(value) : value])));
    rows.forEach(({ text, value }, at) => {
      values += 1;
      const same = isJson ? JSON.stringify(JSON.parse(text)) === JSON.stringify(JSON.parse(texts[at])) : texts[at] === text;
      const shown = typeof value !== "string" || type.startsWith("timestamp") || isJson || value === text;
      if (!same || !shown) wrong.push([type, text, value, texts[at]]);
    });
  }
  return { values, wrong };
}
"#;

#[test]
fn values_of_every_type_come_back_unchanged() {
    let Some(server) = postgres::or_skip() else { return };
    let count: usize = std::env::var("GHOST_TEST_VALUES").ok().map_or(40, |count| count.parse().expect("a number"));
    let folder = Folder::new();
    let input = serde_json::json!({ "setup": SETUP, "types": TYPES, "count": count });
    let run = folder.script(["--input", "-", "--timeout", "10m"], SCRIPT).stdin(input.to_string());
    let reported = run.env("GHOST_SECRET_DB", &server.connection).finish().exits(0);
    let reported: serde_json::Value = serde_json::from_str(&reported.stdout).expect("it is JSON");
    let wrong =
        reported["wrong"].as_array().expect("it is an array").iter().take(20).fold(String::new(), |mut text, one| {
            let _ = writeln!(text, "{one}");
            text
        });
    assert!(wrong.is_empty(), "type, text of the server, value, text of what came back:\n{wrong}");
    assert_eq!(reported["values"].as_u64(), Some((TYPES.len() * count) as u64));
}
