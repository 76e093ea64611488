//! `ghost queue`: shows and changes the queues of `g.queue`.

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
    problem::{self, Problem},
    prompt, report,
    table::counted,
    units,
    workspace_args::WorkspaceArgs,
};

const EXAMPLES: &str = "Examples:
  ghost queue list                        list the queues
  ghost queue show mails                  show the next items
  ghost queue dead mails                  show the dead letters
  ghost queue retry mails 17 18
  ghost queue enqueue mails '{\"to\": \"ada\"}'
  ghost queue watch                       show the counts each second";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Queue {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    workspace: WorkspaceArgs,
}

#[derive(Subcommand)]
enum Command {
    /// Lists the queues with their counts
    #[command(after_help = "Examples:
  ghost queue list
  ghost queue list --json | jq '.[] | select(.dead > 0).name'")]
    List {
        /// Prints JSON instead of a table, also on a terminal
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
    /// Moves dead letters back to pending
    #[command(after_help = "Examples:
  ghost queue retry mails 17 18
  ghost queue retry mails --all")]
    Retry {
        /// The queue
        name: String,
        /// The ids of the dead letters, as shown by `dead`
        #[arg(required_unless_present = "all", value_name = "ID", value_parser = units::id)]
        ids: Vec<u64>,
        /// Moves all dead letters of the queue back
        #[arg(long, conflicts_with = "ids")]
        all: bool,
    },
    /// Deletes all items of a queue: pending, checked out and dead; asks for confirmation on a terminal
    #[command(after_help = "Examples:
  ghost queue clear mails
  ghost queue clear mails --yes           do not ask")]
    Clear {
        /// The queue
        name: String,
        /// Does not ask for confirmation
        #[arg(short, long)]
        yes: bool,
    },
    /// Adds an item; creates a workspace if there is none
    #[command(after_help = "Examples:
  ghost queue enqueue mails '{\"to\": \"ada\"}'
  ghost queue enqueue mails @mail.json --priority high --max-retries 0
  curl -s ... | ghost queue enqueue mails")]
    Enqueue {
        /// The queue; the first item creates it
        name: String,
        /// The data: JSON, @FILE, or `-` for standard input [default: -]
        #[arg(value_name = "JSON|@FILE|-", default_value = "-", hide_default_value = true, allow_hyphen_values = true)]
        data: String,
        /// The priority: high, normal or low; or 2, 1, 0 as in scripts
        #[arg(long, default_value = "normal", value_parser = units::priority, allow_negative_numbers = true)]
        priority: u8,
        /// The number of retries before the item becomes a dead letter
        #[arg(long, default_value_t = EnqueueOptions::default().max_retries, value_parser = units::natural, allow_negative_numbers = true)]
        max_retries: u32,
    },
    /// Shows for each queue its counts, its rates each second, and how long ago its next item was enqueued (of several
    /// priorities: the oldest next item), until Ctrl-C
    ///
    /// While another process holds the workspace, a line reports that, and the counts stay as they are. With --json, or
    /// when standard output is not a terminal, it prints a line of JSON each second: {"time":…,"queues":[{"name",
    /// "pending", "checkedOut", "dead", "oldestEnqueuedAt", "enqueuedPerSecond", "committedPerSecond"}, …]}, or
    /// {"time":…,"error":{"code":"BUSY","message":…}}. Unknown values are null.
    #[command(after_help = "Examples:
  ghost queue watch
  ghost queue watch mails --json | jq -c '[.time, .queues[]?.pending]'")]
    Watch {
        /// The queue to watch [default: all]
        name: Option<String>,
        /// Prints a line of JSON each second, also on a terminal
        #[arg(long)]
        json: bool,
    },
}

#[derive(Args)]
struct Items {
    /// The queue
    name: String,
    /// The maximum number of items
    #[arg(long, default_value_t = Page::default().limit, value_parser = units::natural, allow_negative_numbers = true)]
    limit: u32,
    /// The number of items to skip before the first
    #[arg(long, default_value_t = 0, value_parser = units::natural, allow_negative_numbers = true)]
    offset: u32,
    /// Prints JSON instead of a table, also on a terminal
    #[arg(long)]
    json: bool,
}

impl Queue {
    pub(crate) fn run(self) -> Exit {
        problem::exit(self.attempt())
    }

    fn attempt(&self) -> Result<Exit, Problem> {
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
            Command::Watch { name, json } => watch::run(&self.workspace.existing()?, name.as_deref(), *json),
        }
    }

    /// Returns the queues of the existing workspace.
    fn queues(&self) -> Result<Queues, Problem> {
        Ok(Queues::of(&self.workspace.existing()?))
    }

    fn show(&self, items: &Items, dead: bool) -> Result<Exit, Problem> {
        let mut queues = self.queues()?;
        let counts = existing_counts(&mut queues, &items.name)?;
        let page = Page { limit: items.limit, offset: items.offset };
        Ok(if dead {
            show::dead(&queues.dead_letters(&items.name, page)?, counts.dead, page, items.json)
        } else {
            show::pending(&queues.list(&items.name, page)?, counts.pending, page, items.json)
        })
    }

    fn retry(&self, name: &str, ids: &[u64]) -> Result<Exit, Problem> {
        let mut queues = self.queues()?;
        existing_counts(&mut queues, name)?;
        let (mut exit, mut retried) = (Exit::Success, 0);
        for id in ids {
            match queues.retry(name, *id) {
                Ok(()) => retried += 1,
                Err(error) if error.code == ErrorCode::NotFound => exit = no_dead_letter(name, *id).report(),
                Err(error) => exit = Problem::from(error).report(),
            }
        }
        queues.save()?;
        report_retried(retried, name);
        Ok(exit)
    }

    fn retry_all(&self, name: &str) -> Result<Exit, Problem> {
        let mut queues = self.queues()?;
        let dead = existing_counts(&mut queues, name)?.dead;
        let retried = queues.retry_oldest(name, dead)?;
        queues.save()?;
        report_retried(retried, name);
        Ok(Exit::Success)
    }

    fn clear(&self, name: &str, yes: bool) -> Result<Exit, Problem> {
        let mut queues = self.queues()?;
        let items = items_of(&existing_counts(&mut queues, name)?, name);
        if !prompt::confirm(yes, || format!("delete {items}?"))? {
            return Ok(Exit::Failed);
        }
        // Counted again, because another process may have changed the queue during the prompt.
        let items = items_of(&existing_counts(&mut queues, name)?, name);
        queues.clear(name)?;
        queues.save()?;
        report::note(&format!("deleted {items}"));
        Ok(Exit::Success)
    }

    fn enqueue(&self, name: &str, data: &str, options: EnqueueOptions) -> Result<Exit, Problem> {
        let source = Source::of(data);
        if source == Source::Standard && io::stdin().is_terminal() {
            report::note("reading JSON from standard input");
        }
        let data = input::json_of(&source)?;
        self.workspace.with_workspace(|workspace| {
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

fn report_retried(count: u64, name: &str) {
    report::note(&format!("moved {} of {name} back to pending", counted(count, "dead letter")));
}

fn no_dead_letter(name: &str, id: u64) -> Problem {
    Problem::failed(format!(
        "queue \"{name}\" has no dead letter {id}; to list its dead letters: ghost queue dead {name}"
    ))
}

/// Returns the counts of an existing queue.
fn existing_counts(queues: &mut Queues, name: &str) -> Result<Counts, Problem> {
    let found = queues.overview()?.into_iter().find(|queue| queue.name == name);
    found
        .map(|queue| queue.counts)
        .ok_or_else(|| Problem::failed(format!("there is no queue \"{name}\"; to list the queues: ghost queue list")))
}
