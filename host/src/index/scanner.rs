//! The values of JSON that is known to be well-formed, one by one, with their paths. It takes no stack, whatever the depth.

use std::borrow::Cow;

use serde_json::Number;

use super::schema::clean;

/// A value that is no array, no object and not null.
#[derive(Debug, PartialEq)]
pub(super) enum Event<'j> {
    Text(Cow<'j, str>),
    Number(Number),
    Boolean(bool),
}

/// Goes through the values. What is not well-formed ends it.
pub(super) struct Scanner<'j> {
    json: &'j str,
    at: usize,
    /// The names that lead to what is at hand, with dots between them.
    path: String,
    /// What is open: whether it is an object, and how long its own path is.
    open: Vec<(bool, usize)>,
    /// The next string is the name of a member.
    is_name: bool,
}

impl<'j> Scanner<'j> {
    pub(super) fn of(json: &'j str) -> Self {
        Self { json, at: 0, path: String::new(), open: Vec::new(), is_name: false }
    }

    /// The path of the value that came last.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    pub(super) fn next(&mut self) -> Option<Event<'j>> {
        loop {
            let byte = *self.json.as_bytes().get(self.at)?;
            match byte {
                b'{' | b'[' => {
                    self.open.push((byte == b'{', self.path.len()));
                    self.is_name = byte == b'{';
                    self.at += 1;
                }
                b'}' | b']' => {
                    let (_, length) = self.open.pop()?;
                    self.path.truncate(length);
                    self.at += 1;
                }
                b',' => {
                    let (is_object, length) = *self.open.last()?;
                    self.path.truncate(length);
                    self.is_name = is_object;
                    self.at += 1;
                }
                b'"' if self.is_name => {
                    let name = self.string()?;
                    self.enter(&name);
                    self.is_name = false;
                }
                b'"' => return self.string().map(Event::Text),
                b':' | b' ' | b'\n' | b'\r' | b'\t' => self.at += 1,
                _ => match self.literal() {
                    "null" => {}
                    "true" => return Some(Event::Boolean(true)),
                    "false" => return Some(Event::Boolean(false)),
                    number => return number.parse().ok().map(Event::Number),
                },
            }
        }
    }

    fn enter(&mut self, name: &str) {
        if !self.path.is_empty() {
            self.path.push('.');
        }
        self.path.push_str(&clean(name));
    }

    fn literal(&mut self) -> &'j str {
        let rest = &self.json[self.at..];
        let end = rest.find([',', ']', '}', ' ', '\n', '\r', '\t']).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn string(&mut self) -> Option<Cow<'j, str>> {
        let start = self.at;
        let bytes = self.json.as_bytes();
        let (mut end, mut is_plain) = (start + 1, true);
        loop {
            match *bytes.get(end)? {
                b'"' => break,
                b'\\' => {
                    is_plain = false;
                    end += 2;
                }
                _ => end += 1,
            }
        }
        self.at = end + 1;
        if is_plain {
            return self.json.get(start + 1..end).map(Cow::Borrowed);
        }
        let quoted = self.json.get(start..=end)?;
        let read = serde_json::from_str(quoted).or_else(|_| serde_json::from_str(&without_lone_surrogates(quoted)));
        read.ok().map(Cow::Owned)
    }
}

/// JSON may name halves of surrogate pairs, which are no characters.
fn without_lone_surrogates(json: &str) -> String {
    let (mut text, mut rest) = (String::with_capacity(json.len()), json);
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        text.push_str(before);
        let unit = unit(escape);
        let length = match unit {
            Some(0xd800..=0xdbff) if matches!(escape.get(6..).and_then(self::unit), Some(0xdc00..=0xdfff)) => 12,
            Some(_) => 6,
            None => 2,
        };
        let (escape, after) = escape.split_at_checked(length).unwrap_or((escape, ""));
        let lone = length == 6 && matches!(unit, Some(0xd800..=0xdfff));
        text.push_str(if lone { "\\ufffd" } else { escape });
        rest = after;
    }
    text + rest
}

/// The number of an escape `\uXXXX` that a text begins with.
fn unit(text: &str) -> Option<u32> {
    u32::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn scanned(json: &str) -> Vec<(String, String)> {
        let mut scanner = Scanner::of(json);
        let mut found = Vec::new();
        while let Some(event) = scanner.next() {
            let value = match event {
                Event::Text(text) => text.into_owned(),
                Event::Number(number) => number.to_string(),
                Event::Boolean(value) => value.to_string(),
            };
            found.push((scanner.path().to_owned(), value));
        }
        found
    }

    /// The same by a tree.
    fn walked(path: &str, value: &Value, found: &mut Vec<(String, String)>) {
        match value {
            Value::Null => {}
            Value::Bool(value) => found.push((path.into(), value.to_string())),
            Value::Number(value) => found.push((path.into(), value.to_string())),
            Value::String(value) => found.push((path.into(), value.clone())),
            Value::Array(items) => items.iter().for_each(|item| walked(path, item, found)),
            Value::Object(members) => {
                for (name, member) in members {
                    let path = if path.is_empty() { clean(name) } else { format!("{path}.{}", clean(name)) };
                    walked(&path, member, found);
                }
            }
        }
    }

    #[test]
    fn values_come_with_their_paths() {
        for json in [
            "1",
            r#""a\"b""#,
            r#"{"a":{"b":[1,{"c":"x"},[]],"d":null},"e":[[true,false],-1.5e3],"":"y","f":{"":"z"}}"#,
            " { \"a\" : [ 1 , { \"b\" : \"\\u00e9\\n\" } , 2 ] ,\r\n\t\"c\" : {} } ",
            "[[],{},[{}],\"end\"]",
        ] {
            let mut expected = Vec::new();
            walked("", &serde_json::from_str(json).unwrap(), &mut expected);
            let (mut found, sorted) = (scanned(json), |list: &mut Vec<_>| list.sort());
            sorted(&mut expected);
            sorted(&mut found);
            assert_eq!(found, expected, "{json}");
        }
    }

    #[test]
    fn depth_takes_no_stack() {
        let deep = "[".repeat(1_000_000) + "7" + &"]".repeat(1_000_000);
        assert_eq!(scanned(&deep), [(String::new(), "7".to_owned())]);
        let deep = "{\"a\":".repeat(10_000) + "7" + &"}".repeat(10_000);
        assert_eq!(scanned(&deep)[0].0.len(), 2 * 10_000 - 1);
    }

    #[test]
    fn halves_of_surrogate_pairs_are_replaced_alone() {
        let cases = [
            (r#"["\ud800","x"]"#, r#"["\ufffd","x"]"#),
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""\\ud800 \udc00""#, r#""\\ud800 \ufffd""#),
            (r#""\ud83d\ud83d\ude00 é""#, r#""\ufffd\ud83d\ude00 é""#),
        ];
        for (json, expected) in cases {
            assert_eq!(without_lone_surrogates(json), expected);
            assert!(!scanned(json).is_empty(), "{json}");
        }
    }
}
