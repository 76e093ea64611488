//! A user's folder, and the program run in it.

use std::{
    fs,
    io::{Read, Write},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use tempfile::TempDir;

use crate::program;

/// A run that takes longer hangs.
const HANGS_AFTER: Duration = Duration::from_secs(120);

/// An empty folder that is deleted in the end.
pub struct Folder(TempDir);

impl Folder {
    /// A new one.
    #[expect(clippy::new_without_default, reason = "it is a folder on the disk, and no default of anything")]
    pub fn new() -> Self {
        Self(tempfile::Builder::new().prefix("ghost-test-").tempdir().expect("a folder for the test"))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file into it.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::write(&path, content).expect("a file for the test");
        path
    }

    /// `ghost` with these arguments, in this folder.
    pub fn ghost<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Run {
        let mut command = Command::new(program::binary());
        command.args(arguments);
        self.command(command)
    }

    /// Runs `source` as `script.js`, with these flags.
    pub fn script<'a>(&self, flags: impl IntoIterator<Item = &'a str>, source: &str) -> Run {
        self.write("script.js", source);
        self.ghost(["run"].into_iter().chain(flags).chain(["script.js"]))
    }

    /// Another program, in this folder and with as little around it as `ghost` gets.
    pub fn command(&self, mut command: Command) -> Run {
        command.current_dir(self.path()).env_clear().env("HOME", self.path());
        for name in ["PATH", "LD_LIBRARY_PATH"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        Run { command, stdin: Vec::new() }
    }
}

/// A program that is about to run.
pub struct Run {
    command: Command,
    stdin: Vec<u8>,
}

impl Run {
    /// What it reads on standard input; nothing by itself.
    #[must_use]
    pub fn stdin(mut self, text: impl Into<Vec<u8>>) -> Self {
        self.stdin = text.into();
        self
    }

    /// A variable of its environment, which is empty by itself.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Starts it.
    pub fn start(mut self) -> Running {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let started = Instant::now();
        let mut child = self.command.spawn().expect("the program starts");
        let mut stdin = child.stdin.take().expect("it was asked for");
        thread::spawn(move || {
            // A program that fails early need not read all of it.
            let _ = stdin.write_all(&self.stdin);
        });
        let stdout = collect(child.stdout.take().expect("it was asked for"));
        let stderr = collect(child.stderr.take().expect("it was asked for"));
        Running { child, stdout, stderr, started }
    }

    /// Runs it to its end.
    pub fn finish(self) -> Finished {
        self.start().finish()
    }
}

fn collect(mut pipe: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).expect("a pipe can be read");
        bytes
    })
}

/// A program that runs.
pub struct Running {
    child: Child,
    stdout: JoinHandle<Vec<u8>>,
    stderr: JoinHandle<Vec<u8>>,
    started: Instant,
}

impl Running {
    /// Sends it a signal.
    pub fn signal(&self, signal: libc::c_int) {
        let sent = Command::new("kill").arg(format!("-{signal}")).arg(self.child.id().to_string()).status();
        assert!(sent.expect("kill runs").success());
    }

    /// Waits for its end.
    pub fn finish(mut self) -> Finished {
        let status = self.wait();
        let text = |bytes: JoinHandle<Vec<u8>>| {
            String::from_utf8(bytes.join().expect("the pipe was read")).expect("the program writes UTF-8")
        };
        Finished { status, stdout: text(self.stdout), stderr: text(self.stderr), time: self.started.elapsed() }
    }

    fn wait(&mut self) -> ExitStatus {
        loop {
            if let Some(status) = self.child.try_wait().expect("a child can be waited for") {
                return status;
            }
            if self.started.elapsed() > HANGS_AFTER {
                self.child.kill().expect("a child can be killed");
                panic!("the program did not end within {HANGS_AFTER:?}");
            }
            thread::sleep(Duration::from_millis(2));
        }
    }
}

/// A program that has ended.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub status: ExitStatus,
    /// What it wrote on standard output.
    pub stdout: String,
    /// What it wrote on standard error.
    pub stderr: String,
    /// From its start to its end.
    pub time: Duration,
}

impl Finished {
    /// Fails unless this was its exit status.
    #[track_caller]
    pub fn exits(self, status: i32) -> Self {
        assert_eq!(self.status.code(), Some(status), "{self}");
        self
    }

    /// Fails unless this is all that it wrote on standard output.
    #[track_caller]
    pub fn prints(self, stdout: &str) -> Self {
        assert_eq!(self.stdout, stdout, "{self}");
        self
    }

    /// Fails unless standard error has this text.
    #[track_caller]
    pub fn says(self, text: &str) -> Self {
        assert!(self.stderr.contains(text), "{text:?} was not said\n{self}");
        self
    }

    /// Fails if standard error has this text.
    #[track_caller]
    pub fn never_says(self, text: &str) -> Self {
        assert!(!self.stderr.contains(text), "{text:?} was said\n{self}");
        self
    }
}

impl std::fmt::Display for Finished {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{} after {:?}", self.status, self.time)?;
        for (name, text) in [("standard output", &self.stdout), ("standard error", &self.stderr)] {
            writeln!(f, "--- {name}")?;
            for line in text.lines().take(60) {
                let shown: String = line.chars().take(300).collect();
                writeln!(f, "{shown}{}", if shown.len() < line.len() { "…" } else { "" })?;
            }
        }
        Ok(())
    }
}
