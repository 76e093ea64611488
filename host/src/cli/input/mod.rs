//! `--input`: one value from the command line, a file or standard input, as JSON.

use std::{
    collections::HashSet,
    fs::File,
    io::{self, Read, Write},
    path::Path,
};

use clap::ValueEnum;
use serde::de::IgnoredAny;

/// The most that is read, of a script or of its input.
const READ_BYTES: u64 = 256 << 20;

/// How much may be read, and how much of it there may be as JSON.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound {
    bytes: u64,
    /// What raises it.
    advice: &'static str,
}

impl Bound {
    /// For a program without limits.
    pub(crate) const MOST: Self = Self { bytes: READ_BYTES, advice: "" };

    /// For a script or its input: there they are twice for a while, as text and as values.
    pub(crate) fn of_run(memory: u64) -> Self {
        match memory / 2 {
            half if half < READ_BYTES => {
                Self { bytes: half, advice: ", which is half of the run's memory (--max-memory)" }
            }
            _ => Self::MOST,
        }
    }

    /// `a.json is 300 MiB, the limit is 32 MiB, which is half of the run's memory (--max-memory)`
    fn exceeded(self, name: &str, size: Option<u64>) -> String {
        let Self { bytes, advice } = self;
        let limit = if bytes < 1 << 20 { format!("{bytes} bytes") } else { format!("{} MiB", bytes >> 20) };
        match size {
            Some(size) => format!("{name} is {} MiB, the limit is {limit}{advice}", size.div_ceil(1 << 20)),
            None => format!("{name} is larger than {limit}{advice}"),
        }
    }
}

/// How an input is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// One JSON value
    Json,
    /// JSON values, one a line (also written ndjson): an array
    #[value(alias = "ndjson")]
    Jsonl,
    /// Rows under a header line: an array of objects of strings
    Csv,
    /// A string
    Text,
}

impl Format {
    /// What a file's ending says; JSON when it says nothing.
    fn of(path: &Path) -> Self {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("jsonl" | "ndjson") => Self::Jsonl,
            Some("csv") => Self::Csv,
            Some("txt" | "text") => Self::Text,
            _ => Self::Json,
        }
    }
}

/// Where an input comes from.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Source<'a> {
    Inline(&'a str),
    File(&'a Path),
    Standard,
}

impl<'a> Source<'a> {
    /// `-` is standard input, `@file` a file, everything else is the value itself.
    pub(crate) fn of(input: &'a str) -> Self {
        match input {
            "-" => Self::Standard,
            _ => input.strip_prefix('@').map_or(Self::Inline(input), |file| Self::File(Path::new(file))),
        }
    }
}

/// The JSON of an input. The error says what is wrong, and where.
pub(crate) fn read(source: &Source<'_>, format: Option<Format>, bound: Bound) -> Result<String, String> {
    let (text, read_as) = match source {
        Source::Inline(text) => ((*text).to_owned(), format.unwrap_or(Format::Json)),
        Source::File(path) => (read_file(path, bound)?, format.unwrap_or_else(|| Format::of(path))),
        Source::Standard => (read_standard(bound)?, format.unwrap_or(Format::Json)),
    };
    to_json(without_mark(text), read_as, bound).map_err(|why| match source {
        Source::File(path) => format!("--input @{}: {why}", path.display()),
        Source::Standard if format.is_none() => {
            format!("--input: {why}; what is no JSON is read with --input-format jsonl, csv or text")
        }
        Source::Inline(_) | Source::Standard => format!("--input: {why}{}", meant_file(source)),
    })
}

/// A text without the mark that says how it is encoded.
fn without_mark(mut text: String) -> String {
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    text
}

/// What helps who gave the name of a file for a value.
fn meant_file(source: &Source<'_>) -> String {
    match source {
        Source::Inline(text) if Path::new(text).is_file() => format!("; to read the file: @{text}"),
        _ => String::new(),
    }
}

/// One JSON value, as text.
pub(crate) fn json_of(source: &Source<'_>) -> Result<String, String> {
    let (name, text) = match source {
        Source::Inline(text) => ("the value".into(), (*text).to_owned()),
        Source::File(path) => (path.display().to_string(), read_file(path, Bound::MOST)?),
        Source::Standard => ("standard input".into(), read_standard(Bound::MOST)?),
    };
    checked(without_mark(text)).map_err(|why| format!("{name} is {why}{}", meant_file(source)))
}

/// What is wrong with a line of JSON, and where.
pub(crate) fn json_reason(error: &serde_json::Error) -> String {
    let what = fault(error);
    if error.is_data() { what } else { format!("not JSON: {what} at column {}", error.column()) }
}

/// What is wrong with JSON, without the place.
fn fault(error: &serde_json::Error) -> String {
    if error.is_eof() {
        return "it ends too early".into();
    }
    error.to_string().split(" at line").next().unwrap_or_default().into()
}

/// A file as text.
pub(crate) fn read_file(path: &Path, bound: Bound) -> Result<String, String> {
    text_of(read_bytes(path, bound)?, &path.display().to_string())
}

/// A file as it is.
pub(crate) fn read_bytes(path: &Path, bound: Bound) -> Result<Vec<u8>, String> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(|error| format!("{name}: {}", reason(&error)))?;
    let metadata = file.metadata().map_err(|error| format!("{name}: {}", reason(&error)))?;
    if metadata.is_dir() {
        return Err(format!("{name} is a folder"));
    }
    // A device or a pipe has no size.
    if metadata.len() > bound.bytes {
        return Err(bound.exceeded(&name, Some(metadata.len())));
    }
    bytes_of(file, &name, bound)
}

/// Standard input as text.
pub(crate) fn read_standard(bound: Bound) -> Result<String, String> {
    let name = "standard input";
    text_of(bytes_of(io::stdin().lock(), name, bound)?, name)
}

fn bytes_of(read: impl Read, name: &str, bound: Bound) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    read.take(bound.bytes + 1).read_to_end(&mut bytes).map_err(|error| format!("{name}: {}", reason(&error)))?;
    if bytes.len() as u64 > bound.bytes { Err(bound.exceeded(name, None)) } else { Ok(bytes) }
}

fn text_of(bytes: Vec<u8>, name: &str) -> Result<String, String> {
    String::from_utf8(bytes).map_err(|error| {
        format!("{name} is not UTF-8: byte {} does not belong there", error.utf8_error().valid_up_to())
    })
}

pub(crate) fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::IsADirectory => "is a folder".into(),
        io::ErrorKind::NotADirectory => "a file stands where a folder is wanted".into(),
        io::ErrorKind::AlreadyExists => "there is something of that name".into(),
        io::ErrorKind::StorageFull => "the disk is full".into(),
        // Without the number that the system has for it.
        _ => error.to_string().split(" (os error").next().unwrap_or_default().to_lowercase(),
    }
}

fn to_json(text: String, format: Format, bound: Bound) -> Result<String, String> {
    if format == Format::Json {
        return checked(text);
    }
    let mut json = Json { text: String::new(), bound };
    match format {
        Format::Jsonl => lines(&text, &mut json)?,
        Format::Csv => rows(&text, &mut json)?,
        Format::Text | Format::Json => json.string(&text)?,
    }
    Ok(json.text)
}

/// JSON that is written, within its bound.
struct Json {
    text: String,
    bound: Bound,
}

impl Json {
    fn push(&mut self, text: &str) -> Result<(), String> {
        if (self.text.len() + text.len()) as u64 > self.bound.bytes {
            return Err(self.bound.exceeded("as JSON, it", None));
        }
        self.text.push_str(text);
        Ok(())
    }

    fn string(&mut self, text: &str) -> Result<(), String> {
        serde_json::to_writer(&mut *self, text).map_err(|_| self.bound.exceeded("as JSON, it", None))
    }
}

impl Write for Json {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(bytes).map_err(io::Error::other)?;
        self.push(text).map_err(io::Error::other).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The text itself, when it is one JSON value: numbers are handed on as they stand.
fn checked(mut text: String) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("not JSON: it is empty".into());
    }
    match serde_json::from_str::<IgnoredAny>(&text) {
        Ok(IgnoredAny) => {
            text.truncate(text.trim_end().len());
            let start = text.len() - text.trim_start().len();
            text.drain(..start);
            Ok(text)
        }
        Err(error) => Err(format!("not JSON: {} at line {} column {}", fault(&error), error.line(), error.column())),
    }
}

fn lines(text: &str, json: &mut Json) -> Result<(), String> {
    json.push("[")?;
    let mut between = "";
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let value = serde_json::from_str::<IgnoredAny>(line);
        value.map_err(|error| format!("line {} is {}", index + 1, json_reason(&error)))?;
        json.push(between)?;
        json.push(line.trim())?;
        between = ",";
    }
    json.push("]")
}

/// Stands under the last row, so that a quote which nobody closes is seen: it swallows this too.
const END_OF_ROWS: &str = "\n.";

fn rows(text: &str, json: &mut Json) -> Result<(), String> {
    if text.trim().is_empty() {
        return json.push("[]");
    }
    // Flexible for the last row alone; the others are counted here.
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
    Err(format!("not CSV: a quote that opens in line {} or below is not closed", line_of(text, start)))
}

/// The line of the row that is read from a place: csv counts the line's end and the empty lines before it to the row.
fn line_of(text: &str, place: usize) -> usize {
    let ends = text.bytes().skip(place).take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    text.bytes().take(place + ends).filter(|byte| *byte == b'\n').count() + 1
}

/// The names of the columns, each as JSON.
fn header(reader: &mut csv::Reader<impl Read>) -> Result<Vec<String>, String> {
    let header = reader.headers().map_err(|error| format!("not CSV: {error}"))?;
    let mut seen = HashSet::new();
    match header.iter().find(|name| !seen.insert(*name)) {
        Some(name) => Err(format!("not CSV: the header has the column {name:?} twice")),
        None => Ok(header.iter().map(quoted).collect()),
    }
}

/// A row as an object of strings.
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

/// A text as JSON.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to_json(text: &str, format: Format) -> Result<String, String> {
        super::to_json(text.to_owned(), format, Bound::MOST)
    }

    #[test]
    fn numbers_are_handed_on_as_they_stand() {
        assert_eq!(to_json(" [1e400, 0.10] ", Format::Json).unwrap(), "[1e400, 0.10]");
    }

    #[test]
    fn what_is_no_json_is_refused_with_its_place() {
        assert_eq!(to_json("{\"a\":}", Format::Json).unwrap_err(), "not JSON: expected value at line 1 column 6");
        assert_eq!(to_json(" \n", Format::Json).unwrap_err(), "not JSON: it is empty");
        assert_eq!(to_json("[1,", Format::Json).unwrap_err(), "not JSON: it ends too early at line 1 column 3");
        assert_eq!(
            to_json("1\n\n{]\n", Format::Jsonl).unwrap_err(),
            "line 3 is not JSON: key must be a string at column 2"
        );
    }

    #[test]
    fn deep_json_is_read_without_a_stack() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(to_json(&deep, Format::Json).unwrap(), deep);
    }

    #[test]
    fn what_an_input_becomes_is_bounded_as_it_is_read() {
        let bound = Bound::of_run(40);
        for (text, format) in [
            ("\u{1}\u{1}\u{1}\u{1}", Format::Text),
            ("1\n2\n3\n4\n5\n6\n7\n8\n9\n10", Format::Jsonl),
            ("name\n1\n2\n", Format::Csv),
        ] {
            let refused = super::to_json(text.into(), format, bound).unwrap_err();
            assert_eq!(
                refused,
                "as JSON, it is larger than 20 bytes, which is half of the run's memory (--max-memory)"
            );
        }
        assert_eq!(super::to_json("\u{1}".into(), Format::Text, bound).unwrap(), "\"\\u0001\"");
        assert!(
            bytes_of([7; 20].as_slice(), "it", bound).is_ok() && bytes_of([7; 21].as_slice(), "it", bound).is_err()
        );
        assert_eq!(Bound::of_run(u64::MAX).exceeded("it", Some(300 << 20)), "it is 300 MiB, the limit is 256 MiB");
    }

    #[test]
    fn lines_become_an_array() {
        assert_eq!(to_json("{\"a\":1}\n\n2\r\n", Format::Jsonl).unwrap(), "[{\"a\":1},2]");
    }

    #[test]
    fn rows_become_objects_of_strings() {
        let json = to_json("name,size\n\"a,\"\"b\",1\n", Format::Csv).unwrap();
        assert_eq!(json, r#"[{"name":"a,\"b","size":"1"}]"#);
        let json = to_json("name\r\n.\r\n\"two\nlines\"", Format::Csv).unwrap();
        assert_eq!(json, r#"[{"name":"."},{"name":"two\nlines"}]"#);
    }

    #[test]
    fn a_header_alone_or_nothing_is_no_rows() {
        for text in ["", "\n", "a,b", "a,b\n"] {
            assert_eq!(to_json(text, Format::Csv).unwrap(), "[]", "{text:?}");
        }
    }

    #[test]
    fn rows_that_can_be_misread_are_refused() {
        for (text, why) in [
            ("a,b\n1,2\n1\n", "not CSV: line 3 has 1 fields, the header has 2"),
            ("a,b\r\n1,2\r\n1\r\n", "not CSV: line 3 has 1 fields, the header has 2"),
            ("a,b\n1,2\n\n1,2,3\n", "not CSV: line 4 has 3 fields, the header has 2"),
            ("a,b,a\n", "not CSV: the header has the column \"a\" twice"),
            ("a,b\n1,2\n1,\"x\n1,2\n", "not CSV: a quote that opens in line 3 or below is not closed"),
            ("a,\"b\n1,2\n", "not CSV: a quote that opens in line 1 or below is not closed"),
        ] {
            assert_eq!(to_json(text, Format::Csv).unwrap_err(), why);
        }
    }

    #[test]
    fn the_ending_says_the_format() {
        let formats = ["a.json", "a.ndjson", "a.jsonl", "a.CSV", "a.txt", "a"].map(|name| Format::of(Path::new(name)));
        assert_eq!(formats, [Format::Json, Format::Jsonl, Format::Jsonl, Format::Csv, Format::Text, Format::Json]);
    }
}
