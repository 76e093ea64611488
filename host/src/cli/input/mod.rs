//! `--input`: reads one value from the command line, a file or standard input, as JSON.

mod csv;
mod json;
#[cfg(test)]
mod tests;

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use clap::ValueEnum;
use serde::de::IgnoredAny;

use json::Json;

/// The maximum size of a script or an input, in bytes.
const READ_BYTES: u64 = 256 << 20;

/// The limit on the bytes that are read, and on the JSON that they are converted to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound {
    bytes: u64,
    /// How to raise the limit.
    advice: &'static str,
}

impl Bound {
    /// The limit outside of a run.
    pub(crate) const MAX: Self = Self { bytes: READ_BYTES, advice: "" };

    /// The limit for a component.
    pub(crate) const COMPONENT: Self = Self { bytes: ghost::compilation::MAX_COMPONENT_BYTES as u64, advice: "" };

    /// The limit for a script or its input: half of the memory, since both text and values are in memory for a while.
    pub(crate) fn of_run(memory: u64) -> Self {
        match memory / 2 {
            half if half < READ_BYTES => {
                Self { bytes: half, advice: ", which is half of the run's memory (--max-memory)" }
            }
            _ => Self::MAX,
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

/// The format of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// One JSON value
    Json,
    /// One JSON value per line, read as an array (alias ndjson)
    #[value(alias = "ndjson")]
    Jsonl,
    /// A header line and rows, read as an array of objects of strings
    Csv,
    /// One string
    Text,
}

impl Format {
    /// Returns the format for the extension of a file; JSON for an unknown one.
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

/// The source of an input.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Source<'a> {
    Inline(&'a str),
    File(&'a Path),
    Standard,
}

impl<'a> Source<'a> {
    /// Parses an argument: `-` is standard input, `@file` a file, anything else the value itself.
    pub(crate) fn of(input: &'a str) -> Self {
        match input {
            "-" => Self::Standard,
            _ => input.strip_prefix('@').map_or(Self::Inline(input), |file| Self::File(Path::new(file))),
        }
    }
}

/// Reads an input and returns it as JSON. Errors contain the position.
pub(crate) fn read(source: &Source<'_>, format: Option<Format>, bound: Bound) -> Result<String, String> {
    let (text, read_as) = match source {
        Source::Inline(text) => ((*text).to_owned(), format.unwrap_or(Format::Json)),
        Source::File(path) => (read_file(path, bound)?, format.unwrap_or_else(|| Format::of(path))),
        Source::Standard => (read_standard(bound)?, format.unwrap_or(Format::Json)),
    };
    to_json(without_bom(text), read_as, bound).map_err(|why| match source {
        Source::File(path) => format!("--input @{}: {why}", path.display()),
        Source::Standard if format.is_none() => {
            format!("--input: {why}; for other formats: --input-format jsonl, csv or text")
        }
        Source::Inline(_) | Source::Standard => format!("--input: {why}{}", file_advice(source)),
    })
}

/// Removes a byte order mark.
fn without_bom(mut text: String) -> String {
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    text
}

/// Returns advice for a user who gave the name of a file instead of a value.
fn file_advice(source: &Source<'_>) -> String {
    match source {
        Source::Inline(text) if Path::new(text).is_file() => format!("; to read the file: @{text}"),
        _ => String::new(),
    }
}

/// Reads one JSON value, as text.
pub(crate) fn json_of(source: &Source<'_>) -> Result<String, String> {
    let (name, text) = match source {
        Source::Inline(text) => ("the value".into(), (*text).to_owned()),
        Source::File(path) => (path.display().to_string(), read_file(path, Bound::MAX)?),
        Source::Standard => ("standard input".into(), read_standard(Bound::MAX)?),
    };
    checked(without_bom(text)).map_err(|why| format!("{name} is {why}{}", file_advice(source)))
}

/// Describes an error in a line of JSON, with the column.
pub(crate) fn json_reason(error: &serde_json::Error) -> String {
    let what = describe(error);
    if error.is_data() { what } else { format!("not JSON: {what} at column {}", error.column()) }
}

/// Describes an error in JSON, without the position.
fn describe(error: &serde_json::Error) -> String {
    if error.is_eof() {
        return "unexpected end".into();
    }
    error.to_string().split(" at line").next().unwrap_or_default().into()
}

/// Reads a file as text.
pub(crate) fn read_file(path: &Path, bound: Bound) -> Result<String, String> {
    text_of(read_bytes(path, bound)?, &path.display().to_string())
}

/// Reads a file.
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

/// Reads standard input as text.
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
    String::from_utf8(bytes)
        .map_err(|error| format!("{name} is not UTF-8: byte {} is invalid", error.utf8_error().valid_up_to()))
}

/// Describes an I/O error in plain words.
pub(crate) fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "the file does not exist".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::IsADirectory => "it is a folder".into(),
        io::ErrorKind::NotADirectory => "a part of the path is a file, not a folder".into(),
        io::ErrorKind::AlreadyExists => "it already exists".into(),
        io::ErrorKind::StorageFull => "the disk is full".into(),
        // Without the number of the error.
        _ => error.to_string().split(" (os error").next().unwrap_or_default().to_lowercase(),
    }
}

fn to_json(text: String, format: Format, bound: Bound) -> Result<String, String> {
    if format == Format::Json {
        return checked(text);
    }
    let mut json = Json::new(bound);
    match format {
        Format::Jsonl => lines(&text, &mut json)?,
        Format::Csv => csv::rows(&text, &mut json)?,
        Format::Text | Format::Json => json.string(&text)?,
    }
    Ok(json.text)
}

/// Returns the text if it is one JSON value. Numbers are not converted.
fn checked(mut text: String) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("not JSON: the text is empty".into());
    }
    match serde_json::from_str::<IgnoredAny>(&text) {
        Ok(IgnoredAny) => {
            text.truncate(text.trim_end().len());
            let start = text.len() - text.trim_start().len();
            text.drain(..start);
            Ok(text)
        }
        Err(error) => Err(format!("not JSON: {} at line {} column {}", describe(&error), error.line(), error.column())),
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

/// Returns a text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
