//! `ghost queue`: the queues of `g.queue`, for people.

pub(super) mod show;
mod watch;

use std::io::{self, IsTerminal};

use clap::{Args, Subcommand};
use ghost::queue::{Page, Queues, Urgency};

use super::{
    Exit, input,
    input::Source,
    place::Place,
    report,
    trouble::{self, Trouble},
    units,
};

const EXAMPLES: &str = "Examples:
  ghost queue list                        which queues there are
  ghost queue show mails                  the items that come next
  ghost queue dead mails                  the items that failed for good
  ghost queue retry mails 17 18
  ghost queue enqueue mails '{\"to\": \"ada\"}'
  ghost queue watch                       how they grow and shrink";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Queue {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    place: Place,
}

#[derive(Subcommand)]
enum Command {
    /// Lists the queues with their counts
    List {
        /// Prints one JSON value also on a terminal
        #[arg(long)]
        json: bool,
    },
    /// Shows the pending items of a queue, next first
    Show(Items),
    /// Shows the dead letters of a queue, oldest first
    Dead(Items),
    /// Sends dead letters back to pending
    Retry {
        name: String,
        /// What `dead` shows as the id
        #[arg(required = true, value_name = "ID")]
        ids: Vec<u64>,
    },
    /// Deletes all items of a queue: pending, checked out and dead
    Clear { name: String },
    /// Adds an item; makes a workspace if there is none
    Enqueue {
        name: String,
        /// JSON, @FILE, or `-` for standard input
        #[arg(value_name = "JSON|@FILE|-", default_value = "-", hide_default_value = true, allow_hyphen_values = true)]
        data: String,
        /// 0 is low, 1 normal, 2 high
        #[arg(long, default_value_t = Urgency::default().priority, value_parser = clap::value_parser!(u8).range(..=2))]
        priority: u8,
        /// How often it is tried again before it becomes a dead letter
        #[arg(long, default_value_t = Urgency::default().max_retries, value_parser = units::natural())]
        max_retries: u32,
    },
    /// Shows counts, oldest item and rates, anew each second; Ctrl-C ends it
    ///
    /// While another process holds the workspace it says so, and goes on as soon as it can. Where standard output is no
    /// terminal, and with --json, each second is a line of JSON: {"time":…,"queues":[{"name","pending","checkedOut","dead",
    /// "oldestEnqueuedAt","enqueuedPerSecond","committedPerSecond"},…]}, or {"time":…,"error":{"code":"BUSY","message":…}}.
    /// What is not known yet is null.
    #[command(after_help = "Examples:
  ghost queue watch
  ghost queue watch mails --json | jq -c '[.time, .queues[]?.pending]'")]
    Watch {
        /// Only this queue
        name: Option<String>,
        /// Prints a line of JSON each second also on a terminal
        #[arg(long)]
        json: bool,
    },
}

#[derive(Args)]
struct Items {
    name: String,
    /// How many items at the most
    #[arg(long, default_value_t = Page::default().limit, value_parser = units::natural())]
    limit: u32,
    /// How many are passed over before the first
    #[arg(long, default_value_t = 0, value_parser = units::natural())]
    offset: u32,
    /// Prints one JSON value also on a terminal
    #[arg(long)]
    json: bool,
}

impl Queue {
    pub(crate) fn run(self) -> Exit {
        trouble::exit(self.attempt())
    }

    fn attempt(&self) -> Result<Exit, Trouble> {
        match &self.command {
            Command::List { json } => Ok(show::queues(&self.queues()?.overview()?, *json)),
            Command::Show(items) => self.show(items, false),
            Command::Dead(items) => self.show(items, true),
            Command::Retry { name, ids } => self.retry(name, ids),
            Command::Clear { name } => {
                let mut queues = self.queues()?;
                known(&mut queues, name)?;
                queues.clear(name)?;
                queues.save()?;
                Ok(Exit::Success)
            }
            Command::Enqueue { name, data, priority, max_retries } => {
                self.enqueue(name, data, Urgency { priority: *priority, max_retries: *max_retries })
            }
            Command::Watch { name, json } => watch::run(&self.place.existing()?, name.as_deref(), *json),
        }
    }

    /// The queues of a workspace that is there.
    fn queues(&self) -> Result<Queues, Trouble> {
        Ok(Queues::of(&self.place.existing()?))
    }

    fn show(&self, items: &Items, dead: bool) -> Result<Exit, Trouble> {
        let mut queues = self.queues()?;
        let counts = known(&mut queues, &items.name)?;
        let page = Page { limit: items.limit, offset: items.offset };
        let (found, count) = if dead {
            (queues.dead_letters(&items.name, page)?, counts.dead)
        } else {
            (queues.list(&items.name, page)?, counts.pending)
        };
        Ok(show::items(&found, count, page, items.json))
    }

    fn retry(&self, name: &str, ids: &[u64]) -> Result<Exit, Trouble> {
        let mut queues = self.queues()?;
        let mut exit = Exit::Success;
        for id in ids {
            if let Err(error) = queues.retry(name, *id) {
                exit = Trouble::from(error).tell();
            }
        }
        queues.save()?;
        Ok(exit)
    }

    fn enqueue(&self, name: &str, data: &str, urgency: Urgency) -> Result<Exit, Trouble> {
        let source = Source::of(data);
        if source == Source::Standard && io::stdin().is_terminal() {
            report::note("reading JSON from standard input");
        }
        let data = input::json_of(&source)?;
        self.place.with_workspace(|workspace| {
            let mut queues = Queues::of(workspace);
            queues.enqueue(name, &show::one_line(&data), urgency)?;
            queues.save()?;
            Ok(Exit::Success)
        })
    }
}

/// The counts of a queue that is there.
fn known(queues: &mut Queues, name: &str) -> Result<ghost::queue::Counts, Trouble> {
    let found = queues.overview()?.into_iter().find(|queue| queue.name == name);
    found.map(|queue| queue.counts).ok_or_else(|| Trouble::failed(format!("there is no queue {name}")))
}
