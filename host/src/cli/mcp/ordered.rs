//! Restores the order of members in structured content, which `serde_json::Value` sorts: `truncated` has to be the first.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The answer to a call of a tool.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer<'m> {
    jsonrpc: &'m str,
    #[serde(borrow)]
    id: &'m RawValue,
    result: ToolResult<'m>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ToolResult<'m> {
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<&'m str>,
    #[serde(borrow)]
    structured_content: &'m RawValue,
    content: [Text; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    is_error: Option<bool>,
}

/// The content of a result: the JSON of its structured content, in order.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    r#type: String,
    text: String,
}

/// Returns a message with its structured content in order; none if it is not the answer to a call of a tool.
pub(super) fn message(json: &str) -> Option<String> {
    let mut answer: Answer<'_> = serde_json::from_str(json).ok()?;
    let [Text { text, .. }] = &answer.result.content;
    let text = text.clone();
    answer.result.structured_content = serde_json::from_str(&text).ok()?;
    serde_json::to_string(&answer).ok()
}

/// Does the same for the messages in a part of a stream of events. rmcp writes each event as one part.
pub(super) fn events(part: Bytes) -> Bytes {
    let line = |line: &str| {
        let json = line.strip_prefix("data:").map(str::trim).and_then(message);
        json.map_or_else(|| line.to_owned(), |json| format!("data: {json}\n"))
    };
    match str::from_utf8(&part) {
        Ok(text) if text.contains("\"structuredContent\"") => {
            text.split_inclusive('\n').map(line).collect::<String>().into()
        }
        _ => part,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structured_content_gets_the_order_of_the_text() {
        let json = r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"{\"b\":1.50,\"a\":[{}]}"}],"structuredContent":{"a":[{}],"b":1.5},"isError":false}}"#;
        let expected = r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","structuredContent":{"b":1.50,"a":[{}]},"content":[{"type":"text","text":"{\"b\":1.50,\"a\":[{}]}"}],"isError":false}}"#;
        assert_eq!(message(json).as_deref(), Some(expected));
        let stream = format!("id: 0\ndata: {json}\n\n");
        assert_eq!(events(stream.into()), format!("id: 0\ndata: {expected}\n\n"));
    }

    #[test]
    fn every_other_message_is_unchanged() {
        for json in [
            "",
            "{",
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"\"structuredContent\""}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"no json"}],"structuredContent":{}}}"#,
        ] {
            assert_eq!(message(json), None, "{json}");
            let stream = format!("data: {json}\n\n");
            assert_eq!(events(stream.clone().into()), stream);
        }
    }
}
