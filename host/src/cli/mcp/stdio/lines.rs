//! Lines of limited length. A longer one is skipped, not kept.

use rmcp::{model::RequestId, transport::io::StdioReader};
use tokio::io::{AsyncBufReadExt, BufReader};

/// How much is kept of the beginning and of the end of a line that is too long, to find the id of its request.
const KEPT_BYTES: usize = 1 << 10;

/// A line without its end.
pub(super) enum Line {
    Complete(Vec<u8>),
    /// The id of its request, if it was found.
    TooLong(Option<RequestId>),
}

/// Reads lines from standard input.
pub(super) struct Lines {
    input: BufReader<StdioReader>,
    limit: usize,
    /// The line so far; its first bytes if it is too long.
    line: Vec<u8>,
    /// The last bytes of a line that is too long.
    skipped: Option<Vec<u8>>,
}

impl Lines {
    pub(super) fn of(input: StdioReader, limit: usize) -> Self {
        Self { input: BufReader::new(input), limit, line: Vec::new(), skipped: None }
    }

    /// Returns the next line; none at the end, and when the input can't be read. Loses nothing when it is dropped.
    pub(super) async fn next(&mut self) -> Option<Line> {
        loop {
            let read = match self.input.fill_buf().await {
                Ok(read) => read,
                Err(error) => {
                    tracing::debug!("standard input can't be read: {error}");
                    return None;
                }
            };
            if read.is_empty() {
                return None;
            }
            let end = read.iter().position(|byte| *byte == b'\n');
            let part = &read[..end.unwrap_or(read.len())];
            keep(&mut self.line, &mut self.skipped, part, self.limit);
            let used = part.len() + usize::from(end.is_some());
            self.input.consume(used);
            if end.is_some() {
                let line = std::mem::take(&mut self.line);
                return Some(match self.skipped.take() {
                    None => Line::Complete(line),
                    Some(tail) => Line::TooLong(id(&line, &tail)),
                });
            }
        }
    }
}

/// Adds a part to a line. Once the line is too long, only its beginning and its end are kept.
fn keep(line: &mut Vec<u8>, skipped: &mut Option<Vec<u8>>, part: &[u8], limit: usize) {
    if skipped.is_none() && line.len() + part.len() <= limit {
        line.extend_from_slice(part);
        return;
    }
    let tail = skipped.get_or_insert_with(|| line[line.len().saturating_sub(KEPT_BYTES)..].to_vec());
    line.truncate(KEPT_BYTES);
    line.shrink_to_fit();
    tail.extend_from_slice(&part[part.len().saturating_sub(KEPT_BYTES)..]);
    tail.drain(..tail.len().saturating_sub(KEPT_BYTES));
}

/// Finds the id of a request: before its parameters, or behind them. A wrong one would only fail a request of the client
/// that sent it.
fn id(head: &[u8], tail: &[u8]) -> Option<RequestId> {
    let (head, tail) = (String::from_utf8_lossy(head), String::from_utf8_lossy(tail));
    let before = head.split("\"params\"").next().unwrap_or_default();
    after_name(before, before.find("\"id\"")).or_else(|| after_name(&tail, tail.rfind("\"id\"")))
}

fn after_name(text: &str, at: Option<usize>) -> Option<RequestId> {
    let value = text.get(at? + "\"id\"".len()..)?.trim_start().strip_prefix(':')?;
    serde_json::Deserializer::from_str(value).into_iter().next()?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds a text in parts of this length, as a pipe returns it.
    fn kept(text: &str, step: usize, limit: usize) -> (Vec<u8>, Option<Vec<u8>>) {
        let (mut line, mut skipped) = (Vec::new(), None);
        for part in text.as_bytes().chunks(step) {
            keep(&mut line, &mut skipped, part, limit);
        }
        (line, skipped)
    }

    #[test]
    fn a_line_that_is_too_long_is_not_kept() {
        for step in [1, 7, 1_000, 1 << 16] {
            assert_eq!(kept("0123456789", step, 10), (b"0123456789".to_vec(), None));
            let text = format!("{}{}", "a".repeat(50_000), "b".repeat(50_000));
            let (line, tail) = kept(&text, step, 20_000);
            assert!(line.len() <= KEPT_BYTES && line.capacity() <= 2 * KEPT_BYTES, "{}", line.capacity());
            assert_eq!(tail, Some(vec![b'b'; KEPT_BYTES]));
        }
    }

    #[test]
    fn the_id_is_found_before_and_after_the_parameters() {
        let source = "x".repeat(50_000);
        for (text, expected) in [
            (
                format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"id":9,"s":"{source}"}}}}"#),
                Some(RequestId::Number(7)),
            ),
            (
                format!(r#"{{"method":"tools/call","params":{{"id":9,"s":"{source}"}},"jsonrpc":"2.0","id": "a-1"}}"#),
                Some(RequestId::String("a-1".into())),
            ),
            (format!(r#"{{"method":"{source}""#), None),
            (source.clone(), None),
        ] {
            let (head, tail) = kept(&text, 4_096, 10_000);
            assert_eq!(id(&head, &tail.unwrap()), expected);
        }
    }
}
