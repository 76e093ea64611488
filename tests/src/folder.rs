//! A user's folder, and the program run in it.

use std::{
    fs,
    io::{Read, Write},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::{Arc, Mutex, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use tempfile::TempDir;

use crate::{machine, program};

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

    /// `ghost` with these arguments of a shell, on a terminal without colours that `script` of util-linux makes, set up by this
    /// argument of `stty`. Standard output is what the terminal shows.
    pub fn on_a_terminal(&self, setting: &str, arguments: &str) -> Run {
        let mut terminal = Command::new("script");
        let command = format!("stty {setting}; '{}' {arguments}", program::binary().display());
        terminal.args(["-qec", &command, "/dev/null"]);
        self.command(terminal).env("TERM", "xterm").env("NO_COLOR", "1")
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
    /// Its standard input; empty by default.
    #[must_use]
    pub fn stdin(mut self, text: impl Into<Vec<u8>>) -> Self {
        self.stdin = text.into();
        self
    }

    /// A variable of its environment, which is empty by default.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Starts it.
    pub fn start(mut self) -> Running {
        let text = std::mem::take(&mut self.stdin);
        let mut running = self.start_open();
        let mut stdin = running.child.stdin.take().expect("it was left open");
        thread::spawn(move || {
            // A program that fails early need not read all of it.
            let _ = stdin.write_all(&text);
        });
        running
    }

    /// Starts it with its standard input left open, so that a test can type later.
    pub fn start_open(mut self) -> Running {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let started = Instant::now();
        let mut child = self.command.spawn().expect("the program starts");
        let stdout = Output::of(child.stdout.take().expect("it was asked for"));
        let stderr = Output::of(child.stderr.take().expect("it was asked for"));
        Running { child, stdout, stderr, started, peak_memory: 0, cpu_time: Duration::ZERO }
    }

    /// Runs it to its end.
    pub fn finish(self) -> Finished {
        self.start().finish()
    }
}

/// The output of a program so far.
struct Output {
    bytes: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
}

impl Output {
    fn of(mut pipe: impl Read + Send + 'static) -> Self {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let read = Arc::clone(&bytes);
        let reader = thread::spawn(move || {
            let mut chunk = [0; 1 << 16];
            loop {
                match pipe.read(&mut chunk).expect("a pipe can be read") {
                    0 => return,
                    length => read.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&chunk[..length]),
                }
            }
        });
        Self { bytes, reader }
    }

    fn so_far(&self) -> String {
        String::from_utf8_lossy(&self.bytes.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }

    fn whole(self) -> String {
        self.reader.join().expect("the pipe was read");
        let bytes = std::mem::take(&mut *self.bytes.lock().unwrap_or_else(PoisonError::into_inner));
        String::from_utf8(bytes).expect("the program writes UTF-8")
    }
}

/// A program that runs.
pub struct Running {
    child: Child,
    stdout: Output,
    stderr: Output,
    started: Instant,
    peak_memory: u64,
    cpu_time: Duration,
}

impl Running {
    /// Sends it a signal.
    pub fn signal(&self, signal: libc::c_int) {
        let sent = Command::new("kill").arg(format!("-{signal}")).arg(self.child.id().to_string()).status();
        assert!(sent.expect("kill runs").success());
    }

    /// Writes to its standard input, which [`Run::start_open`] left open.
    pub fn types(&mut self, keys: &str) {
        let stdin = self.child.stdin.as_mut().expect("it was left open");
        stdin.write_all(keys.as_bytes()).expect("the program reads");
    }

    /// Whether it has not ended yet.
    pub fn is_alive(&self) -> bool {
        let state = fs::read_to_string(format!("/proc/{}/stat", self.id())).unwrap_or_default();
        // The state follows the name, which is in brackets. A process that ended keeps its entry until it is waited for.
        !state.rsplit(')').next().unwrap_or(" Z").starts_with(" Z") && !state.is_empty()
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Stops it where it is, until `SIGCONT`.
    pub fn stop(&self) {
        self.signal(libc::SIGSTOP);
        let state = format!("/proc/{}/stat", self.id());
        // The state follows the name, which is in brackets.
        while !fs::read_to_string(&state).expect("it runs").rsplit(')').next().unwrap_or_default().starts_with(" T") {
            self.fail_if_it_hangs();
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Waits until it has written a text on standard error.
    #[track_caller]
    pub fn until_it_says(&mut self, text: &str) {
        while !self.stderr.so_far().contains(text) {
            let ended = self.child.try_wait().expect("a child can be waited for").is_some();
            assert!(!ended, "it ended and never said {text:?}\n{}", self.stderr.so_far());
            self.fail_if_it_hangs();
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Waits until its standard output so far has this property.
    #[track_caller]
    pub fn until_its_output(&mut self, has: impl Fn(&str) -> bool) {
        while !has(&self.stdout.so_far()) {
            let ended = self.child.try_wait().expect("a child can be waited for").is_some();
            assert!(!ended, "it ended before\n{}\n{}", self.stdout.so_far(), self.stderr.so_far());
            self.fail_if_it_hangs();
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Waits for its end.
    pub fn finish(mut self) -> Finished {
        let status = self.wait();
        let time = self.started.elapsed();
        Finished {
            status,
            time,
            stdout: self.stdout.whole(),
            stderr: self.stderr.whole(),
            peak_memory: self.peak_memory,
            cpu_time: self.cpu_time,
        }
    }

    fn wait(&mut self) -> ExitStatus {
        loop {
            if let Some(status) = self.child.try_wait().expect("a child can be waited for") {
                return status;
            }
            self.fail_if_it_hangs();
            self.peak_memory = self.peak_memory.max(peak_memory(self.id()));
            self.cpu_time = self.cpu_time.max(machine::cpu_time(self.id()).unwrap_or_default());
            thread::sleep(Duration::from_millis(2));
        }
    }

    fn fail_if_it_hangs(&self) {
        if self.started.elapsed() > HANGS_AFTER {
            self.signal(libc::SIGKILL);
            panic!("the program hangs: {HANGS_AFTER:?} are over\n{}", self.stderr.so_far());
        }
    }
}

/// The most memory that a child had so far, in bytes.
///
/// A child that was just started may still have the memory of the test program, which does not count.
fn peak_memory(process: u32) -> u64 {
    let program = |process: &str| fs::read_link(format!("/proc/{process}/exe")).ok();
    if program(&process.to_string()) == program("self") {
        return 0;
    }
    machine::peak_memory(process).unwrap_or_default()
}

/// A program that has ended.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// From its start to its end.
    pub time: Duration,
    /// The most memory that it held in RAM, in bytes, as it was seen every few milliseconds.
    pub peak_memory: u64,
    /// How long its threads ran on a processor, as it was seen every few milliseconds.
    pub cpu_time: Duration,
}

impl Finished {
    /// Fails unless this was its exit status.
    #[track_caller]
    pub fn exits(self, status: i32) -> Self {
        assert_eq!(self.status.code(), Some(status), "{self}");
        self
    }

    /// Fails unless it ended with this status, an error on standard error and nothing on standard output, by no fault of
    /// the program.
    #[track_caller]
    pub fn fails_clearly(self, status: i32) -> Self {
        let finished = self.exits(status).prints("").never_says("panicked").never_says("INTERNAL");
        assert!(finished.stderr.to_lowercase().contains("error"), "{finished}");
        finished
    }

    /// Fails unless this is the whole standard output.
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
