//! The file of `--log`: one line of JSON for each run, without the data of the script.

use std::{
    fs::{File, OpenOptions},
    io::Write,
    os::unix::fs::OpenOptionsExt,
    path::Path,
    sync::{Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use ghost::{Figures, queue::iso};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{
    result::{Cost, Report},
    runs::End,
};
use crate::cli::{input::reason, report};

/// A file to which entries are appended.
pub(super) struct Log(Mutex<File>);

/// An entry about a run.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry {
    /// When it was asked for.
    time: String,
    source_sha256: String,
    /// `ok`, `truncated`, or the code of the error.
    outcome: String,
    #[serde(flatten)]
    cost: Option<Cost>,
}

impl Log {
    /// Opens the file, which is created for this user only.
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path);
        let file = file.map_err(|error| format!("--log {}: {}", path.display(), reason(&error)))?;
        Ok(Self(Mutex::new(file)))
    }

    /// Appends an entry, as one write. A failure is reported on standard error; the run has ended already.
    pub(super) fn write(&self, entry: &Entry) {
        let written = serde_json::to_vec(entry).map_err(Into::into).and_then(|mut line| {
            line.push(b'\n');
            self.0.lock().unwrap_or_else(PoisonError::into_inner).write_all(&line)
        });
        if let Err(error) = written {
            report::error(&format!("the log can't be written: {}", reason(&error)));
        }
    }
}

impl Entry {
    pub(super) fn of(source: &str) -> Self {
        let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let time = iso(u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX));
        let source_sha256 = format!("{:x}", Sha256::digest(source));
        Self { time, source_sha256, outcome: String::new(), cost: None }
    }

    /// Records how the run ended.
    pub(super) fn end(&mut self, end: &End, time: Duration) {
        let without = || Cost::from(Figures { time, ..Figures::default() });
        (self.outcome, self.cost) = match end {
            End::Ran(outcome) => {
                let ended = match &outcome.result {
                    Ok(_) if outcome.truncated => "truncated".into(),
                    Ok(_) => "ok".into(),
                    Err(failure) => Report::from(failure.clone()).code,
                };
                (ended, Some(outcome.figures.into()))
            }
            End::NotCompiled(failure) => (Report::not_compiled(failure.clone()).code, Some(without())),
            End::Stopped(stopped) => (stopped.code().into(), Some(without())),
        };
    }
}
