//! Serves `store.wit`.

use super::search;
use crate::{
    Error,
    bindings::ghost::g::store::{
        self as wit, SortField, SortOrder, StoreAllOptions, StoreDoc, StoreListOptions, StoreReading,
        StoreSearchOptions,
    },
    data::{
        Omitted,
        store::{self, AllOptions, Document, ListOptions, SearchOptions, Sort, update},
    },
    g::omitted,
    run::State,
    workspace::Session,
};

impl wit::Host for State {
    async fn put(&mut self, collection: String, key: String, data: String) -> Result<(), Error> {
        self.session_to_write().await?.call(|tables| store::put(tables, &collection, &key, &data))
    }

    async fn get(&mut self, collection: String, key: String) -> Result<Option<StoreDoc>, Error> {
        Ok(self.session().await?.call(|tables| store::get(tables, &collection, &key))?.map(StoreDoc::from))
    }

    async fn list(&mut self, collection: String, options: Option<StoreListOptions>) -> Result<Vec<StoreDoc>, Error> {
        let reports_omitted = self.reports_omitted(options.as_ref().and_then(|options| options.limit));
        let options = options.map(ListOptions::from).unwrap_or_default();
        let session = self.session().await?;
        let time = session.time_left();
        let (documents, rest) = session.call(|tables| {
            let documents =
                store::list(tables, &collection, &options, &|| time.check_may_continue(store::out_of_time))?;
            let rest = if reports_omitted { store::left_out(tables, &collection, &options, &documents)? } else { None };
            Ok((documents, rest))
        })?;
        if let Some(rest) = rest {
            let call = format!("g.store.list({collection:?})");
            self.add_notice(rest.notice(&call, documents.len(), "documents", "give a limit, or use g.store.all"));
        }
        Ok(documents.into_iter().map(StoreDoc::from).collect())
    }

    async fn all(&mut self, collection: String, options: Option<StoreAllOptions>) -> Result<Vec<StoreDoc>, Error> {
        let options = options.map(AllOptions::from).unwrap_or_default();
        let documents = self.session().await?.call(|tables| store::all(tables, &collection, &options))?;
        Ok(documents.into_iter().map(StoreDoc::from).collect())
    }

    async fn update(&mut self, collection: String, key: String) -> Result<StoreReading, Error> {
        let reading = self.session_to_write().await?.call(|tables| update::read(tables, &collection, &key))?;
        Ok(StoreReading { data: reading.data, revision: reading.revision.to_text() })
    }

    async fn replace(
        &mut self,
        collection: String,
        key: String,
        revision: String,
        data: String,
    ) -> Result<StoreDoc, Error> {
        let session = self.session_to_write().await?;
        let stored = session.call(|tables| update::replace(tables, &collection, &key, &revision, data))?;
        Ok(stored.into())
    }

    async fn remove(&mut self, collection: String, key: String, revision: String) -> Result<(), Error> {
        self.session_to_write().await?.call(|tables| update::remove(tables, &collection, &key, &revision))
    }

    async fn search(
        &mut self,
        collection: String,
        query: String,
        options: Option<StoreSearchOptions>,
    ) -> Result<Vec<StoreDoc>, Error> {
        let reports_omitted = self.reports_omitted(options.as_ref().and_then(|options| options.limit));
        let options = options.map(SearchOptions::from).unwrap_or_default();
        let documents = search(self.session().await?, &collection, &query, &options)?;
        let next = SearchOptions { limit: 1, offset: options.offset.saturating_add(options.limit), ..options };
        let look = |session: &mut Session| Ok(!search(session, &collection, &query, &next)?.is_empty());
        if reports_omitted && documents.len() == options.limit as usize && self.look_for_more(look)? {
            let call = format!("g.store.search({collection:?})");
            self.add_notice(Omitted::Unknown.notice(&call, documents.len(), "documents", omitted::PAGE));
        }
        Ok(documents.into_iter().map(StoreDoc::from).collect())
    }

    async fn delete(&mut self, collection: String, key: String) -> Result<bool, Error> {
        self.session_to_write().await?.call(|tables| store::delete(tables, &collection, &key))
    }

    async fn count(&mut self, collection: String) -> Result<u64, Error> {
        self.session().await?.call(|tables| store::count(tables, &collection))
    }

    async fn clear(&mut self, collection: String) -> Result<(), Error> {
        self.session_to_write().await?.call(|tables| store::clear(tables, &collection))
    }

    async fn collections(&mut self) -> Result<Vec<String>, Error> {
        self.session().await?.call(store::collections)
    }
}

impl From<Document> for StoreDoc {
    fn from(document: Document) -> Self {
        Self {
            key: document.key,
            data: document.data,
            created_at: document.created.to_iso(),
            updated_at: document.updated.to_iso(),
        }
    }
}

impl From<StoreListOptions> for ListOptions {
    fn from(given: StoreListOptions) -> Self {
        let default = Self::default();
        Self {
            limit: given.limit.unwrap_or(default.limit),
            offset: given.offset.unwrap_or(default.offset),
            sort: given.sort.map_or(default.sort, Sort::from),
            descending: given.order.map_or(default.descending, descends),
            prefix: given.prefix,
            after: given.after,
        }
    }
}

impl From<StoreAllOptions> for AllOptions {
    fn from(given: StoreAllOptions) -> Self {
        Self { prefix: given.prefix, after: given.after, descending: given.order.is_some_and(descends) }
    }
}

impl From<StoreSearchOptions> for SearchOptions {
    fn from(given: StoreSearchOptions) -> Self {
        let default = Self::default();
        Self {
            limit: given.limit.unwrap_or(default.limit),
            offset: given.offset.unwrap_or(default.offset),
            sort: given.sort.map(Sort::from),
            descending: given.order.map_or(default.descending, descends),
        }
    }
}

fn descends(order: SortOrder) -> bool {
    match order {
        SortOrder::Asc => false,
        SortOrder::Desc => true,
    }
}

impl From<SortField> for Sort {
    fn from(field: SortField) -> Self {
        match field {
            SortField::Key => Self::Key,
            SortField::CreatedAt => Self::CreatedAt,
            SortField::UpdatedAt => Self::UpdatedAt,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::time::Instant;

    use super::*;
    use crate::{ErrorCode, Limits, Origin, console::Console, gate::Gate};

    /// No script reaches these functions without `update`, which is blocked first; a component in another language does.
    #[tokio::test]
    async fn a_run_that_may_only_read_can_not_call_the_parts_of_update() {
        let limits = Limits::of(Origin::Mcp);
        let gate = Gate::new(&limits, Instant::now() + limits.time, None, Arc::default());
        let mut state = State::new(Console::collecting(0, None), &limits, Arc::new([]), gate);
        let text = String::new;
        let codes = async |state: &mut State| {
            let replaced = wit::Host::replace(state, text(), text(), text(), text()).await.map(drop);
            let removed = wit::Host::remove(state, text(), text(), text()).await;
            [replaced, removed].map(|called| called.unwrap_err().code)
        };
        assert_eq!(codes(&mut state).await, [ErrorCode::NoWorkspace; 2]);
        state.set_read_only(true);
        assert_eq!(codes(&mut state).await, [ErrorCode::Blocked; 2]);
    }
}
