//! `ghost run`: its options, and the script and the input that they name.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    time::Duration,
};

use clap::{Args, ValueEnum};
use ghost::{ConsoleSink, Limits, Origin, RunOptions, secrets, workspace::Create};

use super::{
    Exit,
    execute::{self, Content, Job},
    input::{self, Bound, Format, Source},
    not_started, progress, protection_failed, secret,
    terminal::print_console,
    units, workspace_args,
};

const USAGE: &str = "ghost run [OPTIONS] <SCRIPT> [ARGUMENTS]...
       ghost run [OPTIONS] --eval <CODE> [ARGUMENTS]...";

const HELP: &str = "Options come before the script; everything after the script is passed to main. \
The result goes to standard output, the console of the script to standard error.

Examples:
  ghost run hello.js Ada                         call main(\"Ada\")
  ghost run --input @packages.jsonl import.js    call main(records)
  ghost run --input '{\"limit\": 3}' report.js     call main({ limit: 3 })
  curl -s ... | ghost run --input - report.js    call main(the downloaded value)
  ghost run -e 'export const main = () => g.store.collections()'

Exit status:
  0    main returned
  1    the script failed
  2    the script could not start
  3    the run exceeded its time, its memory or the size of its result
  130  interrupted; completed writes are saved";

#[derive(Args)]
#[command(override_usage = USAGE, after_help = HELP)]
pub(crate) struct Run {
    /// The script: a .js or .mjs file, a .wasm component, or `-` for standard input; then the strings to pass to main
    // One list, so that everything after the script belongs to it.
    #[arg(value_names = ["SCRIPT", "ARGUMENTS"], num_args = 1.., required_unless_present = "eval", trailing_var_arg = true)]
    arguments: Vec<String>,
    /// The code to run, instead of a file
    #[arg(short, long, value_name = "CODE", allow_hyphen_values = true)]
    eval: Option<String>,
    /// The first argument of main: JSON, @FILE, or `-` for standard input
    #[arg(long, value_name = "JSON|@FILE|-", allow_hyphen_values = true)]
    input: Option<String>,
    /// The format of the input [default: by the extension of the file, or json]
    #[arg(long, value_name = "FORMAT", requires = "input")]
    input_format: Option<Format>,
    /// The time limit of the run: 500ms, 10s, 5m [default: 5m, mcp: 60s]
    #[arg(long, value_name = "DURATION", value_parser = units::duration)]
    timeout: Option<Duration>,
    /// The memory limit of the script: 64M, 1G [default: 256M, mcp: 128M]
    #[arg(long, value_name = "SIZE", value_parser = units::memory)]
    max_memory: Option<u64>,
    /// The limit on the bytes that the script writes to the workspace: 64M, 1G [default: no limit, mcp: 1G]. Deleting
    /// data does not raise the remaining allowance
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    max_disk: Option<u64>,
    /// The folder that contains the workspace [default: GHOST_WORKSPACE, or the nearest folder upward that has one, or
    /// the current folder]
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// Runs the script without a workspace
    #[arg(long, conflicts_with = "workspace")]
    no_workspace: bool,
    /// The folder that contains the files which the script names as localPath (g.objectstore); paths that lead out of it are
    /// refused [default: the current folder]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Who wrote the script: local is you; mcp is an AI client, with lower limits and without external systems
    #[arg(long, value_enum, default_value = "local")]
    origin: OriginArgument,
    /// Prints the diagnostic log and the cost of the run on standard error
    #[arg(short, long)]
    verbose: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum OriginArgument {
    Local,
    Mcp,
}

impl From<OriginArgument> for Origin {
    fn from(origin: OriginArgument) -> Self {
        match origin {
            OriginArgument::Local => Self::Local,
            OriginArgument::Mcp => Self::Mcp,
        }
    }
}

impl Run {
    pub(crate) fn run(mut self) -> Exit {
        execute::log(self.verbose);
        let script = self.eval.is_none().then(|| self.arguments.remove(0));
        match self.prepare(script.as_deref()) {
            Ok(job) => execute::run(job),
            Err(message) => not_started(&message),
        }
    }

    fn prepare(&self, script: Option<&str>) -> Result<Job, String> {
        let source = self.input.as_deref().map(Source::of);
        if source == Some(Source::Standard) && script == Some("-") {
            return Err("the script and its input can't both come from standard input".into());
        }
        secrets::protect_process().map_err(|error| protection_failed(&error))?;
        let (name, content) = self.load(script)?;
        let bound = Bound::of_run(self.limits().memory);
        let input = source.map(|source| input::read(&source, self.input_format, bound)).transpose()?;
        let arguments = input.into_iter().chain(self.arguments.iter().map(|text| input::quoted(text))).collect();
        let chosen = if self.no_workspace { None } else { Some(workspace_args::folder(self.workspace.as_deref())?) };
        let workspace = chosen.as_ref().map(|chosen| chosen.workspace(Create::AtFirstUse));
        if let Some(workspace) = &workspace {
            progress::show_indexing(workspace);
        }
        let options = RunOptions {
            workspace,
            read_only: false,
            origin: self.origin.into(),
            arguments,
            limits: self.limits(),
            since: None,
            console: Some(Box::new(|_, text: &str| print_console(text)) as ConsoleSink),
            secrets: Some(secret::source(chosen.as_ref())),
            directory: Some(self.directory()?),
            transfers: progress::transfers(),
            context: None,
        };
        let folder = chosen.map(|chosen| chosen.folder);
        Ok(Job { name, content, options, folder, verbose: self.verbose })
    }

    /// Returns the folder in which the script may name files.
    fn directory(&self) -> Result<PathBuf, String> {
        let Some(folder) = &self.dir else { return Ok(PathBuf::from(".")) };
        let name = folder.display();
        match fs::metadata(folder) {
            Ok(metadata) if metadata.is_dir() => Ok(folder.clone()),
            Ok(_) => Err(format!("--dir {name}: this is not a folder")),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(format!("--dir {name}: the folder does not exist"))
            }
            Err(error) => Err(format!("--dir {name}: {}", input::reason(&error))),
        }
    }

    fn limits(&self) -> Limits {
        let mut limits = Limits::of(self.origin.into());
        limits.time = self.timeout.unwrap_or(limits.time);
        limits.memory = self.max_memory.unwrap_or(limits.memory);
        limits.disk = self.max_disk.or(limits.disk);
        limits
    }

    /// Reads the script. Returns its name in stack traces, and its content.
    fn load(&self, script: Option<&str>) -> Result<(String, Content), String> {
        let bound = Bound::of_run(self.limits().memory);
        match (&self.eval, script) {
            (Some(code), _) => Ok(("-e".into(), Content::Source(code.clone()))),
            (None, Some("-")) => Ok(("stdin.js".into(), Content::Source(input::read_standard(bound)?))),
            (None, Some(script)) => load_file(Path::new(script), bound),
            (None, None) => Err("no script was given".into()),
        }
    }
}

pub(crate) fn load_file(path: &Path, bound: Bound) -> Result<(String, Content), String> {
    let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    let content = match path.extension().and_then(|ending| ending.to_str()) {
        Some("wasm") => Content::Component(input::read_bytes(path, Bound::COMPONENT)?),
        Some("ts" | "mts" | "cts" | "tsx") => {
            return Err(format!("{name} is TypeScript, which is not supported: ghost runs JavaScript"));
        }
        _ => Content::Source(input::read_file(path, bound)?),
    };
    Ok((name, content))
}
