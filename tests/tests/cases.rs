//! Behaviour as an author of scripts meets it: one test for each file in `cases/<namespace>/`.

use std::process::ExitCode;

use ghost_tests::{case, program};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::from_args();
    if !arguments.list {
        program::binary();
    }
    let trial = |case: case::Case| Trial::test(case.name.clone(), move || case.run().map_err(failed));
    let trials = case::all()?.into_iter().map(trial).collect();
    Ok(libtest_mimic::run(&arguments, trials).exit_code())
}

fn failed(error: anyhow::Error) -> Failed {
    Failed::from(error.chain().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}
