//! Asks for something that must not be seen.

use std::{
    io,
    sync::{
        atomic::Ordering,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

use super::{Exit, interrupt, trouble::Trouble};

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
