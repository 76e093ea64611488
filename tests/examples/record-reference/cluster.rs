//! The few calls of Elasticsearch that are needed.

use std::{
    io::Write,
    process::{Command, Stdio},
    thread,
};

use anyhow::{Context, Result, bail, ensure};
use ghost_tests::reference::{
    Query,
    answers::Found,
    ranking::{KEPT, Ranking},
};
use serde_json::{Value, json};

pub const INDEX: &str = "ghost-reference";
/// Queries in one request.
const BATCH: usize = 100;

pub struct Cluster(String);

impl Cluster {
    /// Fails unless it is of the version that is compared with.
    pub fn at(url: &str) -> Result<Self> {
        let cluster = Self(url.trim_end_matches('/').into());
        let version = cluster.call("GET", "", "")?["version"]["number"].clone();
        ensure!(
            version.as_str().is_some_and(|version| version.starts_with("7.17.")),
            "it is version {version}, not 7.17"
        );
        Ok(cluster)
    }

    /// The answer, which may be an error of Elasticsearch.
    pub fn call(&self, method: &str, path: &str, body: &str) -> Result<Value> {
        let mut curl = Command::new("curl")
            .args(["--silent", "--show-error", "--request", method, "--header", "content-type: application/x-ndjson"])
            .args(["--data-binary", "@-", &format!("{}/{path}", self.0)])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("curl does not run")?;
        let mut stdin = curl.stdin.take().context("it was asked for")?;
        let body = body.to_owned();
        let writer = thread::spawn(move || stdin.write_all(body.as_bytes()));
        let output = curl.wait_with_output()?;
        ensure!(output.status.success(), "curl failed");
        writer.join().map_err(|_| anyhow::anyhow!("the body was not written"))??;
        serde_json::from_slice(&output.stdout).context("the answer is no JSON")
    }

    /// What each query finds.
    pub fn find(&self, queries: &[Query]) -> Result<Vec<Found>> {
        self.search(queries, places)
    }

    /// The documents that come first for each query, with their scores.
    pub fn rank(&self, queries: &[Query]) -> Result<Vec<Ranking>> {
        let best = self.search(queries, best)?;
        Ok(queries.iter().zip(best).map(|(query, best)| Ranking { query: query.ghost.clone(), best }).collect())
    }

    fn search<T>(&self, queries: &[Query], read: impl Fn(&Value) -> Result<T>) -> Result<Vec<T>> {
        let mut read_of_all = Vec::new();
        for batch in queries.chunks(BATCH) {
            let body: String = batch.iter().map(|query| format!("{{}}\n{}\n", search(&query.reference))).collect();
            let answer = self.call("POST", &format!("{INDEX}/_msearch"), &body)?;
            let responses = answer["responses"].as_array().with_context(|| format!("no responses: {answer}"))?;
            ensure!(responses.len() == batch.len(), "a response is missing");
            for (response, query) in responses.iter().zip(batch) {
                read_of_all.push(read(response).with_context(|| query.reference.clone())?);
            }
        }
        Ok(read_of_all)
    }
}

/// Patterns may stand for as many words as they do in ghost, and more.
fn search(query: &str) -> Value {
    json!({
        "size": 10_000,
        "_source": false,
        "query": { "query_string": {
            "query": query,
            "default_field": "all",
            "default_operator": "OR",
            "lenient": false,
            "allow_leading_wildcard": true,
            "fuzzy_max_expansions": 1_024,
            "max_determinized_states": 1_000_000,
        } },
    })
}

/// The query's own faults are answers, the cluster's are not.
fn places(response: &Value) -> Result<Found> {
    if let Some(hits) = response["hits"]["hits"].as_array() {
        return Ok(Ok(hits.iter().map(place).collect::<Result<_>>()?));
    }
    let cause = &response["error"]["root_cause"][0];
    let (kind, reason) = (cause["type"].as_str().unwrap_or_default(), cause["reason"].as_str().unwrap_or_default());
    match (response["status"].as_u64(), kind) {
        (Some(400), "query_shard_exception" | "illegal_argument_exception") => Ok(Err(reason.into())),
        _ => bail!("the cluster failed: {response}"),
    }
}

fn best(response: &Value) -> Result<Vec<(usize, f32)>> {
    let hits = response["hits"]["hits"].as_array().with_context(|| format!("no hits: {response}"))?;
    let score = |hit: &Value| hit["_score"].as_f64().map(|score| score as f32).context("a hit without its score");
    hits.iter().take(KEPT).map(|hit| Ok((place(hit)?, score(hit)?))).collect()
}

fn place(hit: &Value) -> Result<usize> {
    hit["_id"].as_str().and_then(|id| id.parse().ok()).context("a hit without its number")
}
