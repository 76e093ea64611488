//! The operations of the crash, fault and damage tests, through sessions as of runs, and the state that they read.

use std::{
    env,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use proptest::{
    prelude::RngExt,
    test_runner::{RngAlgorithm, TestRng},
};

use crate::workspace::{Create, Listener, Session, Workspace};
use crate::{
    Error,
    data::{
        queue,
        store::{self, ListOptions, Sort},
    },
};

/// The time is fixed, so that the same calls write the same bytes.
const NOW: u64 = 1_800_000_000_000;

/// A call that may change something.
#[derive(Clone, Debug)]
pub(in crate::workspace) enum Operation {
    Put(&'static str, String, usize),
    Delete(&'static str, String),
    Clear(&'static str),
    Enqueue(&'static str, usize),
    /// If true, the work fails.
    Dequeue(&'static str, bool),
    ClearQueue(&'static str),
}

impl Operation {
    pub(in crate::workspace) fn random(random: &mut TestRng) -> Self {
        let collection = ["a", "ab", "b"][random.random_range(0..3)];
        let key = format!("k{}", random.random_range(0..30));
        match random.random_range(0..60) {
            58.. => Self::ClearQueue(collection),
            52..58 => Self::Dequeue(collection, random.random_bool(0.7)),
            40..52 => Self::Enqueue(collection, random.random_range(0..6_000)),
            0 => Self::Clear(collection),
            1..8 => Self::Delete(collection, key),
            8 => Self::Put(collection, key, random.random_range(0..200_000)),
            9..12 => Self::Put(collection, key, random.random_range(0..20_000)),
            _ => Self::Put(collection, key, random.random_range(0..300)),
        }
    }

    /// Executes the operation. Returns whether it changed anything.
    pub(in crate::workspace) fn apply(&self, session: &mut Session) -> Result<bool, Error> {
        match self {
            Self::Put(collection, key, size) => {
                let data = json(*size);
                session.call(|t| store::put(t, collection, key, &data)).map(|()| true)
            }
            Self::Delete(collection, key) => session.call(|t| store::delete(t, collection, key)),
            Self::Clear(collection) => session.call(|t| {
                let count = store::count(t, collection)?;
                store::clear(t, collection).map(|()| count > 0)
            }),
            Self::Enqueue(name, size) => {
                let options = queue::EnqueueOptions { priority: (size % 3) as u8, max_retries: 0 };
                session.call(|t| queue::enqueue(t, name, &json(*size), options)).map(|()| true)
            }
            Self::Dequeue(name, fails) => session.call(|t| {
                let Some(item) = queue::dequeue(t, name, 86_400_000)? else { return Ok(false) };
                if *fails {
                    queue::abort(t, item.id, Some("on purpose"))?;
                }
                Ok(true)
            }),
            Self::ClearQueue(name) => session.call(|t| {
                let known = queue::queues(t)?.iter().any(|queue| queue == name);
                queue::clear(t, name).map(|()| known)
            }),
        }
    }
}

fn json(size: usize) -> String {
    format!("\"{}\"", "x".repeat(size))
}

/// The whole content of a workspace.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::workspace) struct State {
    collections: Vec<Collection>,
    queues: Vec<Queue>,
}

#[derive(Clone, Debug, PartialEq)]
struct Queue {
    overview: queue::Overview,
    pending: Vec<queue::Item>,
    dead: Vec<queue::Item>,
}

#[derive(Clone, Debug, PartialEq)]
pub(in crate::workspace) struct Collection {
    name: String,
    count: u64,
    by_key: Vec<store::Document>,
    by_created: Vec<store::Document>,
    by_updated: Vec<store::Document>,
}

/// Reads the whole content of a workspace by every method.
pub(in crate::workspace) fn state(session: &mut Session) -> Result<State, Error> {
    let names = session.call(store::collections)?;
    let collections = names.into_iter().map(|name| collection(session, name)).collect::<Result<_, _>>()?;
    let queues = session.call(queue::overview)?;
    let queues = queues.into_iter().map(|overview| items(session, overview)).collect::<Result<_, _>>()?;
    Ok(State { collections, queues })
}

fn items(session: &mut Session, overview: queue::Overview) -> Result<Queue, Error> {
    let (name, page) = (&overview.name, queue::Page { limit: 100_000, offset: 0 });
    let pending = session.call(|t| queue::list(t, name, page))?;
    let dead = session.call(|t| queue::dead_letter(t, name, page))?;
    assert_eq!([pending.len() as u64, dead.len() as u64], [overview.counts.pending, overview.counts.dead]);
    assert_eq!(session.call(|t| queue::peek(t, name))?.as_ref(), pending.first());
    Ok(Queue { overview, pending, dead })
}

fn collection(session: &mut Session, name: String) -> Result<Collection, Error> {
    let mut list = |sort| {
        let options = ListOptions { limit: 100_000, sort, descending: false, ..ListOptions::default() };
        session.call(|t| store::list(t, &name, &options, &|| Ok(())))
    };
    let (by_key, by_created, by_updated) = (list(Sort::Key)?, list(Sort::CreatedAt)?, list(Sort::UpdatedAt)?);
    for document in &by_key {
        let found = session.call(|t| store::get(t, &name, &document.key))?;
        assert_eq!(found.as_ref(), Some(document));
    }
    let count = session.call(|t| store::count(t, &name))?;
    assert!([by_key.len(), by_created.len(), by_updated.len()].into_iter().all(|length| length as u64 == count));
    Ok(Collection { name, count, by_key, by_created, by_updated })
}

/// Opens an existing workspace in which time stands still, and that commits only on request.
pub(in crate::workspace) fn open(folder: &Path) -> Workspace {
    Workspace::with_clock(folder, Create::Never, Arc::new(|| NOW)).without_hurry()
}

pub(in crate::workspace) fn session(workspace: &Workspace, listener: Listener) -> Session {
    workspace.session(Instant::now() + Duration::from_secs(600), listener)
}

/// Returns the path of the database file.
pub(in crate::workspace) fn data(folder: &Path) -> PathBuf {
    folder.join(".ghost/data.redb")
}

/// Returns the seed of the random choices: `GHOST_SEED`, or a new one.
pub(in crate::workspace) fn seed() -> u64 {
    seed_or(u64::from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().subsec_nanos()))
}

/// Returns the seed of the random choices: `GHOST_SEED`, or the default.
pub(in crate::workspace) fn seed_or(default: u64) -> u64 {
    let seed = env::var("GHOST_SEED").map_or(default, |seed| seed.parse().expect("GHOST_SEED is a number"));
    eprintln!("GHOST_SEED={seed}");
    seed
}

pub(in crate::workspace) fn random(seed: u64) -> TestRng {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    TestRng::from_seed(RngAlgorithm::ChaCha, &bytes)
}
