//! `ghost store export`.

use std::{
    io::{self, BufWriter, IsTerminal, Write},
    sync::atomic::{AtomicBool, Ordering},
};

use ghost::store::{Document, Documents};

use super::{known, show};
use crate::cli::{Exit, progress::Progress, terminal::harmless_json, trouble::Trouble, unwritable};

const BUFFER_BYTES: usize = 64 << 10;

/// Prints documents one a line. A reader that has gone ends it; so does the flag, after a whole line.
pub(super) fn run(documents: &mut Documents, only: Option<&str>, stop: &AtomicBool) -> Result<Exit, Trouble> {
    if let Some(collection) = only {
        known(documents, collection)?;
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
            Err(error) => return Err(Trouble::failed(unwritable(&error))),
        }
        collection = if only.is_some() || lines.are_stopped() { None } else { documents.next_collection(&name)? };
    }
    Ok(Exit::Success)
}

struct Lines<'a> {
    out: BufWriter<io::StdoutLock<'static>>,
    /// On the terminal that shows the documents it would stand in the midst of them.
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

    /// An error of the workspace, or of standard output.
    fn write_collection(&mut self, documents: &mut Documents, name: &str) -> Result<io::Result<()>, Trouble> {
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
            writeln!(self.out, "{}", if self.is_terminal { harmless_json(&line) } else { line.into() })?;
        }
        if let Some(progress) = &mut self.progress {
            progress.advance(documents.len() as u64);
        }
        Ok(())
    }
}
