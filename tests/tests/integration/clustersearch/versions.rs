//! Servers of other versions, which answer in other ways: Elasticsearch 8 and 9 by their documented differences.

use ghost_tests::servers::gateway::{Asked, Gateway, Reply};
use serde_json::{Value, json};

use super::{
    caller::{Caller, each_method},
    elasticsearch,
};

/// An answer of Elasticsearch 8 or 9 to a request of an official client: with the product's header and its own content
/// type, in chunks, with a status and without the types of mappings.
fn answer(version: &str, asked: &Asked) -> (u16, Value) {
    let hit = json!({ "_index": "v", "_id": "1", "_score": 1, "_source": { "n": 1 } });
    let missing = json!({ "type": "index_not_found_exception", "reason": "no such index [none]", "resource.type": "index_or_alias", "resource.id": "none", "index_uuid": "_na_", "index": "none" });
    let with_cause = |cause: &Value| {
        let mut error = cause.clone();
        error["root_cause"] = json!([cause]);
        error
    };
    match asked.line.as_str() {
        "GET /" => (
            200,
            json!({ "name": "n", "cluster_name": "c", "cluster_uuid": "u", "version": { "number": version, "build_flavor": "default" }, "tagline": "You Know, for Search" }),
        ),
        "PUT /v" => (200, json!({ "acknowledged": true, "shards_acknowledged": true, "index": "v" })),
        "DELETE /v" => (200, json!({ "acknowledged": true })),
        "PUT /v/_doc/1" => (
            201,
            json!({ "_index": "v", "_id": "1", "_version": 1, "result": "created", "_shards": { "total": 2, "successful": 1, "failed": 0 }, "_seq_no": 0, "_primary_term": 1 }),
        ),
        "GET /v/_doc/1" => (
            200,
            json!({ "_index": "v", "_id": "1", "_version": 1, "_seq_no": 0, "_primary_term": 1, "found": true, "_source": { "n": 1 } }),
        ),
        "GET /v/_doc/2" => (404, json!({ "_index": "v", "_id": "2", "found": false })),
        line if line.starts_with("POST /v/_bulk") => (
            200,
            json!({ "items": [{ "index": { "status": 201 } }, { "index": { "status": 400, "error": { "type": "document_parsing_exception", "reason": "[1:6] failed to parse field [n] of type [long] in document with id '2'. Preview of field's value: 'x'", "caused_by": { "type": "illegal_argument_exception", "reason": "For input string: \"x\"" } } } }] }),
        ),
        "POST /v/_search" => (
            200,
            json!({ "took": 3, "timed_out": false, "_shards": { "total": 2, "successful": 1, "skipped": 0, "failed": 1, "failures": [] }, "hits": { "total": { "value": 1, "relation": "eq" }, "max_score": 1, "hits": [hit] } }),
        ),
        line if line.contains("/none/") => (404, json!({ "error": with_cause(&missing), "status": 404 })),
        line => (405, json!({ "error": format!("Incorrect HTTP method for uri [{line}]"), "status": 405 })),
    }
}

/// The bytes of an answer, in chunks of a few bytes.
fn in_chunks(status: u16, ty: &str, body: &str) -> Vec<u8> {
    let mut bytes = format!("HTTP/1.1 {status} OK\r\nX-elastic-product: Elasticsearch\r\ncontent-type: {ty}\r\nTransfer-Encoding: chunked\r\nconnection: close\r\n\r\n").into_bytes();
    for piece in body.as_bytes().chunks(7) {
        bytes.extend(format!("{:x}\r\n", piece.len()).as_bytes());
        bytes.extend(piece);
        bytes.extend(b"\r\n");
    }
    bytes.extend(b"0\r\n\r\n");
    bytes
}

#[tokio::test(flavor = "multi_thread")]
async fn elasticsearch_8_and_9_are_understood() {
    let Some(server) = elasticsearch() else { return };
    for (version, ty) in [
        ("8.19.0", "application/json"),
        ("8.19.0", "application/vnd.elasticsearch+json;compatible-with=8"),
        ("9.1.0", "application/vnd.elasticsearch+json;compatible-with=9"),
    ] {
        let gateway = Gateway::plain(server);
        gateway.rule(move |asked| {
            let (status, body) = answer(version, asked);
            Reply::Raw(in_chunks(status, ty, &body.to_string()))
        });
        let caller = Caller::plain(gateway.port);
        let expected = json!([
            true,
            { "name": "n", "clusterName": "c", "clusterUuid": "u", "version": version, "tagline": "You Know, for Search" },
            true,
            true,
            true,
            { "n": 1 },
            { "total": 2, "successful": 1, "failed": 1, "errors": [{ "position": 1, "id": null, "status": 400,
              "reason": "[1:6] failed to parse field [n] of type [long] in document with id '2'. Preview of field's value: 'x': For input string: \"x\"" }] },
            { "total": { "value": 1, "relation": "eq" }, "max_score": 1, "hits": [{ "_index": "v", "_id": "1", "_score": 1, "_source": { "n": 1 } }],
              "took": 3, "timed_out": false, "_shards": { "total": 2, "successful": 1, "skipped": 0, "failed": 1, "failures": [] } },
        ]);
        for ((method, call), expected) in each_method("v").iter().zip(expected.as_array().expect("an array")) {
            assert_eq!(caller.call(call).await.value(), expected, "{version} {method}");
        }
        assert_eq!(caller.call("g.clustersearch.get('cluster', 'v', '2')").await.value(), &Value::Null);
        assert_eq!(
            caller.call("g.clustersearch.get('cluster', 'none', '2')").await.error(),
            ("NOT_FOUND", "no such index [none]")
        );
        let other = caller.call("g.clustersearch.createIndex('cluster', 'w')").await;
        assert_eq!(other.error(), ("BACKEND", "Incorrect HTTP method for uri [PUT /w]"));
        // Servers of version 9 refuse media types of other versions; plain JSON has none.
        for asked in gateway.take_asked() {
            assert_eq!(asked.header("accept"), Some("application/json"), "{asked:?}");
            assert!(asked.header("content-type").is_none_or(|ty| !ty.contains("compatible-with")), "{asked:?}");
            assert_eq!(asked.header("authorization"), None);
        }
    }
}
