//! How Wasmtime is configured: once for the build script, which compiles the engine ahead of time, and for the program,
//! which refuses code that was compiled otherwise.

use wasmtime::Config;

/// The engine's stack. QuickJS throws a RangeError at 512 KiB of its own stack (of calls that a script makes itself, a quarter
/// counts); the native frames behind it need up to 16 MiB (nested `JSON.stringify`). With less, deep recursion would trap,
/// and a script can't catch a trap.
const STACK_BYTES: usize = 16 << 20;

/// What an asynchronous host call needs on top of the script's stack.
const HOST_STACK_BYTES: usize = 1 << 20;

/// The oldest processor of x86-64 that the engines are compiled for. On older ones, rounding a number and rearranging a
/// vector would be calls out of the sandbox.
pub const X86_64: &str = "x86-64-v2";

/// What both sides agree on.
pub fn common() -> Config {
    let mut config = Config::new();
    config
        .wasm_component_model_async(true)
        .epoch_interruption(true)
        .max_wasm_stack(STACK_BYTES)
        .async_stack_size(STACK_BYTES + HOST_STACK_BYTES);
    config
}
