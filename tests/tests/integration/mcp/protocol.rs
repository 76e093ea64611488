//! Sessions, tools, resources and prompts.

use ghost_tests::{folder::Folder, program::repository};
use serde_json::{Value, json};

use super::client::{Client, metadata, workspace};

#[test]
fn a_version_of_the_protocol_is_negotiated() {
    for (asked, agreed) in [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2024-11-05", "2024-11-05"),
        // It has no `initialize`; the newest version that has one is offered.
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
        ("2999-01-01", "2025-11-25"),
    ] {
        let folder = Folder::new();
        let mut client = Client::start(&folder, &[]);
        let result = client.initialize(asked);
        assert_eq!(result["protocolVersion"], agreed, "{asked}");
        assert_eq!(result["serverInfo"]["name"], "ghost");
        let instructions = result["instructions"].as_str().unwrap();
        for said in ["1m", "128 MiB", "16 KiB", "24000 characters", "g.sqldb", "BLOCKED", "truncated"] {
            assert!(instructions.contains(said), "{said}: {instructions}");
        }
        assert_eq!(client.result("ping", json!({})), json!({}));
        client.ends_well();
    }
}

#[test]
fn the_newest_version_needs_no_session() {
    let folder = Folder::new();
    let mut client = Client::start(&folder, &[]);
    let discovered = client.result("server/discover", json!({ "_meta": metadata() }));
    assert!(discovered["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")), "{discovered}");
    assert!(discovered["instructions"].is_string(), "{discovered}");
    let called = client.result(
        "tools/call",
        json!({ "name": "run_script", "arguments": { "source": "export const main = () => 6 * 7" }, "_meta": metadata() }),
    );
    assert_eq!(called["structuredContent"]["value"], 42);
    assert_eq!(called["resultType"], "complete");
    let mut unknown = metadata();
    unknown["io.modelcontextprotocol/protocolVersion"] = json!("2999-01-01");
    let refused = client.request("tools/list", json!({ "_meta": unknown }));
    assert!(refused["error"]["message"].as_str().unwrap().contains("ersion"), "{refused}");
    assert_eq!(client.result("tools/list", json!({ "_meta": metadata() }))["tools"].as_array().unwrap().len(), 4);
    client.ends_well();
}

#[test]
fn tools_have_schemas_and_annotations() {
    for (flags, reads) in [(&[][..], false), (&["--read-only"][..], true)] {
        let folder = Folder::new();
        let mut client = Client::connect(&folder, flags);
        let listed = client.result("tools/list", json!({}));
        let tools = listed["tools"].as_array().unwrap();
        let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["run_script", "check_script", "describe_api", "search_docs"]);
        for tool in tools {
            let is_run = tool["name"] == "run_script";
            assert_eq!(tool["annotations"]["readOnlyHint"], !is_run || reads, "{tool}");
            assert_eq!(tool["annotations"]["destructiveHint"], is_run && !reads, "{tool}");
            assert_eq!(tool["annotations"]["openWorldHint"], false, "{tool}");
            for schema in ["inputSchema", "outputSchema"] {
                assert_eq!(tool[schema]["type"], "object", "{tool}");
            }
        }
        client.ends_well();
    }
}

#[test]
fn a_script_is_checked_without_running_it() {
    let folder = workspace();
    let mut client = Client::connect(&folder, &[]);
    let mut check =
        |source: &str| client.call("check_script", json!({ "source": source }))["structuredContent"].clone();
    assert_eq!(check("export const main = () => g.store.put('a', 'b', 1)"), json!({ "ok": true }));
    let wrong = check("export function main() {\n  return 1 +;\n}");
    assert_eq!((&wrong["ok"], &wrong["error"]["code"]), (&json!(false), &json!("NOT_COMPILED")), "{wrong}");
    assert_eq!(wrong["error"]["position"]["line"], 2, "{wrong}");
    let without = check("const answer = 42;");
    assert!(without["error"]["message"].as_str().unwrap().contains("main"), "{without}");
    assert_eq!(client.value("export const main = () => g.store.count('a')"), 0);
    client.ends_well();
}

#[test]
fn the_api_is_described_within_a_budget() {
    let folder = Folder::new();
    let mut client = Client::connect(&folder, &[]);
    let mut describe = |arguments: Value| client.call("describe_api", arguments)["structuredContent"].clone();
    let whole = std::fs::read_to_string(repository().join("scripts/g.d.ts")).unwrap();
    let all = describe(json!({ "maxTokens": 50_000 }));
    assert_eq!(all["declarations"].as_str().unwrap().len(), whole.trim_end().len());
    assert!(all["truncated"].is_null());
    let queue = describe(json!({ "namespace": "queue" }));
    assert!(queue["declarations"].as_str().unwrap().starts_with("/**"), "{queue}");
    assert!(queue["declarations"].as_str().unwrap().contains("waitForItem<"));
    let little = describe(json!({ "maxTokens": 300 }));
    assert_eq!(little["truncated"], true);
    assert!(little["declarations"].as_str().unwrap().len() <= 900, "{little}");
    assert!(!little["omitted"].as_array().unwrap().is_empty());
    for (arguments, said) in [
        (json!({ "namespace": "stores" }), "store, queue, search"),
        (json!({ "maxTokens": 0 }), "200 to 50000"),
        (json!({ "maxTokens": "many" }), "describe_api"),
    ] {
        let error = describe(arguments)["error"].clone();
        assert!(error["message"].as_str().unwrap().contains(said), "{error}");
    }
    client.ends_well();
}

#[test]
fn the_documentation_is_searched() {
    let folder = Folder::new();
    let mut client = Client::connect(&folder, &[]);
    let mut search = |arguments: Value| client.call("search_docs", arguments)["structuredContent"].clone();
    let found = search(json!({ "query": "how do I wait for an item of a queue?", "limit": 3 }));
    let results = found["results"].as_array().unwrap();
    assert!((1..=3).contains(&results.len()), "{found}");
    assert!(results.iter().any(|part| part["title"] == "g.queue.waitForItem"), "{found}");
    assert!(results.iter().all(|part| part["resource"].as_str().unwrap().starts_with("ghost://")));
    assert_eq!(search(json!({ "query": "xyzzy" })), json!({ "results": [] }));
    let refused = search(json!({ "query": "queue", "limit": 1000 }));
    assert!(refused["error"]["message"].as_str().unwrap().contains("1 to 20"), "{refused}");
    client.ends_well();
}

#[test]
fn resources_are_the_declarations_the_reference_and_the_examples() {
    let folder = Folder::new();
    let mut client = Client::connect(&folder, &[]);
    let listed = client.result("resources/list", json!({}));
    let resources = listed["resources"].as_array().unwrap().clone();
    for resource in &resources {
        let read = client.result("resources/read", json!({ "uri": resource["uri"] }));
        assert_eq!(read["contents"][0]["text"].as_str().unwrap().len() as u64, resource["size"].as_u64().unwrap());
        assert_eq!(read["contents"][0]["mimeType"], resource["mimeType"]);
    }
    let read = client.result("resources/read", json!({ "uri": "ghost://g.d.ts" }));
    let declarations = std::fs::read_to_string(repository().join("scripts/g.d.ts")).unwrap();
    assert_eq!(read["contents"][0]["text"], declarations);
    assert!(resources.iter().any(|resource| resource["uri"] == "ghost://reference.md"));
    assert!(resources.iter().any(|resource| resource["uri"] == "ghost://examples/hello.js"));
    for uri in ["ghost://../secrets", "file:///etc/passwd", ""] {
        let refused = client.request("resources/read", json!({ "uri": uri }));
        assert!(refused["error"]["message"].as_str().unwrap().contains("resources/list"), "{refused}");
    }
    client.ends_well();
}

#[test]
fn prompts_contain_their_arguments() {
    let folder = Folder::new();
    let mut client = Client::connect(&folder, &[]);
    let listed = client.result("prompts/list", json!({}));
    for prompt in listed["prompts"].as_array().unwrap() {
        let mut arguments = json!({});
        for argument in prompt["arguments"].as_array().into_iter().flatten() {
            let name = argument["name"].as_str().unwrap();
            arguments[name] = json!(format!("<the {name}>"));
        }
        let got = client.result("prompts/get", json!({ "name": prompt["name"], "arguments": arguments }));
        let text = got["messages"][0]["content"]["text"].as_str().unwrap();
        for value in arguments.as_object().unwrap().values() {
            assert!(text.contains(value.as_str().unwrap()), "{text}");
        }
    }
    let refused = client.request("prompts/get", json!({ "name": "import_data", "arguments": {} }));
    assert!(refused["error"]["message"].as_str().unwrap().contains("collection"), "{refused}");
    client.ends_well();
}
