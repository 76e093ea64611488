//! Names that scripts know from elsewhere and that are not here. They are undefined, so that a test for them works; using
//! one is an error that says what there is instead.

use std::ffi::{CStr, c_char};

const NAMES: [(&CStr, &CStr); 10] = [
    (c"fetch", c"fetch is not available: a script has no network; data comes to main and through g.store"),
    (
        c"XMLHttpRequest",
        c"XMLHttpRequest is not available: a script has no network; data comes to main and through g.store",
    ),
    (c"WebSocket", c"WebSocket is not available: a script has no network; data comes to main and through g.store"),
    (c"require", c"require is not available: a script is one file without packages; g.store keeps documents"),
    (
        c"process",
        c"process is not available: a script has no environment; arguments come to main, and g.store keeps documents",
    ),
    (
        c"Deno",
        c"Deno is not available: a script has no files and no environment; data comes to main and through g.store",
    ),
    (c"Bun", c"Bun is not available: a script has no files and no environment; data comes to main and through g.store"),
    (c"localStorage", c"localStorage is not available: g.store keeps documents"),
    (c"indexedDB", c"indexedDB is not available: g.store keeps documents"),
    (c"Intl", c"Intl is not available: there are no locales, and local time is UTC; g.store keeps what a script knows"),
];

/// What QuickJS says of a name that is not defined (quickjs.patch); null for its own words.
// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
extern "C" fn ghost_absent(name: *const c_char) -> *const c_char {
    // SAFETY: QuickJS gives a text that ends.
    let name = unsafe { CStr::from_ptr(name) };
    NAMES.iter().find(|(known, _)| *known == name).map_or(std::ptr::null(), |(_, message)| message.as_ptr())
}
