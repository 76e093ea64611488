//! What a component may import of WASI: what languages need to start.
//!
//! There are no preopened folders, no environment and no arguments behind it, and sockets and HTTP are not linked at
//! all.

use wasmtime::component::Linker;
use wasmtime_wasi::{
    WasiView,
    cli::{WasiCli, WasiCliView},
    filesystem::{WasiFilesystem, WasiFilesystemView},
    p2::{
        add_to_linker_proxy_interfaces_async,
        bindings::{cli, filesystem, random},
    },
    random::WasiRandom,
};

/// The packages whose interfaces are linked, all of version 0.2.
pub(crate) const PACKAGES: [&str; 5] = ["wasi:cli", "wasi:clocks", "wasi:filesystem", "wasi:io", "wasi:random"];

/// Links `wasi:io`, `clocks`, `random`, `cli` and an empty `filesystem`.
pub(crate) fn add_to_linker<T: WasiView>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    add_to_linker_proxy_interfaces_async(linker)?;
    random::insecure::add_to_linker::<T, WasiRandom>(linker, |state| state.ctx().ctx.random())?;
    random::insecure_seed::add_to_linker::<T, WasiRandom>(linker, |state| state.ctx().ctx.random())?;
    cli::exit::add_to_linker::<T, WasiCli>(linker, T::cli)?;
    cli::environment::add_to_linker::<T, WasiCli>(linker, T::cli)?;
    cli::terminal_input::add_to_linker::<T, WasiCli>(linker, T::cli)?;
    cli::terminal_output::add_to_linker::<T, WasiCli>(linker, T::cli)?;
    cli::terminal_stdin::add_to_linker::<T, WasiCli>(linker, T::cli)?;
    cli::terminal_stdout::add_to_linker::<T, WasiCli>(linker, T::cli)?;
    cli::terminal_stderr::add_to_linker::<T, WasiCli>(linker, T::cli)?;
    filesystem::preopens::add_to_linker::<T, WasiFilesystem>(linker, T::filesystem)?;
    filesystem::types::add_to_linker::<T, WasiFilesystem>(linker, T::filesystem)
}
