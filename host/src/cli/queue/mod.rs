//! `ghost queue`: the queues of `g.queue`, for people.

pub(super) mod show;
mod watch;

use std::io::{self, IsTerminal};

use clap::{Args, Subcommand};
use ghost::{
    ErrorCode,
    queue::{Counts, EnqueueOptions, Page, Queues},
};
use indicatif::HumanCount;

use super::{
    Exit, input,
    input::Source,
    json,
    place::Place,
    prompt, report,
    table::counted,
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
    #[command(after_help = "Examples:
  ghost queue list
  ghost queue list --json | jq '.[] | select(.dead > 0).name'")]
    List {
        /// Prints one JSON value also on a terminal
        #[arg(long)]
        json: bool,
    },
    /// Shows the pending items of a queue, next first
    #[command(after_help = "Examples:
  ghost queue show mails
  ghost queue show mails --limit 10 --json | jq '.[].data'")]
    Show(Items),
    /// Shows the dead letters of a queue, oldest first
    #[command(after_help = "Examples:
  ghost queue dead mails
  ghost queue dead mails --json | jq -r '.[].lastError'")]
    Dead(Items),
    /// Sends dead letters back to pending
    #[command(after_help = "Examples:
  ghost queue retry mails 17 18
  ghost queue retry mails --all")]
    Retry {
        /// The queue
        name: String,
        /// What `dead` shows as the id
        #[arg(required_unless_present = "all", value_name = "ID", value_parser = units::id)]
        ids: Vec<u64>,
        /// Sends back all dead letters that the queue has now
        #[arg(long, conflicts_with = "ids")]
        all: bool,
    },
    /// Deletes all items of a queue: pending, checked out and dead; asks first on a terminal, and only there
    #[command(after_help = "Examples:
  ghost queue clear mails
  ghost queue clear mails --yes           in a script that somebody runs on a terminal")]
    Clear {
        /// The queue
        name: String,
        /// Does not ask
        #[arg(short, long)]
        yes: bool,
    },
    /// Adds an item; makes a workspace if there is none
    #[command(after_help = "Examples:
  ghost queue enqueue mails '{\"to\": \"ada\"}'
  ghost queue enqueue mails @mail.json --priority high --max-retries 0
  curl -s ... | ghost queue enqueue mails")]
    Enqueue {
        /// The queue; it is there as soon as it holds an item
        name: String,
        /// JSON, @FILE, or `-` for standard input
        #[arg(value_name = "JSON|@FILE|-", default_value = "-", hide_default_value = true, allow_hyphen_values = true)]
        data: String,
        /// high, normal or low; also 2, 1, 0 as in scripts
        #[arg(long, default_value = "normal", value_parser = units::priority, allow_negative_numbers = true)]
        priority: u8,
        /// How often it is tried again before it becomes a dead letter
        #[arg(long, default_value_t = EnqueueOptions::default().max_retries, value_parser = units::natural, allow_negative_numbers = true)]
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
    /// The queue
    name: String,
    /// How many items at the most
    #[arg(long, default_value_t = Page::default().limit, value_parser = units::natural, allow_negative_numbers = true)]
    limit: u32,
    /// How many are passed over before the first
    #[arg(long, default_value_t = 0, value_parser = units::natural, allow_negative_numbers = true)]
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
            Command::Retry { name, all: true, .. } => self.retry_all(name),
            Command::Retry { name, ids, .. } => self.retry(name, ids),
            Command::Clear { name, yes } => self.clear(name, *yes),
            Command::Enqueue { name, data, priority, max_retries } => {
                self.enqueue(name, data, EnqueueOptions { priority: *priority, max_retries: *max_retries })
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
        Ok(if dead {
            show::dead(&queues.dead_letters(&items.name, page)?, counts.dead, page, items.json)
        } else {
            show::pending(&queues.list(&items.name, page)?, counts.pending, page, items.json)
        })
    }

    fn retry(&self, name: &str, ids: &[u64]) -> Result<Exit, Trouble> {
        let mut queues = self.queues()?;
        known(&mut queues, name)?;
        let (mut exit, mut retried) = (Exit::Success, 0);
        for id in ids {
            match queues.retry(name, *id) {
                Ok(()) => retried += 1,
                Err(error) if error.code == ErrorCode::NotFound => exit = no_dead_letter(name, *id).tell(),
                Err(error) => exit = Trouble::from(error).tell(),
            }
        }
        queues.save()?;
        tell_retried(retried, name);
        Ok(exit)
    }

    fn retry_all(&self, name: &str) -> Result<Exit, Trouble> {
        let mut queues = self.queues()?;
        let dead = known(&mut queues, name)?.dead;
        let retried = queues.retry_oldest(name, dead)?;
        queues.save()?;
        tell_retried(retried, name);
        Ok(Exit::Success)
    }

    fn clear(&self, name: &str, yes: bool) -> Result<Exit, Trouble> {
        let mut queues = self.queues()?;
        let items = items_of(&known(&mut queues, name)?, name);
        if !prompt::permits(yes, || format!("delete {items}?"))? {
            return Ok(Exit::Failed);
        }
        // Others may have changed it while somebody thought about it.
        let items = items_of(&known(&mut queues, name)?, name);
        queues.clear(name)?;
        queues.save()?;
        report::note(&format!("deleted {items}"));
        Ok(Exit::Success)
    }

    fn enqueue(&self, name: &str, data: &str, options: EnqueueOptions) -> Result<Exit, Trouble> {
        let source = Source::of(data);
        if source == Source::Standard && io::stdin().is_terminal() {
            report::note("reading JSON from standard input");
        }
        let data = input::json_of(&source)?;
        self.place.with_workspace(|workspace| {
            let mut queues = Queues::of(workspace);
            queues.enqueue(name, &json::compact(&data), options)?;
            queues.save()?;
            Ok(Exit::Success)
        })
    }
}

/// `3 items of mails: 2 pending, 1 checked out, 0 dead`
fn items_of(counts: &Counts, name: &str) -> String {
    let states = [(counts.pending, "pending"), (counts.checked_out, "checked out"), (counts.dead, "dead")];
    let states = states.map(|(count, state)| format!("{} {state}", HumanCount(count))).join(", ");
    format!("{} of {name}: {states}", counted(counts.items(), "item"))
}

fn tell_retried(count: u64, name: &str) {
    report::note(&format!("sent {} of {name} back to pending", counted(count, "dead letter")));
}

fn no_dead_letter(name: &str, id: u64) -> Trouble {
    Trouble::failed(format!("{name} has no dead letter {id}; to see those it has: ghost queue dead {name}"))
}

/// The counts of a queue that is there.
fn known(queues: &mut Queues, name: &str) -> Result<Counts, Trouble> {
    let found = queues.overview()?.into_iter().find(|queue| queue.name == name);
    found.map(|queue| queue.counts).ok_or_else(|| Trouble::failed(format!("there is no queue {name}")))
}
