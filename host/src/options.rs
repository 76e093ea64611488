//! The options of a run.

use std::{
    any::Any,
    fmt,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use serde::Serialize;

use crate::{DataLimits, Error, Level, secrets::Secrets, workspace::Workspace};

/// The source of a script. It determines which namespaces the script can use, and the defaults of its limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// The user's own script.
    #[default]
    Local,
    /// A script of an AI client (Model Context Protocol): no external namespaces.
    Mcp,
}

/// The limits of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The wall time of the script and of the host's work for it; at most ten years.
    pub time: Duration,
    /// The memory of the script, in bytes. The data that the host keeps for the run (console lines, arguments and results of
    /// calls, documents that a search indexes) shares one budget with it: this value and 100 MiB.
    pub memory: u64,
    /// The bytes that the run may write to the workspace, including its indexes; `None` for no limit. Replacing or deleting
    /// data does not raise the remaining allowance. A call that would write more fails with `LIMIT`.
    pub disk: Option<u64>,
    /// The console output, in bytes. Further lines are dropped, and one line reports how many bytes were dropped.
    pub console: usize,
    /// The size of the result as JSON: in bytes for [`Origin::Local`], where a larger result fails the run; in characters
    /// for [`Origin::Mcp`], where a larger result is cut.
    pub result: usize,
    /// The number of external calls in flight, including calls of asynchronous [functions](crate::functions) of the host;
    /// further calls wait.
    pub calls: usize,
    /// The results of all external calls in flight that the host keeps, in bytes. (Their arguments are limited by `memory`.)
    pub buffers: u64,
    /// The time limits for the steps of an external call.
    pub timeouts: Timeouts,
    /// The limits of the local namespaces.
    pub data: DataLimits,
}

/// The time limits for the steps of an external call that stall when a server does. The call as a whole is limited only by
/// the time of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Connecting to the server: name resolution, connection, TLS, login.
    pub connect: Duration,
    /// Waiting for a connection of the pool.
    pub wait: Duration,
    /// How long an idle connection stays open. For a pool that several runs share, the value of the first run applies.
    pub idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { connect: Duration::from_secs(10), wait: Duration::from_secs(30), idle: Duration::from_secs(60) }
    }
}

/// The longest time of a limit: longer than any run, and short enough to be added to any `Instant`.
const MAX_TIME: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);

impl Default for Limits {
    /// The limits of a user's own script.
    fn default() -> Self {
        Self::of(Origin::default())
    }
}

impl Limits {
    /// Returns the limits with times that can be added to an `Instant`, and none of the local namespaces above its maximum.
    pub(crate) fn bounded(self) -> Self {
        let Timeouts { connect, wait, idle } = self.timeouts;
        let timeouts = Timeouts { connect: connect.min(MAX_TIME), wait: wait.min(MAX_TIME), idle: idle.min(MAX_TIME) };
        Self { time: self.time.min(MAX_TIME), timeouts, data: self.data.at_most(&DataLimits::MAX), ..self }
    }

    /// Returns the smaller one of each limit.
    pub(crate) fn at_most(self, other: &Self) -> Self {
        let (one, two) = (self.timeouts, other.timeouts);
        Self {
            time: self.time.min(other.time),
            memory: self.memory.min(other.memory),
            disk: [self.disk, other.disk].into_iter().flatten().min(),
            console: self.console.min(other.console),
            result: self.result.min(other.result),
            calls: self.calls.min(other.calls),
            buffers: self.buffers.min(other.buffers),
            timeouts: Timeouts {
                connect: one.connect.min(two.connect),
                wait: one.wait.min(two.wait),
                idle: one.idle.min(two.idle),
            },
            data: self.data.at_most(&other.data),
        }
    }

    /// Returns the default limits for an origin.
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
                data: DataLimits::default(),
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
                data: DataLimits::default(),
            },
        }
    }
}

/// A sink for the console output of a script: called once for each call of the console, without the last line break. It
/// may be called on another thread, and later than the script wrote, when the earlier writes of the script are on disk.
pub type ConsoleSink = Box<dyn FnMut(Level, &str) + Send>;

/// How far the transfers of local files to and from an object store are. Several may be under way at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// A transfer of this many bytes begins.
    Begun(u64),
    /// A transfer moved this many further bytes. A part that is sent again counts again.
    Progress(u64),
    /// A transfer ended, successfully or not.
    Ended,
}

/// An observer of transfers. It is called on any thread, and must not block.
pub type TransferObserver = Arc<dyn Fn(Transfer) + Send + Sync>;

/// What a run gives to the [functions](crate::functions) of its host, for example its tenant: any type of the program.
pub type Context = Arc<dyn Any + Send + Sync>;

/// The options of a run.
pub struct RunOptions {
    /// The workspace of the local namespaces; without one, they fail with `NO_WORKSPACE`.
    pub workspace: Option<Workspace>,
    /// Whether the run may only read: the methods of the local namespaces that write fail with `BLOCKED`.
    pub read_only: bool,
    /// The source of the script. It does not change `limits`; [`RunOptions::of`] sets them to [`Limits::of`] its origin.
    pub origin: Origin,
    /// The arguments of `main`, each as JSON.
    pub arguments: Vec<String>,
    /// The limits of the run.
    pub limits: Limits,
    /// When the time of the run began, if earlier work (such as compiling its script) counts towards it.
    pub since: Option<Instant>,
    /// The sink for the console; without one, the output is in [`Outcome::console`](crate::Outcome::console).
    pub console: Option<ConsoleSink>,
    /// The secrets that the parameter `conn` of external methods names; without them, no name exists.
    pub secrets: Option<Secrets>,
    /// The folder that contains the files which the parameter `localPath` of external methods names; a script can't leave it.
    /// Without one, such calls fail with `PATH_DENIED`.
    pub directory: Option<PathBuf>,
    /// The observer of the transfers of such files.
    pub transfers: Option<TransferObserver>,
    /// What the [functions](crate::functions) of the host receive with each call of the run, for example the tenant:
    /// `Some(Arc::new(tenant))`.
    pub context: Option<Context>,
}

impl RunOptions {
    /// Returns the default options for an origin: no workspace, no arguments, no secrets, no folder.
    pub fn of(origin: Origin) -> Self {
        Self {
            workspace: None,
            read_only: false,
            origin,
            arguments: Vec::new(),
            limits: Limits::of(origin),
            since: None,
            console: None,
            secrets: None,
            directory: None,
            transfers: None,
            context: None,
        }
    }

    /// Adds an argument of `main`: a value that [serde](https://serde.rs) can serialize as JSON.
    ///
    /// Fails with `invalid-argument` when it can't be JSON, such as a map whose keys are not strings.
    pub fn with_argument(mut self, value: &(impl Serialize + ?Sized)) -> Result<Self, Error> {
        let json = serde_json::to_string(value);
        self.arguments.push(json.map_err(|error| Error::invalid(format!("the argument can't be JSON: {error}")))?);
        Ok(self)
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
