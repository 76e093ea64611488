//! `ghost store export`.

use std::{
    io::{self, BufWriter, IsTerminal, Write},
    sync::atomic::{AtomicBool, Ordering},
};

use ghost::store::{Document, Documents};

use super::{existing_count, show};
use crate::cli::{Exit, problem::Problem, progress::Progress, terminal::escape_json, unwritable};

const BUFFER_BYTES: usize = 64 << 10;

/// Prints one document per line. A closed pipe ends the export, and so does the flag, after a complete line.
pub(super) fn run(documents: &mut Documents, only: Option<&str>, stop: &AtomicBool) -> Result<Exit, Problem> {
    if let Some(collection) = only {
        existing_count(documents, collection)?;
    }
    let mut lines = Lines::new(stop);
    let mut collection = match only {
        Some(only) => Some(only.to_owned()),
        None => documents.next_collection("")?,
    };
    while let Some(name) = collection {
        let written = lines.write_collection(documents, &name)?;
        match written.and_then(|()| lines.out.flush()) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(Exit::Success),
            Err(error) => return Err(Problem::failed(unwritable(&error))),
        }
        collection = if only.is_some() || lines.are_stopped() { None } else { documents.next_collection(&name)? };
    }
    Ok(Exit::Success)
}

struct Lines<'a> {
    out: BufWriter<io::StdoutLock<'static>>,
    /// None on a terminal that shows the documents.
    progress: Option<Progress>,
    is_terminal: bool,
    stop: &'a AtomicBool,
}

impl<'a> Lines<'a> {
    fn new(stop: &'a AtomicBool) -> Self {
        let is_terminal = io::stdout().is_terminal();
        let progress = || Progress::new(None, "{spinner} exported {human_pos} documents, {per_sec}");
        Self {
            out: BufWriter::with_capacity(BUFFER_BYTES, io::stdout().lock()),
            progress: (!is_terminal).then(progress),
            is_terminal,
            stop,
        }
    }

    fn are_stopped(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    /// Writes the documents of a collection. The outer error is one of the workspace, the inner one of standard output.
    fn write_collection(&mut self, documents: &mut Documents, name: &str) -> Result<io::Result<()>, Problem> {
        let mut after = String::new();
        loop {
            let step = documents.step(name, &after)?;
            if let Err(error) = self.write(name, &step) {
                return Ok(Err(error));
            }
            match step.into_iter().next_back() {
                Some(last) if !self.are_stopped() => after = last.key,
                _ => return Ok(Ok(())),
            }
        }
    }

    fn write(&mut self, collection: &str, documents: &[Document]) -> io::Result<()> {
        for document in documents {
            if self.are_stopped() {
                return Ok(());
            }
            let line = show::line(collection, document);
            writeln!(self.out, "{}", if self.is_terminal { escape_json(&line) } else { line.into() })?;
        }
        if let Some(progress) = &mut self.progress {
            progress.advance(documents.len() as u64);
        }
        Ok(())
    }
}
