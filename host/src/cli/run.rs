//! `ghost run`.

use std::{
    env, io,
    path::{Path, PathBuf},
    time::Duration,
};

use clap::{Args, ValueEnum};
use ghost::{
    Failure, Host, Limits, Origin, Outcome, RunOptions, Script,
    workspace::{Create, Workspace},
};
use io::IsTerminal;

use super::{
    Exit,
    input::{self, Format, Source},
    json, not_started, report,
    terminal::{harmless, print, print_console, print_error},
};

#[derive(Args)]
pub(crate) struct Run {
    /// The script (.js, .mjs, or a .wasm component; `-` reads it from standard input), then strings for main
    #[arg(
        value_name = "SCRIPT] [ARGUMENTS",
        required_unless_present = "eval",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    arguments: Vec<String>,
    /// Runs this code instead of a file
    #[arg(short, long, value_name = "CODE")]
    eval: Option<String>,
    /// A value that main gets as its first argument: JSON, @FILE, or `-` for standard input
    #[arg(long, value_name = "JSON|@FILE|-", allow_hyphen_values = true)]
    input: Option<String>,
    /// How the input is read; a file's ending says it otherwise
    #[arg(long, value_name = "FORMAT", requires = "input")]
    input_format: Option<Format>,
    /// The longest the run may take: 500ms, 10s, 5m [default: 5m, mcp: 60s]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    timeout: Option<Duration>,
    /// The most memory the script may use: 64M, 1G [default: 256M, mcp: 128M]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    max_memory: Option<u64>,
    /// The folder that holds the workspace [default: the nearest one upward, else the current folder]
    #[arg(long, value_name = "DIR", env = "GHOST_WORKSPACE")]
    workspace: Option<PathBuf>,
    /// Gives the script no workspace
    #[arg(long, conflicts_with = "workspace")]
    no_workspace: bool,
    /// The folder that local paths are in [default: the current folder]
    #[arg(long, value_name = "DIR", default_value = ".", hide_default_value = true)]
    dir: PathBuf,
    /// Where the script comes from; mcp is what an AI client's script may do
    #[arg(long, value_enum, default_value = "local")]
    origin: OriginArgument,
    /// Tells on standard error what the host does, and what the run cost
    #[arg(short, long)]
    verbose: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum OriginArgument {
    Local,
    Mcp,
}

/// A script, and what its stacks and error messages are about.
struct Loaded {
    name: String,
    content: Content,
}

enum Content {
    Source(String),
    Component(Vec<u8>),
}

impl Run {
    pub(crate) fn run(mut self) -> Exit {
        if self.verbose {
            let filter = tracing_subscriber::EnvFilter::new("ghost=debug");
            tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).init();
        }
        // A panic of a call is caught and told as an error; where it was is for the log.
        std::panic::set_hook(Box::new(|panic| tracing::error!("{panic}")));
        let script = if self.eval.is_none() { Some(self.arguments.remove(0)) } else { None };
        match self.prepare(script.as_deref()) {
            Ok((loaded, options)) => execute(&loaded, options, self.verbose),
            Err(message) => not_started(&message),
        }
    }

    fn prepare(&self, script: Option<&str>) -> Result<(Loaded, RunOptions), String> {
        let source = self.input.as_deref().map(Source::of);
        if source == Some(Source::Standard) && script == Some("-") {
            return Err("the script and its input can't both come from standard input".into());
        }
        if !self.dir.is_dir() {
            return Err(format!("--dir {} is no folder", self.dir.display()));
        }
        let loaded = self.load(script)?;
        let mut arguments: Vec<_> =
            source.map(|source| input::read(&source, self.input_format)).transpose()?.into_iter().collect();
        arguments.extend(self.arguments.iter().map(|argument| input::quoted(argument)));
        let origin = match self.origin {
            OriginArgument::Local => Origin::Local,
            OriginArgument::Mcp => Origin::Mcp,
        };
        let mut limits = Limits::of(origin);
        limits.time = self.timeout.unwrap_or(limits.time);
        limits.memory = self.max_memory.unwrap_or(limits.memory);
        let workspace = if self.no_workspace { None } else { Some(self.find_workspace()?) };
        let console = Some(Box::new(|_, text: &str| print_console(text)) as ghost::ConsoleSink);
        Ok((loaded, RunOptions { workspace, origin, arguments, limits, console, dir: Some(self.dir.clone()) }))
    }

    fn load(&self, script: Option<&str>) -> Result<Loaded, String> {
        let source = |name: &str, text: String| Ok(Loaded { name: name.into(), content: Content::Source(text) });
        match (&self.eval, script) {
            (Some(code), _) => source("eval.js", code.clone()),
            (None, Some("-")) => source("stdin.js", input::read_standard()?),
            (None, Some(option)) if option.starts_with('-') => {
                Err(format!("there is no option {option}: see ghost run --help"))
            }
            (None, Some(script)) => load_file(Path::new(script)),
            (None, None) => Err("there is no script".into()),
        }
    }

    /// The workspace that was named, else the nearest one upward, else one that is made here when it is needed.
    fn find_workspace(&self) -> Result<Workspace, String> {
        if let Some(folder) = &self.workspace {
            return Ok(Workspace::at(folder, Create::AtFirstUse));
        }
        let here = env::current_dir().map_err(|error| format!("the current folder can't be used: {error}"))?;
        let found = Workspace::find(&here).map_err(|error| error.message)?;
        Ok(Workspace::at(&found.unwrap_or(here), Create::AtFirstUse))
    }
}

fn load_file(path: &Path) -> Result<Loaded, String> {
    let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    let content = match path.extension().and_then(|ending| ending.to_str()) {
        Some("wasm") => Content::Component(input::read_bytes(path)?),
        Some("ts" | "mts" | "tsx") => {
            return Err(format!("{name} is TypeScript, which is not supported: ghost runs JavaScript"));
        }
        _ => Content::Source(input::read_file(path)?),
    };
    Ok(Loaded { name, content })
}

fn execute(loaded: &Loaded, options: RunOptions, verbose: bool) -> Exit {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return not_started(&format!("the host can't start: {error}")),
    };
    let workspace = options.workspace.clone();
    let source = match &loaded.content {
        Content::Source(source) => Some(source.as_str()),
        Content::Component(_) => None,
    };
    let ended = runtime.block_on(async {
        tokio::select! {
            ended = start(loaded, options) => Some(ended),
            () = interrupted() => None,
        }
    });
    let exit = match ended {
        None => Exit::Interrupted,
        Some(Err(failure)) => {
            report::failure(&failure, source);
            exit_of(&failure).max_start()
        }
        Some(Ok(outcome)) => show(&outcome, source, verbose),
    };
    let closed = workspace.map_or(Ok(()), |workspace| {
        if workspace.was_made() {
            print_error("made a workspace in .ghost");
        }
        workspace.close()
    });
    match closed {
        Err(error) if exit == Exit::Interrupted => {
            report::message(&error.message);
            Exit::Failed
        }
        _ => exit,
    }
}

/// Compiles and runs. An error is one of starting.
async fn start(loaded: &Loaded, options: RunOptions) -> Result<Outcome, Failure> {
    let host = Host::new().map_err(|error| Failure::NotStarted(error.message))?;
    let script: Script = match &loaded.content {
        Content::Source(source) => host.compile(&loaded.name, source).await?,
        Content::Component(bytes) => host.load(bytes)?,
    };
    Ok(host.run(&script, options).await)
}

/// Returns at SIGINT and SIGTERM.
async fn interrupted() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupt), Ok(mut terminate)) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}

fn show(outcome: &Outcome, source: Option<&str>, verbose: bool) -> Exit {
    let exit = match &outcome.result {
        Ok(Some(json)) => {
            if io::stdout().is_terminal() {
                print(&harmless(&json::indent(json)))
            } else {
                print(json)
            }
            Exit::Success
        }
        Ok(None) => Exit::Success,
        Err(failure) => {
            report::failure(failure, source);
            exit_of(failure)
        }
    };
    if verbose {
        let figures = &outcome.figures;
        print_error(&format!(
            "time={:?} peak_memory={} host_calls={} commits={}",
            figures.time, figures.peak_memory, figures.host_calls, figures.commits
        ));
    }
    exit
}

fn exit_of(failure: &Failure) -> Exit {
    match failure {
        Failure::Time { .. } | Failure::Memory { .. } | Failure::ResultSize { .. } => Exit::Limit,
        Failure::NotStarted(_) => Exit::NotStarted,
        _ => Exit::Failed,
    }
}

impl Exit {
    /// The status of a script that failed before it ran.
    fn max_start(self) -> Self {
        if self == Self::Failed { Self::NotStarted } else { self }
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    let allowed = Duration::from_millis(1)..=Duration::from_secs(7 * 24 * 3600);
    match humantime::parse_duration(text) {
        Ok(duration) if allowed.contains(&duration) => Ok(duration),
        Ok(_) => Err("1ms to 7d are allowed".into()),
        Err(error) => Err(format!("{error}: write 500ms, 10s or 5m")),
    }
}

fn memory(text: &str) -> Result<u64, String> {
    let size = parse_size::Config::new().with_binary().parse_size(text);
    match size {
        Ok(size) if (16 << 20..=4 << 30).contains(&size) => Ok(size),
        Ok(_) => Err("16M to 4G are allowed".into()),
        Err(error) => Err(format!("{error}: write 64M, 256MiB or 1G")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_sizes_are_read_as_written() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("5m"), Ok(Duration::from_secs(300)));
        assert!(duration("0s").is_err() && duration("ten").is_err() && duration("-1s").is_err());
        assert_eq!(memory("64M"), Ok(64 << 20));
        assert_eq!(memory("256MiB"), Ok(256 << 20));
        assert_eq!(memory("1G"), Ok(1 << 30));
        assert!(memory("1K").is_err() && memory("5G").is_err() && memory("x").is_err());
    }
}
