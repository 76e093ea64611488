//! What a run is given.

use std::{
    fmt,
    time::{Duration, Instant},
};

use crate::{Level, secrets::Secrets, workspace::Workspace};

/// Where a script comes from; it decides what the script may touch, and the defaults of its limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// The user's own script.
    #[default]
    Local,
    /// An AI client, through the Model Context Protocol: no external namespaces.
    Mcp,
}

/// What one run may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Wall time, of the script and of what the host does for it; ten years at most.
    pub time: Duration,
    /// The script's memory, in bytes. What the host keeps for the run (console lines, what calls were given and what came
    /// back, documents that a search takes in) shares one budget with it: this and 100 MiB.
    pub memory: u64,
    /// What the run may write to the workspace, its search indexes included, in bytes; `None` for no limit. Nothing is given
    /// back for what it replaces or deletes. A call that would write more fails with `LIMIT`.
    pub disk: Option<u64>,
    /// What `console` may write, in bytes; the rest is dropped, and one line says how much.
    pub console: usize,
    /// The result's JSON: bytes for [`Origin::Local`], where a larger one fails the run; characters for
    /// [`Origin::Mcp`], where it is cut.
    pub result: usize,
    /// How many calls of external methods are in flight at a time; more wait.
    pub calls: usize,
    /// What the host keeps of the answers of remote systems, all together, in bytes.
    pub buffers: u64,
    /// How long the steps of such a call may take that stall when a server does.
    pub timeouts: Timeouts,
}

/// How long the steps of a call of an external method may take that stall when a server does. The call as a whole has what is
/// left of the run's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Reaching the server: its name, the connection, TLS, the login.
    pub connect: Duration,
    /// Waiting for a connection that others use.
    pub wait: Duration,
    /// How long a connection is kept that no call uses. Of the runs that share a connection, the first one's counts.
    pub idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { connect: Duration::from_secs(10), wait: Duration::from_secs(30), idle: Duration::from_secs(60) }
    }
}

/// More than any run takes, and little enough to be added to any moment.
const LONGEST: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);

impl Limits {
    /// The same with times that are no longer than a clock can tell.
    pub(crate) fn bounded(self) -> Self {
        let Timeouts { connect, wait, idle } = self.timeouts;
        let timeouts = Timeouts { connect: connect.min(LONGEST), wait: wait.min(LONGEST), idle: idle.min(LONGEST) };
        Self { time: self.time.min(LONGEST), timeouts, ..self }
    }

    /// The defaults for an origin.
    pub fn of(origin: Origin) -> Self {
        match origin {
            Origin::Local => Self {
                time: Duration::from_secs(300),
                memory: 256 << 20,
                disk: None,
                console: 16 << 20,
                result: 64 << 20,
                calls: 128,
                buffers: 64 << 20,
                timeouts: Timeouts::default(),
            },
            Origin::Mcp => Self {
                time: Duration::from_secs(60),
                memory: 128 << 20,
                disk: Some(1 << 30),
                console: 16 << 10,
                result: 24_000,
                calls: 16,
                buffers: 8 << 20,
                timeouts: Timeouts::default(),
            },
        }
    }
}

/// Takes what a script writes to its console, a call at a time, without the line's end. It may be called from another
/// thread, and later than the script wrote: when what the script stored before is on disk.
pub type ConsoleSink = Box<dyn FnMut(Level, &str) + Send>;

/// What a run is given.
pub struct RunOptions {
    /// Where `g.store` and its siblings keep their data; without one they fail with `NO_WORKSPACE`.
    pub workspace: Option<Workspace>,
    /// Where the script comes from. The limits for it are those of [`Limits::of`], which [`RunOptions::of`] has; no other
    /// option follows it.
    pub origin: Origin,
    /// The arguments of `main`, each as JSON.
    pub arguments: Vec<String>,
    /// What the run may use.
    pub limits: Limits,
    /// When the run's time began, if something was done for it before, such as compiling its script.
    pub since: Option<Instant>,
    /// Takes the console; without one it is collected in [`Outcome::console`](crate::Outcome::console).
    pub console: Option<ConsoleSink>,
    /// What `conn` of external methods names; without it no name is known.
    pub secrets: Option<Secrets>,
}

impl RunOptions {
    /// The defaults for an origin: no workspace, no arguments, no secrets.
    pub fn of(origin: Origin) -> Self {
        Self {
            workspace: None,
            origin,
            arguments: Vec::new(),
            limits: Limits::of(origin),
            since: None,
            console: None,
            secrets: None,
        }
    }
}

impl Default for RunOptions {
    fn default() -> Self {
        Self::of(Origin::default())
    }
}

impl fmt::Debug for RunOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunOptions")
            .field("origin", &self.origin)
            .field("limits", &self.limits)
            .field("arguments", &self.arguments.len())
            .finish_non_exhaustive()
    }
}
