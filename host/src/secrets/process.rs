//! Protects the memory of a process that reads secrets.

use std::io;

/// Prevents other processes of the same user from reading the memory and the initial environment of this process, and the
/// system from writing a core dump. Only debuggers of root can attach to it afterwards.
///
/// The program calls this before it reads a secret. A library host decides for its own process. Does nothing on systems
/// other than Linux.
pub fn protect_process() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    Ok(())
}
