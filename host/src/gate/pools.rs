//! Pools of connections, one for each secret.

use std::{
    any::{Any, TypeId},
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use sha2::{Digest, Sha256};
use tokio::{runtime::Handle, time::sleep};

use crate::{Error, Timeouts, secrets::Secret};

/// The number of pools that a namespace keeps, unless the host sets another. Beyond it, the least recently used pool is
/// closed, but never one in use.
pub(crate) const MAX_POOLS: usize = 128;

/// How often per idle timeout a pool is searched for connections to close.
const SWEEPS: u32 = 4;

/// The connections that a namespace keeps for one secret.
pub(crate) trait Pool: Send + Sync + Sized + 'static {
    /// Parses the secret. Neither connects nor reads a file.
    ///
    /// Fails with `secret-invalid` when the secret does not have the format of the namespace.
    fn from_secret(secret: &Secret, timeouts: &Timeouts) -> Result<Self, Error>;

    /// The name of an option of the secret whose value is a path, if there is one. A secret made with
    /// [`Secrets::without_paths`](crate::secrets::Secrets::without_paths) is then refused.
    fn path_option(&self) -> Option<&'static str> {
        None
    }

    /// The number of open connections that no call uses.
    fn idle(&self) -> usize;

    /// Closes the connections that no call has used for `time` or longer.
    fn close_idle(&self, time: Duration);

    /// Where its servers are: hosts and ports, as the secret has them. For the owner of the secret, never for a script.
    fn address(&self) -> String;

    /// The words of the secret that are removed from errors: names, passwords, values of options.
    fn secret_words(&self) -> &[String];
}

/// The key of a pool: a hash of the secret's content, so that a changed secret has a new pool, and the runtime of its
/// connections.
#[derive(PartialEq, Eq)]
struct Key([u8; 32], tokio::runtime::Id);

/// The pools of one namespace. A pool that a call or a connection refers to is in use, and neither closed nor replaced: a
/// secret never has two pools on one runtime, so the limit on the connections of a pool is the limit for the secret.
pub(super) struct Pools<P>(Arc<Shared<P>>);

struct Shared<P> {
    max: usize,
    /// Sorted by last use; the most recently used pool is last.
    pools: Mutex<Vec<(Key, Arc<P>)>>,
}

impl<P> Pools<P> {
    fn new(max: usize) -> Self {
        Self(Arc::new(Shared { max, pools: Mutex::default() }))
    }
}

impl<P> Clone for Pools<P> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// The pools of all namespaces, by their types.
pub(super) struct AllPools {
    max: usize,
    by_type: Mutex<HashMap<TypeId, Box<dyn Any + Send>>>,
}

impl AllPools {
    /// Creates it with the number of pools that each namespace keeps.
    pub(super) fn new(max: usize) -> Self {
        Self { max, by_type: Mutex::default() }
    }

    /// Returns the pools of a type. Clones share them.
    pub(super) fn of<P: Pool>(&self) -> Pools<P> {
        let mut all = self.by_type.lock().unwrap_or_else(PoisonError::into_inner);
        let pools = all.entry(TypeId::of::<P>()).or_insert_with(|| Box::new(Pools::<P>::new(self.max)));
        pools.downcast_ref::<Pools<P>>().cloned().unwrap_or_else(|| Pools::new(self.max))
    }
}

impl<P: Pool> Pools<P> {
    /// Returns the pool for a secret; `make` creates it when there is none, without blocking. A task of the runtime closes the
    /// connections that are idle for `idle`, and the pool itself when none is left.
    pub(super) fn get(
        &self,
        secret: &Secret,
        idle: Duration,
        make: impl FnOnce() -> Result<P, Error>,
    ) -> Result<Arc<P>, Error> {
        let key = Key(Sha256::digest(secret.expose().as_bytes()).into(), Handle::current().id());
        let mut pools = self.0.lock();
        let entry = match pools.iter().position(|(other, _)| *other == key) {
            Some(index) => pools.remove(index),
            None => (key, self.sweeping(Arc::new(make()?), idle)),
        };
        let pool = Arc::clone(&entry.1);
        pools.push(entry);
        let evicted = evict(&mut pools, self.0.max);
        drop(pools);
        // Closes its connections without holding the lock.
        drop(evicted);
        Ok(pool)
    }

    fn sweeping(&self, pool: Arc<P>, idle: Duration) -> Arc<P> {
        let sweeper = Sweeper { pools: Arc::downgrade(&self.0), pool: Arc::downgrade(&pool) };
        Handle::current().spawn(sweeper.run(idle));
        pool
    }
}

impl<P> Shared<P> {
    fn lock(&self) -> MutexGuard<'_, Vec<(Key, Arc<P>)>> {
        self.pools.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes the least recently used pool that is not in use, when there are too many.
fn evict<P>(pools: &mut Vec<(Key, Arc<P>)>, max: usize) -> Option<Arc<P>> {
    if pools.len() <= max {
        return None;
    }
    // Cloning an `Arc` that only the list refers to requires the lock, so the count can't change here.
    let index = pools.iter().position(|(_, pool)| Arc::strong_count(pool) == 1)?;
    Some(pools.remove(index).1)
}

/// Closes idle connections of a pool. When the runtime shuts down, it drops the sweeper, whose `drop` removes the pool:
/// its connections have ended with the runtime.
struct Sweeper<P> {
    pools: Weak<Shared<P>>,
    pool: Weak<P>,
}

impl<P: Pool> Sweeper<P> {
    async fn run(self, idle: Duration) {
        loop {
            sleep(idle / SWEEPS).await;
            let Some(pool) = self.pool.upgrade() else { return };
            pool.close_idle(idle);
            drop(pool);
            let unused = |pool: &Arc<P>| Arc::strong_count(pool) == 1 && pool.idle() == 0;
            if self.take_out(unused).is_some() {
                return;
            }
        }
    }
}

impl<P> Sweeper<P> {
    /// Removes the pool if `should` returns true.
    fn take_out(&self, should: impl Fn(&Arc<P>) -> bool) -> Option<Arc<P>> {
        let pools = self.pools.upgrade()?;
        let mut pools = pools.lock();
        let is_this = |pool: &Arc<P>| Arc::as_ptr(pool) == self.pool.as_ptr();
        let index = pools.iter().position(|(_, pool)| is_this(pool) && should(pool))?;
        Some(pools.remove(index).1)
    }
}

impl<P> Drop for Sweeper<P> {
    fn drop(&mut self) {
        drop(self.take_out(|_| true));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::time::Instant;

    use super::*;

    const IDLE: Duration = Duration::from_secs(60);

    /// A pool whose one connection is idle from the start.
    struct One {
        number: usize,
        since: Instant,
        open: AtomicUsize,
        closed: Arc<AtomicUsize>,
    }

    impl Pool for One {
        fn from_secret(_: &Secret, _: &Timeouts) -> Result<Self, Error> {
            unreachable!("these tests create their pools themselves")
        }

        fn idle(&self) -> usize {
            self.open.load(Ordering::Relaxed)
        }

        fn close_idle(&self, time: Duration) {
            if self.since.elapsed() >= time {
                self.open.store(0, Ordering::Relaxed);
            }
        }

        fn address(&self) -> String {
            String::new()
        }

        fn secret_words(&self) -> &[String] {
            &[]
        }
    }

    impl Drop for One {
        fn drop(&mut self) {
            self.closed.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Pools, and how many were made and closed.
    struct Counted {
        pools: Pools<One>,
        made: AtomicUsize,
        closed: Arc<AtomicUsize>,
    }

    impl Counted {
        fn new() -> Self {
            Self { pools: Pools::new(MAX_POOLS), made: AtomicUsize::new(0), closed: Arc::default() }
        }

        fn get(&self, number: usize) -> Arc<One> {
            let make = || {
                self.made.fetch_add(1, Ordering::Relaxed);
                let closed = Arc::clone(&self.closed);
                Ok(One { number, since: Instant::now(), open: AtomicUsize::new(1), closed })
            };
            let pool = self.pools.get(&Secret::from(number.to_string()), IDLE, make).unwrap();
            assert_eq!(pool.number, number);
            pool
        }

        /// Returns the number of pools that were made, were closed, and exist.
        fn counts(&self) -> [usize; 3] {
            [self.made.load(Ordering::Relaxed), self.closed.load(Ordering::Relaxed), self.pools.0.lock().len()]
        }
    }

    #[tokio::test]
    async fn secrets_in_turns_have_one_pool_each() {
        for secrets in [1, 16, 17, 100, MAX_POOLS] {
            let counted = Counted::new();
            for turn in 0..10 * secrets {
                counted.get(turn % secrets);
            }
            assert_eq!(counted.counts(), [secrets, 0, secrets]);
        }
    }

    #[tokio::test]
    async fn the_least_recently_used_pool_is_closed_when_there_are_too_many() {
        let counted = Counted::new();
        (0..MAX_POOLS).for_each(|number| drop(counted.get(number)));
        counted.get(0);
        counted.get(MAX_POOLS);
        assert_eq!(counted.counts(), [MAX_POOLS + 1, 1, MAX_POOLS]);
        counted.get(0);
        assert_eq!(counted.counts(), [MAX_POOLS + 1, 1, MAX_POOLS], "it was used after the second");
        counted.get(1);
        assert_eq!(counted.counts(), [MAX_POOLS + 2, 2, MAX_POOLS]);
    }

    #[tokio::test]
    async fn a_pool_in_use_is_never_replaced() {
        let counted = Counted::new();
        let used: Vec<_> = (0..2 * MAX_POOLS).map(|number| counted.get(number)).collect();
        (2 * MAX_POOLS..3 * MAX_POOLS).for_each(|number| drop(counted.get(number)));
        for (number, pool) in used.iter().enumerate() {
            assert!(Arc::ptr_eq(pool, &counted.get(number)));
        }
        assert!(used.iter().all(|pool| pool.idle() == 1));
    }

    #[tokio::test(start_paused = true)]
    async fn an_idle_connection_is_closed_with_its_pool() {
        let counted = Counted::new();
        let used = counted.get(0);
        counted.get(1);
        sleep(IDLE - Duration::from_secs(1)).await;
        assert_eq!((used.idle(), counted.counts()), (1, [2, 0, 2]));
        sleep(IDLE / SWEEPS).await;
        assert_eq!((used.idle(), counted.counts()), (0, [2, 1, 1]), "the one in use stays");
        drop(used);
        sleep(IDLE / SWEEPS + Duration::from_secs(1)).await;
        assert_eq!(counted.counts(), [2, 2, 0]);
        counted.get(1);
        assert_eq!(counted.counts(), [3, 2, 1]);
    }

    #[test]
    fn the_pools_of_a_runtime_end_with_it() {
        let counted = Counted::new();
        let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (first, second) = (runtime(), runtime());
        first.block_on(async { drop(counted.get(0)) });
        second.block_on(async { drop(counted.get(0)) });
        assert_eq!(counted.counts(), [2, 0, 2]);
        drop(first);
        assert_eq!(counted.counts(), [2, 1, 1]);
        drop(second);
        assert_eq!(counted.counts(), [2, 2, 0]);
    }

    #[tokio::test]
    async fn a_pool_that_fails_to_open_is_not_kept() {
        let pools: Pools<One> = Pools::new(MAX_POOLS);
        assert!(pools.get(&Secret::from("new".to_owned()), IDLE, || Err(Error::invalid("no"))).is_err());
        assert_eq!(pools.0.lock().len(), 0);
    }
}
