//! Serves `search.wit`.

use super::{Found, Options};
use crate::{
    Error,
    bindings::ghost::g::search::{self, SearchOptions, SearchResult},
    run::State,
};

impl search::Host for State {
    fn index(&mut self, fields: String) -> Result<(), Error> {
        self.session()?.write(|tables| super::index(tables, &fields))
    }

    fn query(&mut self, query_string: String, options: Option<SearchOptions>) -> Result<Vec<SearchResult>, Error> {
        let options = options.map(Options::from).unwrap_or_default();
        let found = super::query(self.session()?, &query_string, &options)?;
        Ok(found.into_iter().map(SearchResult::from).collect())
    }

    fn delete(&mut self, collection: String, key: String) -> Result<(), Error> {
        self.session()?.write(|tables| super::delete(tables, &collection, &key))
    }

    fn delete_by_collection(&mut self, collection: String) -> Result<u64, Error> {
        self.session()?.write(|tables| super::delete_by_collection(tables, &collection))
    }

    fn count(&mut self, collection: Option<String>) -> Result<u64, Error> {
        self.session()?.read(|tables| super::count(tables, collection.as_deref()))
    }

    fn clear(&mut self) -> Result<(), Error> {
        self.session()?.write(super::clear)
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
