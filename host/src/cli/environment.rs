//! The secrets of the environment. They are taken out of it before anything else is done, so that nothing that the program
//! starts or links finds them there.
#![allow(unsafe_code, reason = "the environment can only be changed while there is one thread")]

use std::{
    collections::BTreeMap,
    env,
    ffi::{CString, OsString},
    io, ptr,
    sync::OnceLock,
};

use ghost::secrets::{self, Secret};

const PREFIX: &str = "GHOST_SECRET_";

static TAKEN: OnceLock<BTreeMap<String, Taken>> = OnceLock::new();

/// What a variable held.
pub(crate) enum Taken {
    Secret(Secret),
    NotUtf8,
}

/// Takes all secrets out of the environment, and closes the process to others when there was one. It is what `main` does
/// first.
pub(crate) fn take_secrets() -> io::Result<()> {
    let named = |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value));
    let variables: Vec<_> = env::vars_os().filter_map(named).filter(|(name, _)| name.starts_with(PREFIX)).collect();
    if variables.is_empty() {
        return Ok(());
    }
    secrets::close_process()?;
    let mut taken = BTreeMap::new();
    for (name, value) in variables {
        remove(&name);
        let value = value.into_string().map_or(Taken::NotUtf8, |text| Taken::Secret(text.into()));
        taken.insert(name, value);
    }
    // Called once: there is nothing to take a second time.
    let _set = TAKEN.set(taken);
    Ok(())
}

/// Takes a variable out of the environment, and its value out of the memory that the system shows of it.
fn remove(name: &str) {
    let Ok(terminated) = CString::new(name) else { return };
    // SAFETY: `main` has not started a thread yet, so nobody reads the environment meanwhile; the value lies in memory of
    // this process and is terminated.
    unsafe {
        let value = libc::getenv(terminated.as_ptr());
        if !value.is_null() {
            ptr::write_bytes(value, 0, libc::strlen(value));
        }
        env::remove_var(name);
    }
}

/// What a variable held that was taken; none when it was not set.
pub(crate) fn taken(variable: &str) -> Option<&'static Taken> {
    TAKEN.get()?.get(variable)
}
