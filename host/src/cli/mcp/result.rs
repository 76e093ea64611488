//! The result of a run, as a client gets it.

use std::time::Duration;

use ghost::{ConsoleLine, Exception, Failure, Figures, Level, Outcome};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::cli::report::place;

/// The most stack frames of an error.
const MAX_FRAMES: usize = 10;

/// The result of a run. `truncated` comes first, because a client may cut the text at its end.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RunResult {
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Box<RawValue>>,
    /// The beginning of the JSON of a value that is too large.
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<String>,
    /// The characters of the JSON of the whole value.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    console: Vec<Line>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Report>,
    #[serde(skip_serializing_if = "Option::is_none")]
    figures: Option<Cost>,
}

#[derive(Serialize)]
struct Line {
    level: &'static str,
    text: String,
}

/// What a run has cost.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Cost {
    time_ms: f64,
    peak_memory_bytes: u64,
    host_calls: u64,
    commits: u64,
}

/// An error, with what to do about it.
#[derive(Serialize)]
pub(super) struct Report {
    pub(super) code: String,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<Position>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stack: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

#[derive(Serialize)]
struct Position {
    file: String,
    line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
}

/// A result that the host has cut.
#[derive(Deserialize)]
struct Cut {
    size: usize,
    preview: String,
}

impl RunResult {
    /// A run that did not start.
    pub(super) fn refused(error: Report) -> Self {
        Self { error: Some(error), ..Self::default() }
    }

    /// Whether the client is to be told that the tool failed.
    pub(super) fn is_error(&self) -> bool {
        self.error.is_some()
    }
}

impl From<Outcome> for RunResult {
    fn from(outcome: Outcome) -> Self {
        let mut result = Self {
            console: outcome.console.into_iter().map(Line::from).collect(),
            notices: outcome.notices,
            figures: Some(outcome.figures.into()),
            ..Self::default()
        };
        match outcome.result {
            Ok(Some(json)) if outcome.truncated => match serde_json::from_str::<Cut>(&json) {
                Ok(cut) => {
                    (result.truncated, result.size, result.preview) = (Some(true), Some(cut.size), Some(cut.preview));
                }
                Err(error) => result.error = Some(Report::internal(&error.to_string())),
            },
            Ok(json) => {
                result.size = json.as_ref().map(|json| json.chars().count());
                // The host has validated it.
                result.value = json.and_then(|json| RawValue::from_string(json).ok());
            }
            Err(failure) => result.error = Some(failure.into()),
        }
        result
    }
}

impl From<ConsoleLine> for Line {
    fn from(ConsoleLine { level, text }: ConsoleLine) -> Self {
        let level = match level {
            Level::Debug => "debug",
            Level::Info => "info",
            Level::Warn => "warn",
            Level::Error => "error",
        };
        Self { level, text }
    }
}

impl From<Figures> for Cost {
    fn from(figures: Figures) -> Self {
        Self {
            time_ms: millis(figures.time),
            peak_memory_bytes: figures.peak_memory,
            host_calls: figures.host_calls,
            commits: figures.commits,
        }
    }
}

fn millis(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

impl Report {
    /// An error without a position.
    pub(super) fn of(code: &str, message: impl Into<String>) -> Self {
        let hint = hint(code).map(Into::into);
        let (message, stack) = (message.into(), Vec::new());
        Self { code: code.into(), message, name: None, position: None, stack, details: None, hint }
    }

    /// An error of an argument of a tool.
    pub(super) fn argument(message: impl Into<String>) -> Self {
        Self { hint: None, ..Self::of("INVALID_ARGUMENT", message) }
    }

    pub(super) fn internal(message: &str) -> Self {
        tracing::error!("{message}");
        Self::of("INTERNAL", "internal error")
    }

    /// The error of a script that could not be compiled.
    pub(super) fn not_compiled(failure: Failure) -> Self {
        let report = Self::from(failure);
        match report.code.as_str() {
            "EXCEPTION" => Self { code: "NOT_COMPILED".into(), hint: hint("NOT_COMPILED").map(Into::into), ..report },
            _ => report,
        }
    }
}

impl From<Failure> for Report {
    fn from(failure: Failure) -> Self {
        let code = match failure {
            Failure::Exception(exception) => return (*exception).into(),
            Failure::Stalled => "STALLED",
            Failure::Time { .. } => "TIME_LIMIT",
            Failure::Memory { .. } | Failure::Compiler { .. } | Failure::WasmTables { .. } => "MEMORY_LIMIT",
            Failure::ResultSize { .. } => "RESULT_SIZE",
            Failure::Storage { .. } => "STORAGE",
            Failure::NotStarted(_) => "NOT_STARTED",
            Failure::Internal { .. } => "INTERNAL",
            _ => "TRAP",
        };
        Self::of(code, failure.to_string())
    }
}

impl From<Exception> for Report {
    fn from(exception: Exception) -> Self {
        let code = exception.code.unwrap_or_else(|| "EXCEPTION".into());
        let at = exception.stack.first();
        let position = at.map(|at| Position { file: at.file.clone(), line: at.line, column: at.column });
        let stack = exception.stack.iter().take(MAX_FRAMES).map(place).collect();
        let details = exception.details.and_then(|details| RawValue::from_string(details).ok());
        Self { position, stack, details, name: exception.name, ..Self::of(&code, exception.message) }
    }
}

/// What to do about an error.
fn hint(code: &str) -> Option<&'static str> {
    Some(match code {
        "NOT_COMPILED" => {
            "a script is one ES module without imports that exports main: export function main(input) { … }"
        }
        "NOT_STARTED" => "export a function main: export function main(input) { … }",
        "INVALID_ARGUMENT" => "describe_api shows the methods of a namespace and the types of their arguments",
        "BLOCKED" => {
            "g.store, g.queue and g.search remain; for external systems, ask the user to save the script and to run it with \
             ghost run; for writes in a read-only server, ask the user to start it without --read-only"
        }
        "NO_WORKSPACE" => {
            "ask the user to create a workspace in the project's folder (ghost init), and to start the server there or with \
             --workspace, and without --no-workspace"
        }
        "QUERY_SYNTAX" => {
            "a backslash escapes a special character; the resource ghost://query-language.md describes the syntax"
        }
        "LIMIT" => "the message contains the limit: ask for less, or work in several runs",
        "STALLED" => "main waits for a promise that nothing settles: check that each promise is resolved",
        "TIME_LIMIT" => "work in pages, and in several runs; a queue (g.queue) can keep what remains to be done",
        "MEMORY_LIMIT" => "read in pages: g.store.all and the options limit and offset",
        "BUSY" => "another process has the workspace, or too many runs are waiting: try again",
        _ => return None,
    })
}
