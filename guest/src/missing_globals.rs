//! Globals of other runtimes, and of the language, that ghost does not have. They are undefined, so that feature detection works; using one
//! throws an error that names the alternative.

use std::ffi::{CStr, c_char};

const NAMES: [(&CStr, &CStr); 12] = [
    (c"fetch", c"fetch is not available: a script has no network; use the arguments of main and g.store instead"),
    (
        c"XMLHttpRequest",
        c"XMLHttpRequest is not available: a script has no network; use the arguments of main and g.store instead",
    ),
    (c"WebSocket", c"WebSocket is not available: a script has no network; use the arguments of main and g.store instead"),
    (c"require", c"require is not available: a script is one file without packages; to store documents, use g.store"),
    (
        c"process",
        c"process is not available: a script has no environment; use the arguments of main and g.store instead",
    ),
    (
        c"Deno",
        c"Deno is not available: a script has no files and no environment; use the arguments of main and g.store instead",
    ),
    (c"Bun", c"Bun is not available: a script has no files and no environment; use the arguments of main and g.store instead"),
    (c"localStorage", c"localStorage is not available: use g.store instead"),
    (c"indexedDB", c"indexedDB is not available: use g.store instead"),
    (c"SharedArrayBuffer", c"SharedArrayBuffer is not available: a script has one thread; use ArrayBuffer instead"),
    (c"Atomics", c"Atomics is not available: a script has one thread"),
    (c"Intl", c"Intl is not available: there are no locales, and local time is UTC"),
];

/// Returns the message for an undefined name; null for QuickJS's own message. quickjs.patch calls it.
// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
extern "C" fn ghost_missing_global(name: *const c_char) -> *const c_char {
    // SAFETY: QuickJS passes a terminated string.
    let name = unsafe { CStr::from_ptr(name) };
    NAMES.iter().find(|(known, _)| *known == name).map_or(std::ptr::null(), |(_, message)| message.as_ptr())
}
