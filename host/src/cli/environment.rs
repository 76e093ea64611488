//! The environment: the user's folders, and the secrets in variables. These are removed first, so that no library and no
//! child process can read them there.
#![allow(unsafe_code, reason = "the environment can only be changed while there is one thread")]

use std::{
    collections::BTreeMap,
    env,
    ffi::{CString, OsString},
    io,
    path::PathBuf,
    ptr,
    sync::OnceLock,
};

use ghost::secrets::{self, Secret};

const PREFIX: &str = "GHOST_SECRET_";

static TAKEN: OnceLock<BTreeMap<String, Taken>> = OnceLock::new();

/// The value of a variable that was removed.
pub(crate) enum Taken {
    Secret(Secret),
    NotUtf8,
}

/// Removes all secrets from the environment, and protects the process from debuggers if there is one. Must be the first
/// call of `main`.
pub(crate) fn take_secrets() -> io::Result<()> {
    let named = |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value));
    let variables: Vec<_> = env::vars_os().filter_map(named).filter(|(name, _)| name.starts_with(PREFIX)).collect();
    if variables.is_empty() {
        return Ok(());
    }
    secrets::protect_process()?;
    let mut taken = BTreeMap::new();
    for (name, value) in variables {
        remove(&name);
        let value = value.into_string().map_or(Taken::NotUtf8, |text| Taken::Secret(text.into()));
        taken.insert(name, value);
    }
    // Called once, so it can't be set already.
    let _set = TAKEN.set(taken);
    Ok(())
}

/// Removes a variable from the environment, and overwrites its value in the memory that `/proc` shows.
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

/// Returns the value of a variable that was removed; none if it was not set.
pub(crate) fn taken(variable: &str) -> Option<&'static Taken> {
    TAKEN.get()?.get(variable)
}

/// Returns a folder of the user: that of a variable (`XDG_CACHE_HOME`), else this one in the home. None when neither the
/// variable nor `HOME` is an absolute path.
pub(crate) fn user_folder(variable: &str, in_home: &str) -> Option<PathBuf> {
    let named = |variable| env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    named(variable).or_else(|| named("HOME").map(|home| home.join(in_home)))
}
