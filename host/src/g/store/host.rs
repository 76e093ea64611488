//! Serves `store.wit`.

use super::{Document, ListOptions, SearchOptions, Sort};
use crate::{
    Error,
    bindings::ghost::g::store::{self, SortField, SortOrder, StoreDoc, StoreListOptions},
    run::State,
};

impl store::Host for State {
    fn put(&mut self, collection: String, key: String, data: String) -> Result<(), Error> {
        self.session()?.write(|tables| super::put(tables, &collection, &key, &data))
    }

    fn get(&mut self, collection: String, key: String) -> Result<Option<StoreDoc>, Error> {
        Ok(self.session()?.read(|tables| super::get(tables, &collection, &key))?.map(StoreDoc::from))
    }

    fn list(&mut self, collection: String, options: Option<StoreListOptions>) -> Result<Vec<StoreDoc>, Error> {
        let options = options.map(ListOptions::from).unwrap_or_default();
        let documents = self.session()?.read(|tables| super::list(tables, &collection, &options))?;
        Ok(documents.into_iter().map(StoreDoc::from).collect())
    }

    fn search(
        &mut self,
        collection: String,
        query: String,
        options: Option<StoreListOptions>,
    ) -> Result<Vec<StoreDoc>, Error> {
        let options = options.map(SearchOptions::from).unwrap_or_default();
        let documents = super::search(self.session()?, &collection, &query, &options)?;
        Ok(documents.into_iter().map(StoreDoc::from).collect())
    }

    fn delete(&mut self, collection: String, key: String) -> Result<bool, Error> {
        self.session()?.write(|tables| super::delete(tables, &collection, &key))
    }

    fn count(&mut self, collection: String) -> Result<u64, Error> {
        self.session()?.read(|tables| super::count(tables, &collection))
    }

    fn clear(&mut self, collection: String) -> Result<(), Error> {
        self.session()?.write(|tables| super::clear(tables, &collection))
    }

    fn collections(&mut self) -> Result<Vec<String>, Error> {
        self.session()?.read(super::collections)
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
            descending: given.order.map_or(default.descending, |order| match order {
                SortOrder::Asc => false,
                SortOrder::Desc => true,
            }),
        }
    }
}

impl From<StoreListOptions> for SearchOptions {
    fn from(given: StoreListOptions) -> Self {
        let sort = given.sort.map(Sort::from);
        let ListOptions { limit, offset, descending, .. } = given.into();
        Self { limit, offset, sort, descending }
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
