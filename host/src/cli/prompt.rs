//! Prompts for a secret without echo, and for confirmation.

use std::{
    io::{self, IsTerminal, Write},
    sync::{
        atomic::Ordering,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

use super::{Exit, interrupt, problem::Problem, report, terminal::escape};

/// How often a prompt checks the interrupt flag.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Reads a line from the terminal on standard input, without echo.
pub(crate) fn hidden(label: &str) -> Result<String, Problem> {
    let unreadable = |error: io::Error| format!("the terminal can't be read: {error}");
    // Restored when the prompt is interrupted, so that the terminal echoes again.
    let before = tcgetattr(io::stdin()).map_err(|error| unreadable(error.into()))?;
    let stop = interrupt::flag()?;
    let (sender, answer) = mpsc::channel();
    let label = label.to_owned();
    let ask = move || sender.send(rpassword::prompt_password(label));
    thread::Builder::new().name("ghost-prompt".into()).spawn(ask).map_err(unreadable)?;
    loop {
        let answer = answer.recv_timeout(POLL_INTERVAL);
        if stop.load(Ordering::Acquire) {
            tcsetattr(io::stdin(), OptionalActions::Now, &before).map_err(|error| unreadable(error.into()))?;
            return Err(Problem { exit: Exit::Interrupted, message: "interrupted; nothing was changed".into() });
        }
        match answer {
            Ok(answer) => return Ok(answer.map_err(unreadable)?),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(Problem::failed("the terminal can't be read")),
        }
    }
}

/// Asks for confirmation on a terminal, and returns whether the user agreed. Without a terminal, or with `--yes`, returns
/// true without asking.
pub(crate) fn confirm(yes: bool, question: impl FnOnce() -> String) -> Result<bool, Problem> {
    if yes || !can_ask() {
        return Ok(true);
    }
    let question = format!("{} [y/N] ", escape(&question().replace('\n', " ")));
    let unreadable = |error: io::Error| format!("the terminal can't be used: {error}");
    io::stderr().write_all(question.as_bytes()).map_err(unreadable)?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).map_err(unreadable)?;
    let is_yes = ["y", "yes"].iter().any(|yes| answer.trim().eq_ignore_ascii_case(yes));
    if !is_yes {
        report::note("nothing was changed");
    }
    Ok(is_yes)
}

/// Whether standard input and standard error are a terminal, so that a question can be answered.
pub(crate) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}
