//! What Elasticsearch 7.17 finds, `g.search` finds: thousands of queries over the same documents.
//!
//! `cargo run --release -p ghost-tests --example record-reference` records the answers anew.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use ghost_tests::{
    folder::Folder,
    reference::{
        GENERATED, Query, SEED,
        answers::{self, Answer, Found},
        documents::documents,
        evaluate::Evaluator,
        folder,
        generate::{EACH, generate},
        queries,
    },
};
use serde::Deserialize;
use serde_json::json;

/// How many queries out of a thousand must be answered alike.
const ALIKE: usize = 995;

/// What the script gives for one query.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum Given {
    Found(BTreeSet<usize>),
    Refused(String),
}

/// Queries that are answered otherwise, and why.
fn explained() -> BTreeMap<String, String> {
    let text = fs::read_to_string(folder().join("explained.txt")).expect("the list");
    let rows = text.lines().filter(|line| !line.starts_with("##"));
    rows.map(|row| row.split_once('\t').expect("a query, a tab, a reason"))
        .map(|(query, why)| (query.to_owned(), why.to_owned()))
        .collect()
}

/// Both refuse, or both find the same documents. Why a query is refused is each one's own.
fn is_alike(one: &Found, other: &Found) -> bool {
    match (one, other) {
        (Ok(one), Ok(other)) => one == other,
        (Err(_), Err(_)) => true,
        _ => false,
    }
}

fn shown(query: &str, reference: &Found, given: &Found) -> String {
    let only = |of: &Found, not: &Found| match (of, not) {
        (Ok(of), Ok(not)) => {
            format!("{} documents, alone {:?}", of.len(), of.difference(not).take(8).collect::<Vec<_>>())
        }
        (Ok(of), Err(_)) => format!("{} documents", of.len()),
        (Err(reason), _) => format!("refused: {}", reason.lines().next().unwrap_or_default()),
    };
    format!("{query}\n    Elasticsearch: {}\n    ghost: {}", only(reference, given), only(given, reference))
}

#[test]
fn the_answers_are_those_of_the_queries_as_they_are_now() {
    let recorded: Vec<Query> = answers::read().into_iter().map(|answer| answer.query).collect();
    let queries = queries(&documents());
    let changed = recorded.iter().zip(&queries).find(|(recorded, query)| recorded != query);
    assert_eq!(changed, None, "documents, queries or the generator have changed: record the answers anew");
    assert_eq!(recorded.len(), queries.len(), "record the answers anew");
}

#[test]
fn each_construct_and_each_pair_is_asked_for() {
    let generated = generate(&documents(), SEED, GENERATED);
    let queries = queries(&documents()).len();
    println!("seed {SEED}: {} queries generated, {queries} with those by hand", generated.queries.len());
    assert!(generated.queries.len() >= 2_000);
    assert!(queries - generated.queries.len() >= 100);
    for (pair, count) in &generated.counts {
        assert!(*count >= EACH, "{pair:?} are in {count} queries");
    }
}

#[test]
fn most_queries_find_something() {
    let answers = answers::read();
    let with_documents = answers.iter().filter(|answer| answer.found.as_ref().is_ok_and(|found| !found.is_empty()));
    assert!(with_documents.count() * 10 >= answers.len() * 8);
}

/// The parser and the words, without any index.
#[test]
fn plain_evaluation_finds_what_elasticsearch_finds() {
    let evaluator = Evaluator::new(&documents());
    let explained = explained();
    let mut answered = 0;
    for Answer { query, found } in answers::read() {
        let Some(given) = evaluator.evaluate(&query.ghost) else { continue };
        answered += 1;
        let alike = is_alike(&found, &given) || explained.contains_key(&query.ghost);
        assert!(alike, "{}", shown(&query.ghost, &found, &given));
    }
    assert!(answered > 4_000, "only {answered} queries");
}

fn given_by_ghost(answers: &[Answer]) -> Vec<Found> {
    let queries: Vec<&str> = answers.iter().map(|answer| answer.query.ghost.as_str()).collect();
    let folder = Folder::new();
    folder.write("input.json", json!({ "documents": documents(), "queries": queries }).to_string());
    let script = fs::read_to_string(ghost_tests::reference::folder().join("search.js")).expect("the script");
    let finished = folder.script(["--input", "@input.json"], &script).finish().exits(0);
    println!("{:?} for {} queries", finished.time, queries.len());
    let given: Vec<Given> = serde_json::from_str(&finished.stdout).expect("what the script gives");
    assert_eq!(given.len(), answers.len());
    let found = given.into_iter().map(|given| match given {
        Given::Found(found) => Ok(found),
        Given::Refused(reason) => Err(reason),
    });
    found.collect()
}

#[test]
fn search_finds_what_elasticsearch_finds() {
    let answers = answers::read();
    let mut explained = explained();
    let (mut alike, mut wrong) = (0, Vec::new());
    for (answer, given) in answers.iter().zip(given_by_ghost(&answers)) {
        let query = &answer.query.ghost;
        if is_alike(&answer.found, &given) {
            alike += 1;
            continue;
        }
        let shown = shown(query, &answer.found, &given);
        match explained.remove(query) {
            Some(why) => println!("{shown}\n    {why}"),
            None => wrong.push(shown),
        }
    }
    let all = answers.len();
    println!("{alike} of {all} queries (seed {SEED}) find the same");
    assert!(wrong.is_empty(), "{} differences are not explained:\n{}", wrong.len(), wrong.join("\n"));
    assert!(explained.is_empty(), "these differ no more: {explained:?}");
    assert!(alike * 1_000 >= all * ALIKE, "{alike} of {all} are alike");
}
