//! The documents as they are put into Elasticsearch.
//!
//! A field is a `text` with the standard analyzer, numbers and booleans too, and is copied to `all`, but for the names of
//! a document. Ranges compare whole values: numbers stand once more in `number.FIELD` and `all_number`, texts and booleans
//! in `lower.FIELD` and `all_lower`.

use anyhow::{Result, ensure};
use ghost_tests::reference::documents::{Document, text, values};
use serde_json::{Map, Value, json};

use crate::cluster::{Cluster, INDEX};

pub fn make(cluster: &Cluster, documents: &[Document]) -> Result<()> {
    cluster.call("DELETE", INDEX, "")?;
    let made = cluster.call("PUT", INDEX, &definition().to_string())?;
    ensure!(made["acknowledged"] == true, "the index was not made: {made}");
    let lines = documents.iter().enumerate().map(|(place, document)| {
        format!("{}\n{}\n", json!({ "index": { "_id": place.to_string() } }), Value::Object(flat(document)))
    });
    let added = cluster.call("POST", &format!("{INDEX}/_bulk?refresh=true"), &lines.collect::<String>())?;
    let failed =
        added["items"].as_array().and_then(|items| items.iter().find(|item| item["index"]["error"].is_object()));
    ensure!(added["errors"] == false, "a document was refused: {failed:?}");
    Ok(())
}

fn definition() -> Value {
    let text = json!({ "type": "text" });
    let lower = json!({ "type": "keyword", "normalizer": "lower" });
    let template = |path: &str, kind: &str, mapping: &Value, copy: &str| {
        let mut mapping = mapping.clone();
        mapping["copy_to"] = copy.into();
        json!({ format!("{path} {kind}"): { "path_match": path, "match_mapping_type": kind, "mapping": mapping } })
    };
    json!({
        "settings": {
            "number_of_shards": 1,
            "number_of_replicas": 0,
            "mapping.total_fields.limit": 2_000,
            "analysis": { "normalizer": { "lower": { "type": "custom", "filter": ["lowercase"] } } },
        },
        "mappings": {
            "date_detection": false,
            "properties": {
                "_key": text,
                "_collection": text,
                "lower": { "properties": { "_key": lower, "_collection": lower } },
                "all": text,
                "all_lower": lower,
                "all_number": { "type": "double" },
            },
            "dynamic_templates": [
                template("number.*", "long", &json!({ "type": "double" }), "all_number"),
                template("number.*", "double", &json!({ "type": "double" }), "all_number"),
                template("lower.*", "string", &lower, "all_lower"),
                template("*", "string", &text, "all"),
            ],
        },
    })
}

/// Every value as text, then numbers as numbers, and the other values as a whole.
fn flat(document: &Document) -> Map<String, Value> {
    let mut flat = Map::new();
    let (mut numbers, mut texts) = (Map::new(), Map::new());
    for (field, value) in document {
        let values = values(value);
        flat.insert(field.clone(), values.iter().map(|value| text(value)).collect());
        let (number, other): (Vec<&Value>, Vec<&Value>) = values.into_iter().partition(|value| value.is_number());
        numbers.insert(field.clone(), number.into_iter().cloned().collect());
        texts.insert(field.clone(), other.into_iter().map(text).collect());
    }
    flat.insert("number".into(), numbers.into());
    flat.insert("lower".into(), texts.into());
    flat
}
