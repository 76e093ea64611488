//! The process that compiles components, and the folder that keeps what it made.

use std::{env, ffi::OsString, path::PathBuf, process::ExitCode};

use ghost::{
    Failure,
    compilation::{self, Compiler},
};

use super::environment;

/// The first argument of the process. It is no command of users.
const COMMAND: &str = "compile-component";

/// Compiles a component if this is the process for it. Returns the exit status.
pub(crate) fn serve(words: &[OsString]) -> Option<ExitCode> {
    let [_, command, memory] = words else { return None };
    let memory = memory.to_str()?.parse().ok()?;
    (command == COMMAND).then(|| compilation::serve(memory))
}

/// Returns a compiler that is this program.
pub(crate) fn of_program() -> Result<Compiler, Failure> {
    let program = env::current_exe()
        .map_err(|error| Failure::NotStarted(format!("the compiler of components can't be found: {error}")))?;
    let compiler = Compiler::new(program, [COMMAND]);
    Ok(match cache_folder() {
        Some(folder) => compiler.cached_in(&folder),
        None => compiler,
    })
}

/// Returns the folder of compiled components: `ghost/components` in the user's cache folder. `None` without a home.
fn cache_folder() -> Option<PathBuf> {
    Some(environment::user_folder("XDG_CACHE_HOME", ".cache")?.join("ghost").join("components"))
}
