//! Converts the end of a call of the instance (a return value, a trap, the deadline) to the result of the run.

use std::fmt;

use serde::Serialize;
use tokio::time::error::Elapsed;
use wasmtime::Trap;
use wasmtime_wasi::I32Exit;

use super::{State, exception};
use crate::{
    Error, Failure, Limits, Origin,
    bindings::{error, ghost::g::types},
    console::Console,
};

/// The beginning of Wasmtime's message for a call that copies more data than its limit.
const CALL_TOO_LARGE: &str = "too much data is being copied between the host and the guest";

/// The return value of a script's `run`.
pub(crate) type Returned = Result<Option<String>, types::Failure>;

/// A fault of ghost (the host, or its JavaScript engine), not of the component or the script.
#[derive(Debug)]
pub(crate) struct InternalFault(pub(crate) String);

impl fmt::Display for InternalFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InternalFault {}

/// Marks an error of an instantiation as an internal fault, unless it is the component's own: a trap or an exit.
pub(crate) fn mark_internal(error: wasmtime::Error) -> wasmtime::Error {
    let is_its_own = error.is::<Trap>() || error.is::<I32Exit>();
    if is_its_own { error } else { InternalFault(format!("{error:?}")).into() }
}

/// Returns the value of a call of the instance that has ended, or the failure that stopped it.
pub(crate) fn call<T>(
    called: Result<wasmtime::Result<T>, Elapsed>,
    state: &State,
    limits: &Limits,
) -> Result<T, Failure> {
    match called {
        Err(Elapsed { .. }) => Err(Failure::Time { limit: limits.time }),
        Ok(Ok(returned)) => Ok(returned),
        Ok(Err(error)) => Err(stopped(&error, state, limits)),
    }
}

/// Returns the failure of an instance that trapped or was stopped by the host.
fn stopped(error: &wasmtime::Error, state: &State, limits: &Limits) -> Failure {
    if let Some(error) = error.downcast_ref::<Error>() {
        return Failure::Storage { lost_calls: 0, message: error.message.clone() };
    }
    // After memory was refused, the instantiation may fail, or the engine may be unable to continue. That is not an
    // internal fault.
    if error.is::<InternalFault>() && !state.memory.was_refused() {
        return state
            .memory
            .refused_tables()
            .map_or_else(|| internal_error(error), |limit| Failure::WasmTables { limit });
    }
    match error.downcast_ref::<Trap>() {
        Some(Trap::Interrupt) => Failure::Time { limit: limits.time },
        // A component whose memory was refused may fail in any way. The limit may be too low even for the engine.
        _ if state.memory.was_refused() => Failure::Memory { limit: limits.memory },
        Some(trap) => Failure::Trap(format!("trapped: {}", trap_kind(*trap))),
        // One call passed more data than the memory budget has left.
        None if is_call_too_large(error) => Failure::Memory { limit: limits.memory },
        None => match error.downcast_ref::<I32Exit>() {
            Some(exit) => Failure::Trap(format!("exited with status {} before run returned", exit.0)),
            None => Failure::Trap(format!("violated its interface: {}", error.root_cause())),
        },
    }
}

/// Whether a call exceeded the limit on copied data. Wasmtime has no error type for this, so the message is compared.
fn is_call_too_large(error: &wasmtime::Error) -> bool {
    error.root_cause().to_string().starts_with(CALL_TOO_LARGE)
}

/// Returns the kind of a trap as text, such as `out of bounds memory access`.
fn trap_kind(trap: Trap) -> String {
    let text = trap.to_string();
    text.strip_prefix("wasm trap: ").unwrap_or(&text).replace("wasm `unreachable`", "`unreachable`")
}

/// Converts the return value of the engine's `compile`.
pub(crate) fn compilation(returned: Result<Vec<u8>, types::Failure>, limits: &Limits) -> Result<Vec<u8>, Failure> {
    returned.map_err(|failure| match failure {
        types::Failure::Exception(thrown) => Failure::Exception(exception::within(thrown, SOURCE_ERROR_BYTES)),
        other => failed(other, limits),
    })
}

/// The maximum size of a compilation error, in bytes.
const SOURCE_ERROR_BYTES: usize = 16 << 10;

/// The result of a script.
#[derive(Debug, Default)]
pub(crate) struct ScriptResult {
    /// The result as JSON; `None` for `undefined`.
    pub(crate) json: Option<String>,
    /// Whether it was cut.
    pub(crate) is_cut: bool,
}

/// Converts the return value of the script's `run`. If the result is cut, adds a line to the console.
pub(crate) fn script(
    returned: Returned,
    origin: Origin,
    limits: &Limits,
    console: &Console,
) -> Result<ScriptResult, Failure> {
    match returned {
        Ok(None) => Ok(ScriptResult::default()),
        Ok(Some(json)) if !is_json(&json) => Err(Failure::Trap("returned a result that is not JSON".into())),
        Ok(Some(json)) => within(json, origin, limits.result, console),
        Err(types::Failure::Exception(thrown)) => {
            let room = console.room().max(exception::MIN_BYTES);
            Err(Failure::Exception(exception::within(thrown, room)))
        }
        Err(other) => Err(failed(other, limits)),
    }
}

/// Converts a failure that is not an exception.
fn failed(failure: types::Failure, limits: &Limits) -> Failure {
    match failure {
        types::Failure::Exception(thrown) => Failure::Exception(thrown.into()),
        types::Failure::NoMain => {
            Failure::NotStarted("the script's main is not a function: export function main() { … }".into())
        }
        types::Failure::Stalled => Failure::Stalled,
        types::Failure::OutOfMemory => Failure::Memory { limit: limits.memory },
    }
}

/// Limits the result. A result that is too large is refused, or cut for an AI client, which can ask again for less.
fn within(json: String, origin: Origin, limit: usize, console: &Console) -> Result<ScriptResult, Failure> {
    let size = match origin {
        Origin::Local => json.len(),
        Origin::Mcp => json.chars().count(),
    };
    match origin {
        _ if size <= limit => Ok(ScriptResult { json: Some(json), is_cut: false }),
        Origin::Local => Err(Failure::ResultSize { size, limit }),
        Origin::Mcp => {
            let advice = "return less: fewer members, a count, a page with limit and offset";
            console.note(format!("the result is {size} characters, the limit is {limit}: {advice}"));
            Ok(ScriptResult { json: Some(cut(&json, limit)), is_cut: true })
        }
    }
}

/// What a client receives in place of a result that is too large. The members are in this order.
#[derive(Serialize)]
struct Cut<'p> {
    truncated: bool,
    size: usize,
    preview: &'p str,
}

/// Returns a JSON object with the size and the beginning of a JSON text. The object has at most `limit` characters, if
/// that is enough for its other members.
pub(crate) fn cut(json: &str, limit: usize) -> String {
    let size = json.chars().count();
    let whole = |preview: &str| serde_json::to_string(&Cut { truncated: true, size, preview }).unwrap_or_default();
    // Escapes make the preview longer than what it shows: halve the distance until it fits.
    let mut end = limit;
    loop {
        let preview: String = json.chars().take(end).collect();
        let text = whole(&preview);
        match text.chars().count() {
            length if length <= limit || end == 0 => return text,
            length => end -= (length - limit).div_ceil(2).min(end),
        }
    }
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Returns the failure for an internal fault. The log contains the cause, under the reference of the failure.
pub(crate) fn internal_error(error: &wasmtime::Error) -> Failure {
    let reference = error::reference();
    tracing::error!(reference, "{error:?}");
    Failure::Internal { reference }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn console() -> Console {
        Console::collecting(0, None)
    }

    #[test]
    fn a_result_of_an_ai_client_is_cut_to_its_limit_and_stays_json() {
        for json in ["\"".to_owned() + &"x".repeat(50_000) + "\"", format!("[{}]", "\"é\\n\",".repeat(20_000) + "1")] {
            let result = within(json.clone(), Origin::Mcp, 24_000, &console()).unwrap();
            assert!(result.is_cut);
            let text = result.json.unwrap();
            let cut: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(cut["size"], json.chars().count());
            assert_eq!(cut["truncated"], true);
            let length = text.chars().count();
            assert!(length <= 24_000 && length > 23_900, "{length}");
            assert!(json.starts_with(cut["preview"].as_str().unwrap()));
        }
        let told = console();
        within("\"12345678\"".into(), Origin::Mcp, 9, &told).unwrap();
        assert!(told.all()[0].text.contains("return less"));
    }

    #[test]
    fn a_result_over_the_limit_of_a_local_script_is_refused() {
        let refused = within("\"12345678\"".into(), Origin::Local, 9, &console());
        assert_eq!(refused.err(), Some(Failure::ResultSize { size: 10, limit: 9 }));
        assert!(within("\"1234567\"".into(), Origin::Local, 9, &console()).is_ok());
    }
}
