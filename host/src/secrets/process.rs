//! The memory of a process that holds secrets.

use std::io;

/// Keeps other processes of the same user from reading the memory and the first environment of this one, and the system from
/// writing them into a core dump. Debuggers can't attach to it any more, except root's.
///
/// The program does so before it reads a secret. A library host decides for its own process. Only Linux has it: elsewhere
/// nothing is done.
pub fn close_process() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    Ok(())
}
