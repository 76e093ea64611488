//! The two tables: what queries ask for, and what is wrong with malformed ones.
#![allow(missing_docs, reason = "a test")]

use ghost_lucene::{Limits, analyse, parse};

fn rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
    table.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').skip(1).collect())
}

fn explained(query: &str) -> String {
    let limits = Limits::default();
    match parse(query, &limits).and_then(|group| analyse(&group, &limits)) {
        Ok(query) => query.to_string(),
        Err(error) => format!("{:?} {}\t{error}", error.code, error.position),
    }
}

#[test]
fn queries_ask_for_what_the_table_says() {
    let rows: Vec<_> = rows(include_str!("queries.txt")).collect();
    assert!(rows.len() >= 250, "{} rows", rows.len());
    for row in rows {
        assert_eq!(explained(row[0]), row[1], "{}", row[0]);
    }
}

#[test]
fn malformed_queries_say_what_is_wrong_and_where() {
    let rows: Vec<_> = rows(include_str!("malformed.txt")).collect();
    assert!(rows.len() >= 120, "{} rows", rows.len());
    for row in rows {
        assert_eq!(explained(row[0]), row[1..].join("\t"), "{}", row[0]);
    }
}

#[test]
fn a_query_with_nothing_in_it_names_the_one_for_everything() {
    for query in ["", " ", "\t\r\n\u{3000}"] {
        assert_eq!(explained(query), "Syntax 0\tthe query is empty; *:* finds every document");
    }
}

#[test]
fn each_limit_holds_exactly() {
    let nested = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(explained(&nested(64)), "a");
    assert_eq!(explained(&nested(65)), "Limit 64\tparentheses are nested more than 64 deep, which is the limit");
    assert_eq!(explained(&"a ".repeat(1_024)), "a ".repeat(1_024).trim_end());
    assert_eq!(explained(&"a ".repeat(1_025)), "Limit 2048\tthe query has more than 1024 clauses, which is the limit");
    assert_eq!(explained(&"a-".repeat(1_024)), "a ".repeat(1_024).trim_end());
    assert_eq!(explained(&"a-".repeat(1_025)), "Limit 0\tthe query has more than 1024 clauses, which is the limit");
    assert_eq!(explained(&format!("/{}/", "a".repeat(257))), "Limit 0\tregex is 257 characters, the limit is 256");
    assert!(explained(&format!("/{}/", "é".repeat(256))).starts_with('/'));
    assert_eq!(explained(&"a".repeat(8_193)), "Limit 0\tquery is 8193 bytes, the limit is 8192");
    assert!(!explained(&"a".repeat(8_192)).contains("Limit"));
}
