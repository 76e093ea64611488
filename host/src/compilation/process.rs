//! The child process that compiles one component: from its standard input to its standard output.

use std::{
    ffi::OsString,
    io::{self, Read, Write},
    path::Path,
    process::{ExitCode, Stdio},
};

use rustix::process::{Resource, Rlimit, Signal, set_parent_process_death_signal, setrlimit};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::{ChildStdin, ChildStdout, Command},
};
use wasmtime::Engine;

use super::MAX_COMPONENT_BYTES;
use crate::{
    Failure,
    budget::Budget,
    engine::{compiled::Compiled, compiler, config},
};

/// The memory that the process needs in addition to the compiler's: stacks of threads, input and output.
const OWN_BYTES: u64 = 192 << 20;

/// Exit statuses of the child other than success.
const INVALID: u8 = 2;
const TOO_LARGE: u8 = 3;

/// Compiles a component in a child process, which is killed when the future is dropped. `limit` is the memory limit of a run,
/// in bytes.
pub(super) async fn compile(
    program: &Path,
    arguments: &[OsString],
    component: &[u8],
    limit: u64,
) -> Result<Compiled, Failure> {
    let memory = Budget::for_compiler(limit);
    let mut command = Command::new(program);
    command.args(arguments).arg(memory.to_string()).env_clear().kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let failed = |error: io::Error| Failure::NotStarted(format!("the compiler of components can't run: {error}"));
    let mut child = command.spawn().map_err(failed)?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    // One byte more shows that there is too much.
    let largest = largest_code(component, limit);
    let (sent, output) = tokio::join!(send(stdin, component), receive(stdout, largest + 1));
    if output.as_ref().is_ok_and(|code| code.len() as u64 > largest) {
        return Err(Failure::Compiler { limit });
    }
    let status = child.wait().await.map_err(failed)?;
    match (status.code().map(u8::try_from), output) {
        (Some(Ok(0)), Ok(code)) if sent.is_ok() => Ok(Compiled::trusted(code)),
        (Some(Ok(INVALID)), Ok(reason)) => Err(Failure::NotStarted(String::from_utf8_lossy(&reason).into_owned())),
        // It ends with a signal when the system refuses memory.
        (Some(Ok(TOO_LARGE)) | None, _) => Err(Failure::Compiler { limit }),
        (_, output) => {
            let error = sent.err().or(output.err());
            let error = error.unwrap_or_else(|| io::Error::other(format!("it ended with {status}")));
            Err(failed(error))
        }
    }
}

/// Returns how long the code of a component may be. While it is loaded, the component is in memory, and the code twice.
pub(super) fn largest_code(component: &[u8], limit: u64) -> u64 {
    Budget::for_compiler(limit).saturating_sub(component.len() as u64) / 2
}

/// Sends the component. A child that refuses it need not read it.
async fn send(stdin: Option<ChildStdin>, component: &[u8]) -> io::Result<()> {
    let Some(mut stdin) = stdin else { return Ok(()) };
    match stdin.write_all(component).await {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        sent => sent,
    }
}

async fn receive(stdout: Option<ChildStdout>, limit: u64) -> io::Result<Vec<u8>> {
    let mut output = Vec::new();
    if let Some(stdout) = stdout {
        stdout.take(limit).read_to_end(&mut output).await?;
    }
    Ok(output)
}

/// Compiles the component on standard input to standard output: what the program of a [`Compiler`](super::Compiler) does. The
/// only argument is the limit on its memory, in bytes.
pub fn serve(memory: u64) -> ExitCode {
    let compiled = match limit_process(memory) {
        Ok(()) => compile_input(memory),
        Err(error) => Err((INVALID, format!("the compiler of components can't be limited: {error}"))),
    };
    let (status, output) = match compiled {
        Ok(code) => (0, code),
        Err((status, message)) => (status, message.into_bytes()),
    };
    match io::stdout().write_all(&output) {
        Ok(()) => status.into(),
        Err(_) => ExitCode::FAILURE,
    }
}

/// The process ends with its parent, and when it takes more memory.
fn limit_process(memory: u64) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let most = Some(memory.saturating_add(OWN_BYTES));
    setrlimit(Resource::Data, Rlimit { current: most, maximum: most })?;
    Ok(())
}

fn compile_input(memory: u64) -> Result<Vec<u8>, (u8, String)> {
    let invalid = |message: String| (INVALID, message);
    let mut component = Vec::new();
    let read = io::stdin().lock().take(MAX_COMPONENT_BYTES as u64 + 1).read_to_end(&mut component);
    read.map_err(|error| invalid(error.to_string()))?;
    let engine = Engine::new(&config::common()).map_err(|error| invalid(format!("{error:#}")))?;
    match compiler::precompile(&engine, &component, memory) {
        Ok(Some(code)) => Ok(code),
        Ok(None) => Err((TOO_LARGE, String::new())),
        Err(error) => Err(invalid(format!("{error:#}"))),
    }
}
