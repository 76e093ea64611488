//! `ghost init`: a workspace, and what an editor needs beside it.

use std::{fs, io, path::PathBuf};

use clap::Args;
use ghost::workspace::Workspace;

use super::{Exit, not_started, terminal, types};

const JSCONFIG: &str = include_str!("../../../scripts/jsconfig.json");

#[derive(Args)]
pub(crate) struct Init {
    /// The folder that gets the workspace
    #[arg(default_value = ".")]
    folder: PathBuf,
}

impl Init {
    pub(crate) fn run(self) -> Exit {
        match self.make() {
            Ok(done) => {
                done.iter().for_each(|line| terminal::print(line));
                Exit::Success
            }
            Err(message) => not_started(&message),
        }
    }

    /// Gives a line for each thing that was made, or was there.
    fn make(&self) -> Result<Vec<String>, String> {
        let made = Workspace::init(&self.folder).map_err(|error| error.message)?;
        let mut done =
            vec![String::from(if made { "made a workspace in .ghost" } else { "there is a workspace in .ghost" })];
        // The declarations belong to this version of ghost; the configuration belongs to the user.
        let declarations = self.folder.join("g.d.ts");
        fs::write(&declarations, types::DECLARATIONS).map_err(|error| format!("g.d.ts can't be written: {error}"))?;
        done.push("wrote g.d.ts".into());
        match fs::File::create_new(self.folder.join("jsconfig.json")) {
            Ok(mut file) => {
                io::Write::write_all(&mut file, JSCONFIG.as_bytes())
                    .map_err(|error| format!("jsconfig.json can't be written: {error}"))?;
                done.push("wrote jsconfig.json".into());
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => done.push("kept jsconfig.json".into()),
            Err(error) => return Err(format!("jsconfig.json can't be written: {error}")),
        }
        Ok(done)
    }
}
