//! Asks for something that must not be seen, or whether something is to be done.

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

use super::{Exit, interrupt, report, terminal::harmless, trouble::Trouble};

/// How soon a signal is heard.
const LOOK: Duration = Duration::from_millis(20);

/// A line of the user's, from the terminal that standard input is, without echo.
pub(crate) fn hidden(label: &str) -> Result<String, Trouble> {
    let unreadable = |error: io::Error| format!("the terminal can't be read: {error}");
    // Whatever ends the prompt, what is typed after it is shown again.
    let before = tcgetattr(io::stdin()).map_err(|error| unreadable(error.into()))?;
    let stop = interrupt::flag()?;
    let (sender, answer) = mpsc::channel();
    let label = label.to_owned();
    let ask = move || sender.send(rpassword::prompt_password(label));
    thread::Builder::new().name("ghost-prompt".into()).spawn(ask).map_err(unreadable)?;
    loop {
        let answer = answer.recv_timeout(LOOK);
        if stop.load(Ordering::Acquire) {
            tcsetattr(io::stdin(), OptionalActions::Now, &before).map_err(|error| unreadable(error.into()))?;
            return Err(Trouble { exit: Exit::Interrupted, message: "interrupted; nothing was changed".into() });
        }
        match answer {
            Ok(answer) => return Ok(answer.map_err(unreadable)?),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(Trouble::failed("the terminal can't be read")),
        }
    }
}

/// Whether something that can't be undone is to be done: asks on a terminal. Where nobody can be asked, the command line is
/// the answer, as it is with `--yes`.
pub(crate) fn permits(yes: bool, question: impl FnOnce() -> String) -> Result<bool, Trouble> {
    if yes || !can_ask() {
        return Ok(true);
    }
    let question = format!("{} [y/N] ", harmless(&question().replace('\n', " ")));
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

/// Whether somebody sits there who sees the question and can answer it.
pub(crate) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}
