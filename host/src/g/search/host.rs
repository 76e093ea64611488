//! Serves `search.wit`.

use super::{Found, Options};
use crate::{
    Error,
    bindings::ghost::g::search::{self as wit, SearchOptions, SearchResult},
    data::{Omitted, search},
    g::omitted,
    run::State,
    workspace::Session,
};

impl wit::Host for State {
    async fn index(&mut self, fields: String) -> Result<(), Error> {
        self.session_to_write().await?.call(|tables| search::index(tables, &fields))
    }

    async fn query(
        &mut self,
        query_string: String,
        options: Option<SearchOptions>,
    ) -> Result<Vec<SearchResult>, Error> {
        let reports_omitted = self.reports_omitted(options.as_ref().and_then(|options| options.limit));
        let options = options.map(Options::from).unwrap_or_default();
        let found = super::query(self.session().await?, &query_string, &options)?;
        let next = Options { limit: 1, offset: options.offset.saturating_add(options.limit), ..options };
        let look = |session: &mut Session| Ok(!super::query(session, &query_string, &next)?.is_empty());
        if reports_omitted && found.len() == options.limit as usize && self.look_for_more(look)? {
            self.add_notice(Omitted::Unknown.notice("g.search.query", found.len(), "results", omitted::PAGE));
        }
        Ok(found.into_iter().map(SearchResult::from).collect())
    }

    async fn delete(&mut self, collection: String, key: String) -> Result<(), Error> {
        self.session_to_write().await?.call(|tables| search::delete(tables, &collection, &key))
    }

    async fn delete_by_collection(&mut self, collection: String) -> Result<u64, Error> {
        self.session_to_write().await?.call(|tables| search::delete_by_collection(tables, &collection))
    }

    async fn count(&mut self, collection: Option<String>) -> Result<u64, Error> {
        self.session().await?.call(|tables| search::count(tables, collection.as_deref()))
    }

    async fn clear(&mut self) -> Result<(), Error> {
        self.session_to_write().await?.call(search::clear)
    }
}

impl From<SearchOptions> for Options {
    fn from(given: SearchOptions) -> Self {
        let default = Self::default();
        Self {
            collection: given.collection,
            limit: given.limit.unwrap_or(default.limit),
            offset: given.offset.unwrap_or(default.offset),
        }
    }
}

impl From<Found> for SearchResult {
    fn from(found: Found) -> Self {
        Self { key: found.key, collection: found.collection, score: found.score.into(), fields: found.fields }
    }
}
