//! An external Elasticsearch or OpenSearch cluster. `clustersearch.wit` defines the contract.

mod answer;
mod body;
mod bulk;
mod client;
mod config;
mod error;
mod host;
mod name;
mod search;

use std::sync::Arc;

use bytes::Bytes;
use elasticsearch::{
    BulkParts, GetParts, IndexParts, InfoParts, SearchParts,
    http::StatusCode,
    indices::{IndicesCreateParts, IndicesDeleteParts},
    security::SecurityAuthenticateParts,
};
use reqwest::Method;
use serde::Deserialize;
use serde_json::value::RawValue;

use answer::Answer;
use client::{Body, Cluster, Effect, Request};
use error::Stage;
use name::{check_id, check_index};

use crate::{
    Error, ErrorCode,
    gate::{Call, error::unknown_outcome},
};

/// The namespace in [`EXTERNAL`](super::EXTERNAL).
pub(crate) struct Clustersearch;

/// The maximum number of documents in a request, unless the script sets another one.
const CHUNK_SIZE: u32 = 1_000;

/// A server, as it describes itself.
#[derive(Deserialize)]
struct Info {
    #[serde(default)]
    name: String,
    cluster_name: String,
    cluster_uuid: String,
    version: Version,
    #[serde(default)]
    tagline: String,
}

#[derive(Deserialize)]
struct Version {
    number: String,
    distribution: Option<String>,
}

/// Whether the cluster answers. Returns false only when the server can't be reached.
async fn ping(call: &Call<'_>, conn: &str) -> Result<bool, Error> {
    let cluster = call.pool_of::<Cluster>(conn).await?;
    let path = InfoParts::None.url();
    match cluster.try_send(call, Request::read(&path), &mut call.answer_counter()).await {
        Ok(answer) => answer.success()?.parse::<Info>().map(|_| true),
        Err(failed) if failed.stage == Stage::Unreachable => Ok(false),
        Err(failed) => Err(failed.error),
    }
}

async fn info(call: &Call<'_>, cluster: &Cluster) -> Result<Info, Error> {
    let path = InfoParts::None.url();
    let answer = cluster.send(call, Request::read(&path), &mut call.answer_counter()).await?;
    answer.success()?.parse()
}

async fn create_index(call: &Call<'_>, conn: &str, name: &str, mapping: Option<&str>) -> Result<bool, Error> {
    check_index(name)?;
    let _counted = call.count_argument_bytes(mapping.map_or(0, |mapping| mapping.len() + body::INDEX_BYTES))?;
    let body = mapping.map(body::of_index).transpose()?;
    let body = body.map_or(Body::Empty, |body| Body::Json(body.into()));
    let path = IndicesCreateParts::Index(name).url();
    let request = Request { method: Method::PUT, path: &path, body, effect: Effect::Write };
    false_if_refused_as(call, conn, request, "resource_already_exists_exception").await
}

async fn delete_index(call: &Call<'_>, conn: &str, name: &str) -> Result<bool, Error> {
    check_index(name)?;
    let path = IndicesDeleteParts::Index(&[name]).url();
    let request = Request { method: Method::DELETE, path: &path, body: Body::Empty, effect: Effect::Write };
    false_if_refused_as(call, conn, request, "index_not_found_exception").await
}

/// Sends a request. Returns true if it succeeds, and false if the server refuses it with an error of the type
/// `refusal`.
async fn false_if_refused_as(call: &Call<'_>, conn: &str, request: Request<'_>, refusal: &str) -> Result<bool, Error> {
    let cluster = call.pool_of::<Cluster>(conn).await?;
    let answer = cluster.send(call, request, &mut call.answer_counter()).await?;
    if !answer.status.is_success() && error::has_type(&answer, refusal) {
        return Ok(false);
    }
    let answer = answer.success().map_err(error::of_write)?;
    answer.parse::<Acknowledged>().map_err(unknown_outcome)?;
    Ok(true)
}

/// The answer of a server that has created or deleted an index.
#[derive(Deserialize)]
struct Acknowledged {
    /// False when not all nodes have confirmed the change in time.
    #[serde(rename = "acknowledged")]
    _by_all: bool,
}

/// The index for documents, and when they become visible in it.
struct Target<'a> {
    index: &'a str,
    /// `true`, `false` or `wait_for`.
    refresh: Option<&'a str>,
}

impl Target<'_> {
    /// Returns the path of a request with the option `refresh` as its query.
    fn path(&self, path: &str) -> Result<String, Error> {
        match self.refresh {
            None => Ok(path.to_owned()),
            Some(refresh @ ("true" | "false" | "wait_for")) => Ok(format!("{path}?refresh={refresh}")),
            Some(_) => Err(Error::invalid("options.refresh must be true, false or \"wait_for\"")),
        }
    }
}

async fn index(call: &Call<'_>, conn: &str, target: Target<'_>, id: &str, document: &str) -> Result<(), Error> {
    check_index(target.index)?;
    check_id("id", id)?;
    body::check_object("document", document)?;
    let path = target.path(&IndexParts::IndexId(target.index, id).url())?;
    let _counted = call.count_argument_bytes(document.len())?;
    let body = Body::Json(Bytes::copy_from_slice(document.as_bytes()));
    let request = Request { method: Method::PUT, path: &path, body, effect: Effect::Write };
    let answer = call.pool_of::<Cluster>(conn).await?.send(call, request, &mut call.answer_counter()).await?;
    let answer = answer.success().map_err(error::of_write)?;
    answer.parse::<Stored>().map(drop).map_err(unknown_outcome)
}

/// The answer of a server that has stored a document.
#[derive(Deserialize)]
struct Stored {
    /// `created` or `updated`
    #[serde(rename = "result")]
    _result: String,
}

#[derive(Deserialize)]
struct Got<'a> {
    found: bool,
    #[serde(borrow, rename = "_source")]
    source: Option<&'a RawValue>,
}

/// Returns the source of a document as JSON.
async fn get(call: &Call<'_>, conn: &str, index: &str, id: &str) -> Result<Option<String>, Error> {
    check_index(index)?;
    check_id("id", id)?;
    let path = GetParts::IndexId(index, id).url();
    let mut counter = call.answer_counter();
    let answer = call.pool_of::<Cluster>(conn).await?.send(call, Request::read(&path), &mut counter).await?;
    if answer.status == StatusCode::NOT_FOUND && answer.parse::<Got<'_>>().is_ok_and(|got| !got.found) {
        return Ok(None);
    }
    let answer = answer.success()?;
    let got: Got<'_> = answer.parse()?;
    let source = got.source.filter(|_| got.found);
    let source = source.ok_or_else(|| Error::new(ErrorCode::Data, "the index stores no sources of its documents"))?;
    let range = answer.range_of(source.get());
    Ok(Some(answer.cut(range)))
}

async fn bulk(
    call: &Call<'_>,
    conn: &str,
    target: Target<'_>,
    documents: &str,
    chunk_size: Option<u32>,
) -> Result<bulk::Outcome, Error> {
    check_index(target.index)?;
    let chunk_size = chunk_size.unwrap_or(CHUNK_SIZE) as usize;
    if chunk_size == 0 {
        return Err(Error::invalid("chunkSize is 0, the minimum is 1"));
    }
    let path = target.path(&BulkParts::Index(target.index).url())?;
    // Requests only those members of the answer that are read.
    let separator = if path.contains('?') { '&' } else { '?' };
    let path = format!("{path}{separator}filter_path=items.*.status,items.*.error");
    let cluster = call.pool_of::<Cluster>(conn).await?;
    bulk::store(call, &cluster, bulk::Input { path: &path, documents, chunk_size }).await
}

/// Runs a search and returns its result as JSON.
async fn search(call: &Call<'_>, conn: &str, index: &str, query: &str) -> Result<String, Error> {
    check_index(index)?;
    body::check_object("queryDsl", query)?;
    let _counted = call.count_argument_bytes(query.len())?;
    let path = SearchParts::Index(&[index]).url();
    let body = Body::Json(Bytes::copy_from_slice(query.as_bytes()));
    let request = Request { method: Method::POST, path: &path, body, effect: Effect::None };
    let mut counter = call.answer_counter();
    let answer = call.pool_of::<Cluster>(conn).await?.send(call, request, &mut counter).await?;
    if !answer.status.is_success() {
        return Err(error::of_query(&answer));
    }
    let is_given = |word: &str| index.contains(word) || query.contains(word);
    search::result(answer, &mut counter, &|text: &str| call.redact(text, is_given))
}

/// Returns the product, its version and the user, in a few words.
async fn describe(call: &Call<'_>, cluster: Arc<Cluster>) -> Result<String, Error> {
    let info = info(call, &cluster).await?;
    let is_opensearch = info.version.distribution.as_deref() == Some("opensearch");
    let product = if is_opensearch { "OpenSearch" } else { "Elasticsearch" };
    let user = match cluster.has_credentials() {
        false => " without a user".to_owned(),
        true => user(call, &cluster, is_opensearch).await?.map(|user| format!(" as {user}")).unwrap_or_default(),
    };
    Ok(format!("{product} {}{user}", info.version.number))
}

/// Returns the user of the credentials; `None` when the server does not say, for example because its security is
/// disabled.
async fn user(call: &Call<'_>, cluster: &Cluster, is_opensearch: bool) -> Result<Option<String>, Error> {
    #[derive(Deserialize)]
    struct User {
        #[serde(alias = "user_name")]
        username: String,
    }
    let path = match is_opensearch {
        true => "/_plugins/_security/authinfo".into(),
        false => SecurityAuthenticateParts::None.url(),
    };
    let answer: Answer = cluster.send(call, Request::read(&path), &mut call.answer_counter()).await?;
    if answer.status == StatusCode::UNAUTHORIZED {
        return Err(error::of_answer(&answer));
    }
    Ok(answer.success().and_then(|answer| answer.parse::<User>()).ok().map(|user| user.username))
}
