//! Behaviour as an author of scripts meets it: one test for each file in `cases/<namespace>/`.

use std::{process::ExitCode, sync::Once};

use ghost_tests::{case, program};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::from_args();
    if !arguments.list {
        program::binary();
    }
    let trials = case::all()?.into_iter().map(trial).collect();
    Ok(libtest_mimic::run(&arguments, trials).exit_code())
}

/// A case that needs a server is skipped when the server is missing, except in CI. The reason is its kind, which precedes
/// its name, and is printed once to standard error.
fn trial(case: case::Case) -> Trial {
    let server = case.server.filter(|_| !Arguments::from_args().list);
    let missing = server.and_then(|server| server.skipped());
    let name = case.name.clone();
    let trial = Trial::test(name, move || case.run().map_err(failed));
    match missing {
        Some(reason) => {
            static REPORTED: Once = Once::new();
            REPORTED.call_once(|| eprintln!("cases that need a server are skipped: {reason}"));
            trial.with_kind("no server").with_ignored_flag(true)
        }
        None => trial,
    }
}

fn failed(error: anyhow::Error) -> Failed {
    Failed::from(error.chain().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}
