//! The recorded answers of Elasticsearch.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::PathBuf,
};

use serde::{Deserialize, Serialize};

use super::{Query, folder};

/// What was found: the places of documents in the list, or that the query was refused.
pub type Found = Result<BTreeSet<usize>, String>;

/// A query and what Elasticsearch found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The query.
    pub query: Query,
    /// What was found.
    pub found: Found,
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    query: String,
    /// As Elasticsearch was given it, if that was something else.
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
    #[serde(flatten)]
    found: Written,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Written {
    /// Few documents.
    Found(BTreeSet<usize>),
    /// Many: a bit each in hexadecimal digits, the first document in the highest bit of the first.
    Bits(String),
    Refused(String),
}

/// Where they are.
pub fn file() -> PathBuf {
    folder().join("answers.jsonl")
}

/// Reads them.
pub fn read() -> Vec<Answer> {
    let text = fs::read_to_string(file()).expect("the recorded answers");
    text.lines().map(|line| answer(serde_json::from_str(line).expect("a recorded answer"))).collect()
}

/// Replaces them.
pub fn write(answers: &[Answer]) {
    let lines = answers.iter().map(|answer| serde_json::to_string(&line(answer)).expect("a line") + "\n");
    fs::write(file(), lines.collect::<String>()).expect("the file can be written");
}

/// The queries that ghost answers otherwise, each with its reason.
pub fn explained() -> BTreeMap<String, String> {
    let text = fs::read_to_string(folder().join("explained.txt")).expect("the list");
    let rows = text.lines().filter(|line| !line.starts_with("##"));
    rows.map(|row| row.split_once('\t').expect("a query, a tab, a reason"))
        .map(|(query, why)| (query.to_owned(), why.to_owned()))
        .collect()
}

fn answer(line: Line) -> Answer {
    let found = match line.found {
        Written::Found(found) => Ok(found),
        Written::Bits(digits) => Ok(from_bits(&digits)),
        Written::Refused(reason) => Err(reason),
    };
    let reference = line.reference.unwrap_or_else(|| line.query.clone());
    Answer { query: Query { ghost: line.query, reference }, found }
}

fn line(answer: &Answer) -> Line {
    let Query { ghost, reference } = answer.query.clone();
    let found = match &answer.found {
        Ok(found) if found.len() <= 100 => Written::Found(found.clone()),
        Ok(found) => Written::Bits(to_bits(found)),
        Err(reason) => Written::Refused(reason.clone()),
    };
    Line { reference: (reference != ghost).then_some(reference), query: ghost, found }
}

fn to_bits(found: &BTreeSet<usize>) -> String {
    let digits = found.last().map_or(0, |last| last / 4 + 1);
    let digit = |place: usize| (0..4).fold(0, |digit, bit| digit << 1 | u32::from(found.contains(&(4 * place + bit))));
    (0..digits).map(|place| char::from_digit(digit(place), 16).expect("a digit")).collect()
}

fn from_bits(digits: &str) -> BTreeSet<usize> {
    let bits = digits.chars().enumerate().flat_map(|(place, digit)| {
        let digit = digit.to_digit(16).expect("a hexadecimal digit");
        (0..4).filter(move |bit| digit >> (3 - bit) & 1 == 1).map(move |bit| 4 * place + bit)
    });
    bits.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_read_as_they_were_written() {
        let found: BTreeSet<usize> = (0..3_000).filter(|id| id % 7 < 3).collect();
        assert_eq!(from_bits(&to_bits(&found)), found);
        assert_eq!(to_bits(&BTreeSet::from([0, 3, 5])), "94");
    }
}
