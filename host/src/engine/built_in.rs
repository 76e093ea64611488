//! The JavaScript engines that are part of the program, compiled at build.
//!
//! With `unsafe`: their native code is made executable where it lies.
#![allow(unsafe_code, reason = "code that was compiled at build is loaded without a copy")]

use std::{
    ptr::NonNull,
    sync::atomic::{AtomicBool, Ordering},
};

use wasmtime::{CustomCodeMemory, Engine, component::Component};

/// The engine of the world `script`.
pub(crate) static SCRIPT: BuiltIn =
    BuiltIn { code: &PageAligned(*include_bytes!(env!("GHOST_ENGINE"))), taken: AtomicBool::new(false) };
/// The engine of the world `local-script`.
pub(crate) static LOCAL_SCRIPT: BuiltIn =
    BuiltIn { code: &PageAligned(*include_bytes!(env!("GHOST_LOCAL_ENGINE"))), taken: AtomicBool::new(false) };

pub(crate) struct BuiltIn {
    code: &'static PageAligned<[u8]>,
    /// Whether it was loaded in place before.
    taken: AtomicBool,
}

/// So that the code in it can be made executable.
#[repr(C, align(4096))]
struct PageAligned<B: ?Sized>(B);

impl BuiltIn {
    /// Loads the engine in place, so that code which never runs is not read from the disk. Wasmtime can have the code
    /// at one address loaded only once at a time, and does not report when it has released it, so every further host of
    /// a process uses a copy.
    pub(crate) fn load(&self, engine: &Engine) -> wasmtime::Result<Component> {
        let in_place = !self.taken.swap(true, Ordering::Relaxed);
        // SAFETY: the bytes were made by `Engine::precompile_component` in the build script of this very program and are
        // part of it, so they live as long as it, and are never written.
        unsafe {
            match in_place {
                true => Component::deserialize_raw(engine, NonNull::from(&self.code.0)),
                false => Component::deserialize(engine, &self.code.0),
            }
        }
    }

    fn contains(&self, code: *const u8) -> bool {
        self.code.0.as_ptr_range().contains(&code)
    }
}

/// Makes code executable where it lies.
pub(crate) struct InPlace;

impl CustomCodeMemory for InPlace {
    fn required_alignment(&self) -> usize {
        4096
    }

    fn publish_executable(&self, code: *const u8, length: usize) -> wasmtime::Result<()> {
        protect(code, length, libc::PROT_READ | libc::PROT_EXEC)
    }

    fn unpublish_executable(&self, code: *const u8, length: usize) -> wasmtime::Result<()> {
        if SCRIPT.contains(code) || LOCAL_SCRIPT.contains(code) {
            return Ok(()); // it is part of the program, and copies of it may be made
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
