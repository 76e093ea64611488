//! Serves `queue.wit`.

use std::time::Duration;

use wasmtime::component::{Accessor, HasSelf};

use super::wait;
use crate::{
    Error,
    bindings::ghost::g::queue::{
        self as wit, DeadLetterItem, QueueDequeueOptions, QueueEnqueueOptions, QueueItem, QueueListOptions,
        QueueWaitOptions,
    },
    data::{
        Omitted, Tables,
        queue::{self, DEFAULT_LEASE_MS, EnqueueOptions, Item, Page},
        time::iso,
    },
    g::omitted,
    run::{Polled, State},
};

impl wit::Host for State {
    async fn enqueue(&mut self, name: String, data: String, options: Option<QueueEnqueueOptions>) -> Result<(), Error> {
        let options = options.map(EnqueueOptions::from).unwrap_or_default();
        self.session_to_write().await?.call(|tables| queue::enqueue(tables, &name, &data, options))
    }

    async fn dequeue(
        &mut self,
        name: String,
        options: Option<QueueDequeueOptions>,
    ) -> Result<Option<QueueItem>, Error> {
        let lease = options.and_then(|options| options.lease_ms).unwrap_or(DEFAULT_LEASE_MS);
        let (checkouts, session) = self.checkouts().await?;
        Ok(checkouts.dequeue(session, &name, lease)?.map(QueueItem::from))
    }

    async fn commit(&mut self, checkout_id: u64) -> Result<(), Error> {
        let (checkouts, session) = self.checkouts().await?;
        checkouts.commit(session, checkout_id)
    }

    async fn abort(&mut self, checkout_id: u64, error: Option<String>) -> Result<bool, Error> {
        let (checkouts, session) = self.checkouts().await?;
        checkouts.abort(session, checkout_id, error.as_deref())
    }

    async fn peek(&mut self, name: String) -> Result<Option<QueueItem>, Error> {
        Ok(self.session().await?.call_after_expiry(|tables| queue::peek(tables, &name))?.map(QueueItem::from))
    }

    async fn count(&mut self, name: String) -> Result<u64, Error> {
        self.session().await?.call_after_expiry(|tables| queue::count(tables, &name))
    }

    async fn clear(&mut self, name: String) -> Result<(), Error> {
        self.session_to_write().await?.call(|tables| queue::clear(tables, &name))
    }

    async fn list(&mut self, name: String, options: Option<QueueListOptions>) -> Result<Vec<QueueItem>, Error> {
        let items = self.page(&PENDING, &name, options).await?;
        Ok(items.into_iter().map(QueueItem::from).collect())
    }

    async fn queues(&mut self) -> Result<Vec<String>, Error> {
        self.session().await?.call(queue::queues)
    }

    async fn dead_letter(
        &mut self,
        name: String,
        options: Option<QueueListOptions>,
    ) -> Result<Vec<DeadLetterItem>, Error> {
        let items = self.page(&DEAD, &name, options).await?;
        Ok(items.into_iter().map(DeadLetterItem::from).collect())
    }

    async fn retry(&mut self, name: String, dead_letter_id: u64) -> Result<(), Error> {
        self.session_to_write().await?.call(|tables| queue::retry(tables, &name, dead_letter_id))
    }
}

impl<T: Send> wit::HostWithStore<T> for HasSelf<State> {
    async fn wait_for_item(
        accessor: &Accessor<T, Self>,
        name: String,
        options: Option<QueueWaitOptions>,
    ) -> Result<Option<QueueItem>, Error> {
        let options = options.unwrap_or(QueueWaitOptions { timeout_ms: None, lease_ms: None });
        let lease = options.lease_ms.unwrap_or(DEFAULT_LEASE_MS);
        let timeout = options.timeout_ms.map(|timeout| Duration::from_millis(timeout.into()));
        // A waiting call keeps its arguments in memory, so the length of the name is checked first.
        queue::check_queue(&name)?;
        let (workspace, _permit) = accessor.with(|mut access| access.get().begin_to_wait())?;
        let poll = || accessor.with(|mut access| access.get().poll(&name, lease));
        Ok(wait::for_item(&workspace, timeout, poll).await?.map(QueueItem::from))
    }
}

/// The kind of items that a page lists: pending items or dead letters.
struct Listing {
    list: fn(&mut Tables<'_>, &str, Page) -> Result<Vec<Item>, Error>,
    count: fn(&mut Tables<'_>, &str) -> Result<u64, Error>,
    method: &'static str,
    what: &'static str,
}

const PENDING: Listing = Listing { list: queue::list, count: queue::count, method: "list", what: "items" };
const DEAD: Listing =
    Listing { list: queue::dead_letter, count: queue::dead_count, method: "deadLetter", what: "dead letters" };

impl State {
    /// Returns a page. If it leaves items out because the script set no limit, adds a notice to the outcome, unless the run has
    /// one already.
    async fn page(&mut self, of: &Listing, name: &str, options: Option<QueueListOptions>) -> Result<Vec<Item>, Error> {
        let reports_omitted = self.reports_omitted(options.as_ref().and_then(|options| options.limit));
        let page = options.map(Page::from).unwrap_or_default();
        let (items, total) = self.session().await?.call_after_expiry(|tables| {
            let items = (of.list)(tables, name, page)?;
            let total = if reports_omitted { (of.count)(tables, name)? } else { 0 };
            Ok((items, total))
        })?;
        if total > u64::from(page.offset) + items.len() as u64 && !items.is_empty() {
            let call = format!("g.queue.{}({name:?})", of.method);
            self.add_notice(Omitted::Of(total).notice(&call, items.len(), of.what, omitted::PAGE));
        }
        Ok(items)
    }

    fn poll(&mut self, name: &str, lease: u32) -> Result<Polled, Error> {
        let (checkouts, session) = self.checkouts_of_waiter()?;
        checkouts.poll(session, name, lease)
    }
}

impl From<Item> for QueueItem {
    fn from(item: Item) -> Self {
        Self {
            id: item.id,
            data: item.data,
            priority: item.priority,
            attempts: item.attempts,
            max_retries: item.max_retries,
            enqueued_at: iso(item.enqueued),
            last_attempt_at: item.last_attempt.map(iso),
            last_error: item.last_error,
        }
    }
}

impl From<Item> for DeadLetterItem {
    fn from(item: Item) -> Self {
        Self {
            id: item.id,
            data: item.data,
            priority: item.priority,
            attempts: item.attempts,
            max_retries: item.max_retries,
            enqueued_at: iso(item.enqueued),
            last_attempt_at: item.last_attempt.map(iso),
            last_error: item.last_error,
            dead_lettered_at: iso(item.dead_lettered.unwrap_or_default()),
        }
    }
}

impl From<QueueEnqueueOptions> for EnqueueOptions {
    fn from(given: QueueEnqueueOptions) -> Self {
        let default = Self::default();
        Self {
            priority: given.priority.unwrap_or(default.priority),
            max_retries: given.max_retries.unwrap_or(default.max_retries),
        }
    }
}

impl From<QueueListOptions> for Page {
    fn from(given: QueueListOptions) -> Self {
        let default = Self::default();
        Self { limit: given.limit.unwrap_or(default.limit), offset: given.offset.unwrap_or(default.offset) }
    }
}
