//! The JavaScript engines that are part of the program, compiled at build.
//!
//! The one place of the host with `unsafe`: their native code is made executable where it lies.
#![allow(unsafe_code, reason = "code that was compiled at build is loaded without a copy")]

use std::ptr::NonNull;

use wasmtime::{CustomCodeMemory, Engine, component::Component};

/// Aligned to a page, so that the code in it can be made executable.
#[repr(C, align(4096))]
pub(super) struct BuiltIn<B: ?Sized = [u8]>(B);

/// The engine of the world `script`.
pub(super) static SCRIPT: &BuiltIn = &BuiltIn(*include_bytes!(env!("GHOST_ENGINE")));
/// The engine of the world `local-script`.
pub(super) static LOCAL_SCRIPT: &BuiltIn = &BuiltIn(*include_bytes!(env!("GHOST_LOCAL_ENGINE")));

impl BuiltIn {
    /// Loads it. What a host never runs is never read from the disk.
    pub(super) fn load(&'static self, engine: &Engine) -> wasmtime::Result<Component> {
        // SAFETY: the bytes were made by `Engine::precompile_component` in the build script of this very program and are
        // part of it, so they live as long as it and nobody writes to them.
        unsafe { Component::deserialize_raw(engine, NonNull::from(&self.0)) }
    }

    fn contains(&self, code: *const u8) -> bool {
        self.0.as_ptr_range().contains(&code)
    }
}

/// Makes code executable where it lies.
pub(super) struct InPlace;

impl CustomCodeMemory for InPlace {
    fn required_alignment(&self) -> usize {
        4096
    }

    fn publish_executable(&self, code: *const u8, length: usize) -> wasmtime::Result<()> {
        protect(code, length, libc::PROT_READ | libc::PROT_EXEC)
    }

    fn unpublish_executable(&self, code: *const u8, length: usize) -> wasmtime::Result<()> {
        if SCRIPT.contains(code) || LOCAL_SCRIPT.contains(code) {
            return Ok(()); // other hosts of this process run the same code
        }
        protect(code, length, libc::PROT_READ | libc::PROT_WRITE)
    }
}

fn protect(code: *const u8, length: usize, protection: libc::c_int) -> wasmtime::Result<()> {
    // SAFETY: Wasmtime names whole pages of code that it was given or has mapped itself.
    match unsafe { libc::mprotect(code.cast_mut().cast(), length, protection) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error().into()),
    }
}
