//! `ghost store import`.

use std::{
    borrow::Cow,
    collections::HashMap,
    fs::{self, File},
    io::{self, BufRead, BufReader, Read},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::UNIX_EPOCH,
};

use clap::Args;
use ghost::{
    store::{Documents, Times},
    workspace::Workspace,
};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::cli::{
    Exit,
    input::{json_reason, reason},
    interrupt::{self, Input},
    json,
    problem::Problem,
    progress::Progress,
    report,
    table::counted,
};

/// The maximum length of a line, which is more than the largest document with its names.
const LINE_BYTES: u64 = 17 << 20;

#[derive(Args)]
pub(super) struct Import {
    /// The collection for all documents [default: each line names its collection]
    // A single argument is the file; clap can't decide that.
    #[arg(value_name = "COLLECTION")]
    collection_or_file: Option<String>,
    /// The file with the JSON Lines, or `-` for standard input [default: -]
    #[arg(value_name = "FILE")]
    file: Option<String>,
    /// The member that is the key of each document, a string or a number; each line is then the data of a document
    #[arg(long, value_name = "MEMBER")]
    key: Option<String>,
}

/// A line in the format of export.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Line<'a> {
    collection: Option<String>,
    key: String,
    #[serde(borrow)]
    data: &'a RawValue,
    created_at: Option<String>,
    updated_at: Option<String>,
}

/// The document of a line.
struct Record<'a> {
    collection: Cow<'a, str>,
    key: String,
    data: &'a str,
    times: Times,
}

impl Import {
    fn collection(&self) -> Option<&str> {
        self.file.as_ref().and(self.collection_or_file.as_deref())
    }

    fn source(&self) -> &str {
        self.file.as_ref().or(self.collection_or_file.as_ref()).map_or("-", String::as_str)
    }

    /// Checks the arguments before a workspace is created.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.key.is_some() && self.collection().is_none() {
            return Err(
                "--key requires a collection, and then a file or -: ghost store import --key MEMBER COLLECTION FILE"
                    .into(),
            );
        }
        let source = self.source();
        match fs::metadata(source) {
            _ if source == "-" => Ok(()),
            Ok(file) if file.is_dir() => Err(format!("{source} is a folder")),
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.collection().is_none() => Err(format!(
                "{source}: the file does not exist; to import standard input into the collection {source}: ghost store import {source} -"
            )),
            Err(error) => Err(format!("{source}: {}", reason(&error))),
        }
    }

    pub(super) fn run(&self, workspace: &Workspace) -> Result<Exit, Problem> {
        let stop = interrupt::flag()?;
        workspace.interrupt_when(Arc::clone(&stop));
        let (input, length) = self.open(&stop)?;
        let mut documents = Documents::of(workspace);
        let read = self.read(input, length, &mut documents);
        let saved = documents.save().map_err(Problem::from);
        let stored = documents.saved();
        let imported = format!("{} {} imported", counted(stored, "document"), if stored == 1 { "was" } else { "were" });
        let with_count = |problem: Problem| Problem { message: format!("{}; {imported}", problem.message), ..problem };
        saved.map_err(with_count)?;
        if stop.load(Ordering::Acquire) {
            return Err(Problem { exit: Exit::Interrupted, message: format!("interrupted; {imported}") });
        }
        read.map_err(with_count)?;
        report::note(&imported);
        Ok(Exit::Success)
    }

    /// Opens the input. Returns its length in bytes if it is known.
    fn open(&self, stop: &Arc<AtomicBool>) -> Result<(impl BufRead + use<>, Option<u64>), String> {
        let source = self.source();
        let unreadable = |error: io::Error| format!("{source}: {}", reason(&error));
        if source == "-" {
            let input = Input::of(|| Ok(io::stdin()), stop).map_err(unreadable)?;
            return Ok((BufReader::new(input), None));
        }
        let path = PathBuf::from(source);
        let metadata = fs::metadata(&path).map_err(unreadable)?;
        if !metadata.is_file() {
            let input = Input::of(|| File::open(path), stop).map_err(unreadable)?;
            return Ok((BufReader::new(input), None));
        }
        let file = File::open(path).map_err(unreadable)?;
        Ok((BufReader::new(Input::of(|| Ok(file), stop).map_err(unreadable)?), Some(metadata.len())))
    }

    /// Stores the documents of all lines, up to the first error.
    fn read(&self, mut input: impl BufRead, length: Option<u64>, documents: &mut Documents) -> Result<(), Problem> {
        let template = match length {
            Some(_) => "[{wide_bar}] {bytes} of {total_bytes}, {eta} left",
            None => "{spinner} {bytes} imported, {bytes_per_sec}",
        };
        let (mut progress, mut line) = (Progress::new(length, template), Vec::new());
        for number in 1_u64.. {
            line.clear();
            let read = match (&mut input).take(LINE_BYTES + 1).read_until(b'\n', &mut line) {
                Ok(0) => break,
                Ok(read) => read as u64,
                Err(error) => return Err(Problem::failed(format!("{}: {}", self.source(), reason(&error)))),
            };
            self.store(&line, number, documents)
                .map_err(|problem| Problem::failed(format!("{}: line {number}: {}", self.name(), problem.message)))?;
            progress.advance(read);
        }
        Ok(())
    }

    fn name(&self) -> &str {
        if self.source() == "-" { "standard input" } else { self.source() }
    }

    fn store(&self, line: &[u8], number: u64, documents: &mut Documents) -> Result<(), Problem> {
        if line.len() as u64 > LINE_BYTES {
            return Err(Problem::failed(format!("the line is longer than {} MiB", LINE_BYTES >> 20)));
        }
        let text = str::from_utf8(line).map_err(|error| {
            Problem::failed(format!("not UTF-8: byte {} of the line is invalid", error.valid_up_to()))
        })?;
        let text = if number == 1 { text.strip_prefix('\u{feff}').unwrap_or(text) } else { text }.trim();
        if text.is_empty() {
            return Ok(());
        }
        let record = match &self.key {
            Some(member) => self.bare(text, member)?,
            None => self.exported(text)?,
        };
        documents.put_at(&record.collection, &record.key, &json::compact(record.data), record.times)?;
        Ok(())
    }

    /// Reads a line that is the data of a document.
    fn bare<'a>(&'a self, text: &'a str, member: &str) -> Result<Record<'a>, String> {
        let key = match member_of(text, member)? {
            Some(Value::String(key)) => key,
            Some(Value::Number(number)) => number.to_string(),
            Some(_) => return Err(format!("the member {member:?} is neither a string nor a number")),
            None => return Err(format!("there is no member {member:?}")),
        };
        let collection = self.collection().ok_or("--key requires a collection")?;
        Ok(Record { collection: collection.into(), key, data: text, times: Times::default() })
    }

    /// Reads a line in the format of export.
    fn exported<'a>(&'a self, text: &'a str) -> Result<Record<'a>, String> {
        let line: Line<'_> = serde_json::from_str(text).map_err(|error| {
            let hint =
                if error.is_data() { "; for lines that are only data, use --key MEMBER and a collection" } else { "" };
            format!("{}{hint}", json_reason(&error))
        })?;
        let collection = match (self.collection(), line.collection) {
            (Some(collection), _) => collection.into(),
            (None, Some(collection)) => collection.into(),
            (None, None) => {
                return Err(
                    "the line names no collection; to name one for all lines: ghost store import COLLECTION FILE"
                        .into(),
                );
            }
        };
        let times = Times {
            created: line.created_at.as_deref().map(|time| milliseconds("createdAt", time)).transpose()?,
            updated: line.updated_at.as_deref().map(|time| milliseconds("updatedAt", time)).transpose()?,
        };
        Ok(Record { collection, key: line.key, data: line.data.get(), times })
    }
}

/// Returns a member of an object, if it exists; null stands for an array or an object. Only this member is parsed, so the
/// depth of the others is not limited by the parser.
fn member_of(text: &str, member: &str) -> Result<Option<Value>, String> {
    let members: HashMap<String, &RawValue> = match serde_json::from_str(text) {
        Ok(members) => members,
        Err(error) if error.is_data() => return Ok(None),
        Err(error) => return Err(json_reason(&error)),
    };
    let value = members.get(member).map(|value| value.get());
    Ok(value.map(|value| if value.starts_with(['[', '{']) { Value::Null } else { value.parse().unwrap_or_default() }))
}

/// Parses a time, as milliseconds since 1970.
fn milliseconds(name: &str, text: &str) -> Result<u64, String> {
    let time = humantime::parse_rfc3339(text).ok();
    let since = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since
        .and_then(|since| u64::try_from(since.as_millis()).ok())
        .ok_or_else(|| format!("{name} is {text:?}; the format is 2026-01-31T12:00:00.000Z, from 1970 on"))
}
