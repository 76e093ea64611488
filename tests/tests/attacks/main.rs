//! Attacks on ghost, one test each: the name states the attempt, and every outcome must satisfy the same contract.
//!
//! Attacks by scripts or components are text files in `tests/attacks/`; those on folders, secrets, servers and the
//! command line in the modules here. With `GHOST_ATTACKS_TABLE` set, a table of all outcomes is printed at the end.

mod attack;
mod commands;
mod component;
mod components;
mod data;
mod folders;
mod liar;
mod secrets;
mod servers;

use std::{env, process::ExitCode};

use ghost_tests::program;
use libtest_mimic::{Arguments, Failed, Trial};

use attack::Attack;

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::from_args();
    if !arguments.list {
        program::binary();
    }
    let mut attacks = data::scripts()?;
    attacks.extend(components::all()?);
    attacks.extend(folders::all());
    attacks.extend(secrets::all());
    attacks.extend(servers::all());
    attacks.extend(commands::all());
    let trials = attacks.into_iter().map(trial).collect();
    let conclusion = libtest_mimic::run(&arguments, trials);
    if env::var_os("GHOST_ATTACKS_TABLE").is_some() {
        println!("{}", attack::table());
    }
    Ok(conclusion.exit_code())
}

/// An attack that needs a server is skipped when the server is missing, except in CI.
fn trial(attack: Attack) -> Trial {
    let name = format!("{}/{}", attack.kind, attack.name.replace(' ', "_"));
    let server = attack.server.filter(|_| !Arguments::from_args().list);
    let missing = server.is_some_and(|server| server.skipped().is_some());
    let trial = Trial::test(name, move || attack.run().map_err(|error| Failed::from(format!("{error:#}"))));
    if missing { trial.with_kind("no server").with_ignored_flag(true) } else { trial }
}
