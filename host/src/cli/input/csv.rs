//! Converts CSV to JSON.

use std::{collections::HashSet, io::Read};

use super::{json::Json, quoted};

/// A row that is appended to the text. An unclosed quote would include it, and is detected by that.
const END_OF_ROWS: &str = "\n.";

/// Writes the rows of a CSV text as an array of objects.
pub(super) fn rows(text: &str, json: &mut Json) -> Result<(), String> {
    if text.trim().is_empty() {
        return json.push("[]");
    }
    // Flexible only for the appended row; the fields of the others are counted below.
    let mut reader =
        csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes().chain(END_OF_ROWS.as_bytes()));
    let header = header(&mut reader)?;
    let mut records = reader.records().peekable();
    let (mut start, mut between) = (0, "[");
    while let Some(record) = records.next() {
        let record = record.map_err(|error| format!("not CSV: {error}"))?;
        if records.peek().is_none() && record == [&END_OF_ROWS[1..]][..] {
            return json.push(if between == "[" { "[]" } else { "]" });
        }
        start = record.position().map_or(start, |position| position.byte() as usize);
        if record.len() != header.len() {
            let (line, fields, columns) = (line_of(text, start), record.len(), header.len());
            return Err(format!("not CSV: line {line} has {fields} fields, the header has {columns}"));
        }
        json.push(between)?;
        row(&header, &record, json)?;
        between = ",";
    }
    Err(format!("not CSV: a quote that opens in line {} or later is not closed", line_of(text, start)))
}

/// Returns the line number of the row at a byte offset. The csv crate includes preceding line breaks in the row.
fn line_of(text: &str, offset: usize) -> usize {
    let ends = text.bytes().skip(offset).take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    text.bytes().take(offset + ends).filter(|byte| *byte == b'\n').count() + 1
}

/// Returns the names of the columns, each as JSON.
fn header(reader: &mut csv::Reader<impl Read>) -> Result<Vec<String>, String> {
    let header = reader.headers().map_err(|error| format!("not CSV: {error}"))?;
    let mut seen = HashSet::new();
    match header.iter().find(|name| !seen.insert(*name)) {
        Some(name) => Err(format!("not CSV: the header has the column {name:?} twice")),
        None => Ok(header.iter().map(quoted).collect()),
    }
}

/// Writes a row as an object of strings.
fn row(header: &[String], record: &csv::StringRecord, json: &mut Json) -> Result<(), String> {
    let mut before = "{";
    for (name, field) in header.iter().zip(record) {
        json.push(before)?;
        json.push(name)?;
        json.push(":")?;
        json.string(field)?;
        before = ",";
    }
    json.push("}")
}
