//! `g.search` finds what Elasticsearch 7.17 finds: thousands of queries over the same documents.
//!
//! `cargo run --release -p ghost-tests --example record-reference` records the answers again.

use std::collections::BTreeMap;

use ghost_tests::reference::{
    GENERATED, Query, SEED,
    answers::{self, Answer, Found},
    constructs::Parts,
    documents::documents,
    evaluate::Evaluator,
    generate::{Construct, EACH, generate},
    ghost, queries, ranking,
};

/// How many queries out of a thousand must be answered alike.
const ALIKE: usize = 995;

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
fn queries_have_the_constructs_that_are_counted() {
    let generated = generate(&documents(), SEED, GENERATED);
    let mut missing = Vec::new();
    for (query, constructs) in generated.queries.iter().zip(&generated.constructs) {
        let parts = Parts::of(&query.ghost);
        let is_missing = |construct: &&Construct| !parts.as_ref().is_some_and(|parts| parts.have(**construct));
        missing.extend(constructs.iter().filter(is_missing).map(|construct| format!("{construct:?}: {}", query.ghost)));
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
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
    let explained = answers::explained();
    let mut answered = 0;
    for Answer { query, found } in answers::read() {
        let Some(given) = evaluator.evaluate(&query.ghost) else { continue };
        answered += 1;
        let alike = is_alike(&found, &given) || explained.contains_key(&query.ghost);
        assert!(alike, "{}", shown(&query.ghost, &found, &given));
    }
    assert!(answered > 4_000, "only {answered} queries");
}

fn asked(queries: &[&str]) -> Vec<Found> {
    ghost::ask(queries).into_iter().map(|given| given.map(|found| found.into_iter().collect())).collect()
}

#[test]
fn search_finds_what_elasticsearch_finds() {
    let answers = answers::read();
    let mut explained = answers::explained();
    let (mut alike, mut wrong) = (0, Vec::new());
    let queries: Vec<&str> = answers.iter().map(|answer| answer.query.ghost.as_str()).collect();
    for (answer, given) in answers.iter().zip(asked(&queries)) {
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

/// Scores are rounded in each its own way, and Elasticsearch does not count documents without any value.
const ROUNDING: f32 = 5e-4;

/// Whether documents come in the order of the reference; those that tie there may come in any.
fn is_in_order(best: &[(usize, f32)], given: &[usize]) -> bool {
    let scores: BTreeMap<usize, f32> = best.iter().copied().collect();
    let least = best.last().map_or(0.0, |(_, score)| *score);
    let mut lowest = f32::INFINITY;
    given.iter().all(|place| {
        let score = scores.get(place).copied().unwrap_or(least);
        let follows = score <= lowest * (1.0 + ROUNDING);
        lowest = lowest.min(score);
        follows
    })
}

#[test]
fn a_document_out_of_order_is_noticed() {
    let best = [(7, 3.0), (2, 2.0), (5, 2.0), (1, 1.0)];
    assert!(is_in_order(&best, &[7, 2, 5, 1, 9]));
    assert!(is_in_order(&best, &[7, 5, 2, 9, 1]));
    assert!(!is_in_order(&best, &[2, 7, 5, 1]));
    assert!(!is_in_order(&best, &[7, 9, 2, 5, 1]));
}

#[test]
fn search_orders_documents_as_elasticsearch_does() {
    let rankings = ranking::read();
    let queries: Vec<&str> = rankings.iter().map(|ranking| ranking.query.as_str()).collect();
    let mut alike = 0;
    for (ranking, given) in rankings.iter().zip(ghost::ask(&queries)) {
        let given = given.unwrap_or_else(|reason| panic!("{}: {reason}", ranking.query));
        if is_in_order(&ranking.best, &given) {
            alike += 1;
        } else {
            let first = &given[..given.len().min(ranking::KEPT)];
            println!("{}\n    Elasticsearch: {:?}\n    ghost: {first:?}", ranking.query, ranking.best);
        }
    }
    let all = rankings.len();
    println!("{alike} of {all} queries give the same order");
    assert!(all >= 200, "only {all} queries");
    assert!(alike * 1_000 >= all * ALIKE, "{alike} of {all} are alike");
}
