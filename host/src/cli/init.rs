//! `ghost init`: creates a workspace, and the files that an editor needs.

use std::{
    fs::{self, File},
    io::{self, Write},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use clap::Args;
use ghost::{functions::DECLARATIONS, workspace::Workspace};

use super::{Exit, deliver, files, input::reason, not_started, workspace_in};

const CONFIGURATION: &str = include_str!("../../../scripts/jsconfig.json");

#[derive(Args)]
#[command(after_help = "Examples:
  ghost init               in the current folder
  ghost init project       in a folder, which is created if it does not exist")]
pub(crate) struct Init {
    /// The folder for the workspace; created if it does not exist
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
}

impl Init {
    pub(crate) fn run(self) -> Exit {
        match make(&self.folder) {
            Ok(done) => deliver(&done.join("\n")),
            Err(message) => not_started(&message),
        }
    }
}

/// Creates the workspace and the files. Returns a line for each.
fn make(folder: &Path) -> Result<[String; 3], String> {
    fs::create_dir_all(folder).map_err(|error| format!("{} can't be created: {}", folder.display(), reason(&error)))?;
    let made = Workspace::init(folder).map_err(|error| error.message)?;
    // The declarations are those of this version of ghost; the configuration belongs to the user.
    declare(folder).map_err(|error| format!("g.d.ts can't be written: {error}"))?;
    let configured = configure(&folder.join("jsconfig.json"))
        .map_err(|error| format!("jsconfig.json can't be written: {}", reason(&error)))?;
    let workspace = workspace_in(folder);
    Ok([
        if made { format!("made a workspace in {workspace}") } else { format!("kept the workspace in {workspace}") },
        "wrote g.d.ts".into(),
        if configured { "wrote jsconfig.json".into() } else { "kept jsconfig.json".into() },
    ])
}

/// Writes the declarations, and replaces those of another version. Replaces only a regular file of the user.
fn declare(folder: &Path) -> Result<(), String> {
    let path = folder.join("g.d.ts");
    match fs::symlink_metadata(&path) {
        Ok(there) if !there.is_file() => return Err("it exists and is not a file".into()),
        Ok(there) if there.uid() != rustix::process::geteuid().as_raw() => {
            return Err("it belongs to another user".into());
        }
        _ => {}
    }
    files::replace(&path, DECLARATIONS.as_bytes()).map_err(|error| reason(&error))
}

/// Writes the configuration. Returns false if the file exists.
fn configure(path: &Path) -> io::Result<bool> {
    match File::create_new(path) {
        Ok(mut file) => file.write_all(CONFIGURATION.as_bytes()).map(|()| true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_init_keeps_the_files_of_the_user() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("a/project");
        let workspace = project.join(".ghost").display().to_string();
        let made = format!("made a workspace in {workspace}");
        assert_eq!(make(&project).unwrap(), [&made, "wrote g.d.ts", "wrote jsconfig.json"]);
        fs::write(project.join("jsconfig.json"), "{}").unwrap();
        fs::write(project.join("g.d.ts"), "of an older version").unwrap();
        let kept = format!("kept the workspace in {workspace}");
        assert_eq!(make(&project).unwrap(), [&kept, "wrote g.d.ts", "kept jsconfig.json"]);
        assert_eq!(fs::read_to_string(project.join("jsconfig.json")).unwrap(), "{}");
        assert_eq!(fs::read_to_string(project.join("g.d.ts")).unwrap(), DECLARATIONS);
    }
}
