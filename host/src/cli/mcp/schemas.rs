//! The tools, and the JSON Schemas of their arguments and results.

use std::{sync::Arc, time::Duration};

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::{declarations, documents};

/// The tools of a server whose runs have this time limit.
pub(super) fn tools(time: Duration, is_read_only: bool) -> Vec<Tool> {
    let annotated = |title: &str, reads: bool, destroys: bool, repeats: bool| {
        // No tool reaches another system.
        ToolAnnotations::from_raw(Some(title.into()), Some(reads), Some(destroys), Some(repeats), Some(false))
    };
    let look_up = |title| annotated(title, true, false, true);
    vec![
        tool(
            "run_script",
            "Runs a JavaScript module in a sandbox and returns what its main returns. The module exports main(input), which \
             may be async; it has the global g: g.store (documents), g.queue (work queues), g.search (full-text search), and \
             console. No imports, no network, no files. Call describe_api for the methods of g.",
            run_arguments(time),
            run_result(),
            annotated("Run a script", is_read_only, !is_read_only, false),
        ),
        tool(
            "check_script",
            "Compiles a script without running it, and returns the position of the first syntax error.",
            object(json!({ "source": source() }), &["source"]),
            object(json!({ "ok": { "type": "boolean" }, "error": error() }), &["ok"]),
            look_up("Check a script"),
        ),
        tool(
            "describe_api",
            "Returns the TypeScript declarations of g, or of one namespace. If they exceed maxTokens, comments are shortened, \
             then omitted, then declarations are omitted.",
            describe_arguments(),
            describe_result(),
            look_up("Describe the API"),
        ),
        tool(
            "search_docs",
            "Searches the reference of g, the query language and the example scripts.",
            search_arguments(),
            search_result(),
            look_up("Search the documentation"),
        ),
    ]
}

fn tool(name: &'static str, description: &'static str, input: Value, output: Value, notes: ToolAnnotations) -> Tool {
    Tool::new(name, description, schema(input)).with_raw_output_schema(schema(output)).with_annotations(notes)
}

fn schema(value: Value) -> Arc<serde_json::Map<String, Value>> {
    match value {
        Value::Object(members) => Arc::new(members),
        other => unreachable!("a schema is an object: {other}"),
    }
}

fn object(properties: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn source() -> Value {
    json!({ "type": "string", "description": "The source: one ES module that exports a function main." })
}

fn run_arguments(time: Duration) -> Value {
    let limit = time.as_secs_f64();
    let timeout = json!({
        "type": "number", "exclusiveMinimum": 0, "maximum": limit, "default": limit,
        "description": "The time limit in seconds.",
    });
    let input = json!({ "description": "The argument of main: any JSON value." });
    object(json!({ "source": source(), "input": input, "timeout": timeout }), &["source"])
}

fn run_result() -> Value {
    let line = object(
        json!({ "level": { "enum": ["debug", "info", "warn", "error"] }, "text": { "type": "string" } }),
        &["level", "text"],
    );
    let figures = json!({
        "timeMs": { "type": "number" }, "peakMemoryBytes": { "type": "integer" },
        "hostCalls": { "type": "integer" }, "commits": { "type": "integer" },
    });
    let result = json!({
        "truncated": { "type": "boolean", "description": "The value is too large: preview has its beginning. Return less." },
        "value": { "description": "What main returned; absent for undefined." },
        "preview": { "type": "string" },
        "size": { "type": "integer", "description": "The characters of the value as JSON." },
        "console": { "type": "array", "items": line },
        "notices": { "type": "array", "items": { "type": "string" } },
        "error": error(),
        "figures": object(figures, &["timeMs", "peakMemoryBytes", "hostCalls", "commits"]),
    });
    object(result, &[])
}

fn error() -> Value {
    let position = json!({
        "file": { "type": "string" }, "line": { "type": "integer" }, "column": { "type": "integer" },
    });
    let error = json!({
        "code": { "type": "string", "description": "What kind of error: NOT_COMPILED, EXCEPTION, TIME_LIMIT, or a code of g." },
        "message": { "type": "string" },
        "name": { "type": "string" },
        "position": object(position, &["file", "line"]),
        "stack": { "type": "array", "items": { "type": "string" } },
        "details": { "type": "object" },
        "hint": { "type": "string", "description": "What to do about it." },
    });
    object(error, &["code", "message"])
}

fn describe_arguments() -> Value {
    let tokens = json!({
        "type": "integer", "minimum": declarations::MIN_TOKENS, "maximum": declarations::MAX_TOKENS,
        "default": declarations::DEFAULT_TOKENS,
        "description": "The budget; a token is counted as three characters.",
    });
    let namespace = json!({ "enum": declarations::namespaces(), "description": "One namespace; all without it." });
    object(json!({ "namespace": namespace, "maxTokens": tokens }), &[])
}

fn describe_result() -> Value {
    let result = json!({
        "truncated": { "type": "boolean", "description": "Declarations are omitted." },
        "omitted": { "type": "array", "items": { "type": "string" } },
        "comments": { "enum": ["full", "short", "none"] },
        "tokens": { "type": "integer" },
        "declarations": { "type": "string" },
        "error": error(),
    });
    object(result, &[])
}

fn search_arguments() -> Value {
    let query = json!({ "type": "string", "description": "Words, or a query in Lucene's classic syntax." });
    let limit = json!({
        "type": "integer", "minimum": 1, "maximum": documents::MAX_RESULTS, "default": documents::DEFAULT_RESULTS,
    });
    object(json!({ "query": query, "limit": limit }), &["query"])
}

fn search_result() -> Value {
    let found = json!({
        "title": { "type": "string" },
        "resource": { "type": "string", "description": "The URI of the resource that contains the text." },
        "text": { "type": "string" },
    });
    let results = json!({ "type": "array", "items": object(found, &["title", "resource", "text"]) });
    object(json!({ "results": results, "error": error() }), &[])
}
