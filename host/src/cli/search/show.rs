//! Formats search results: with highlighted matches for a terminal, as JSON elsewhere.

use std::{borrow::Cow, ops::Range};

use ghost::search::{Found, Marks};
use indicatif::HumanCount;
use serde::Serialize;
use serde_json::{Value, value::RawValue};

use crate::cli::{
    terminal::escape,
    width::{end_within, start_within},
};

/// The maximum number of lines for a value with a highlighted match.
const LINES: usize = 3;
const INDENT: usize = 2;

/// The width and the colours of a terminal.
pub(crate) struct Style {
    pub(crate) width: usize,
    pub(crate) has_colour: bool,
}

/// A result on a terminal.
pub(crate) struct Shown<'s> {
    pub(crate) collection: &'s str,
    pub(crate) key: &'s str,
    /// The relevance, if it is known.
    pub(crate) score: Option<f32>,
    /// The fields of the document. A value that is not a text is shown as JSON.
    pub(crate) fields: Value,
}

impl<'s> Shown<'s> {
    pub(super) fn of(found: &'s Found) -> Self {
        Self { collection: &found.collection, key: &found.key, score: Some(found.score), fields: fields(found) }
    }
}

/// A result as JSON, with the members of the JavaScript object.
#[derive(Serialize)]
pub(super) struct FoundLine<'f> {
    key: &'f str,
    collection: &'f str,
    score: f32,
    fields: &'f RawValue,
}

impl<'f> FoundLine<'f> {
    pub(super) fn of(found: &'f Found) -> Self {
        Self { key: &found.key, collection: &found.collection, score: found.score, fields: raw(found) }
    }
}

/// Returns the fields as they are stored. Parsing them would lose an unpaired surrogate.
fn raw(found: &Found) -> &RawValue {
    serde_json::from_str(&found.fields).unwrap_or(RawValue::NULL)
}

/// Parses the fields. They were validated when they were indexed, but serde_json rejects an unpaired surrogate.
fn fields(found: &Found) -> Value {
    serde_json::from_str(&found.fields).unwrap_or_default()
}

/// The page that is shown.
pub(crate) struct Page {
    pub(crate) limit: u32,
    pub(crate) offset: u32,
}

/// Formats results for a terminal. One result more than the page means that there are more.
pub(crate) fn for_terminal(results: &[Shown<'_>], page: &Page, marks: &Marks, style: &Style) -> String {
    let shown = &results[..results.len().min(page.limit as usize)];
    let mut text: String = shown.iter().map(|found| style.result(found, marks) + "\n").collect();
    let first = u64::from(page.offset) + 1;
    let last = u64::from(page.offset) + shown.len() as u64;
    text += &match shown.len() {
        0 if !results.is_empty() => "there are results; --limit 0 shows none of them".into(),
        0 if page.offset > 0 => format!("--offset {} is after the last result", page.offset),
        0 => "no results".into(),
        1 => format!("result {}", HumanCount(last)),
        _ => format!("results {} to {}", HumanCount(first), HumanCount(last)),
    };
    if !shown.is_empty() && results.len() > shown.len() {
        text += &format!("; there are more, to continue: --offset {last}");
    }
    text
}

impl Style {
    fn result(&self, found: &Shown<'_>, marks: &Marks) -> String {
        let names = [("_collection", found.collection), ("_key", found.key)];
        let [collection, key] = names.map(|(field, name)| self.marked(name, &marks.in_text(field, name), "1"));
        let score = found.score.map(|score| format!("  {score:.3}")).unwrap_or_default();
        let mut text = format!("{}{collection}/{key}{}{score}\n", self.code("1"), self.code("0"));
        if let Value::Object(fields) = &found.fields {
            for (field, value) in fields {
                let value = value.as_str().map_or_else(|| value.to_string().into(), Cow::Borrowed);
                text += &self.field(field, &value, marks);
            }
        }
        text
    }

    fn field(&self, field: &str, value: &str, marks: &Marks) -> String {
        let found = marks.in_text(field, value);
        let lines = if found.is_empty() { 1 } else { LINES };
        let name = escape(field);
        let room = (lines * self.width).saturating_sub(INDENT + name.chars().count() + 3);
        let shown = part(value, found.first(), room);
        let inside = found.iter().filter(|mark| mark.start >= shown.start && mark.end <= shown.end);
        let inside: Vec<_> = inside.map(|mark| mark.start - shown.start..mark.end - shown.start).collect();
        let before = if shown.start > 0 { "…" } else { "" };
        let after = if shown.end < value.len() { "…" } else { "" };
        format!("{:INDENT$}{name}: {before}{}{after}\n", "", self.marked(&value[shown], &inside, "0"))
    }

    /// Highlights ranges of a text; `after` is the colour code of the text around them.
    fn marked(&self, text: &str, places: &[Range<usize>], after: &str) -> String {
        let (mut shown, mut at) = (String::new(), 0);
        let plain = |text: &str| escape(&text.replace(['\n', '\t'], " ")).into_owned();
        for place in places {
            shown += &plain(&text[at..place.start]);
            shown += &format!("{}{}{}", self.code("1;33"), plain(&text[place.clone()]), self.code("0"));
            if after != "0" {
                shown += &self.code(after);
            }
            at = place.end;
        }
        shown + &plain(&text[at..])
    }

    fn code(&self, code: &str) -> String {
        if self.has_colour { format!("\x1b[{code}m") } else { String::new() }
    }
}

/// Returns the part of a text that fits into `room` columns, around its first highlighted match.
fn part(text: &str, mark: Option<&Range<usize>>, room: usize) -> Range<usize> {
    let whole = start_within(text, room);
    if whole == text.len() || mark.is_none_or(|mark| mark.end <= whole) {
        return 0..whole;
    }
    let mark = mark.map_or(0, |mark| mark.start);
    let start = end_within(&text[..mark], room / 4);
    start..start + start_within(&text[start..], room.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(fields: &Value) -> Found {
        Found { key: "k".into(), collection: "c".into(), score: 1.5, fields: fields.to_string() }
    }

    #[test]
    fn matches_are_highlighted() {
        let style = Style { width: 40, has_colour: true };
        let marks = Marks::of("tea OR _key:k").unwrap();
        let shown = for_terminal(
            &[Shown::of(&found(&json!({ "text": "green\n\x1b[2J Tea!" })))],
            &Page { limit: 9, offset: 4 },
            &marks,
            &style,
        );
        let expected = "\x1b[1mc/\x1b[1;33mk\x1b[0m\x1b[1m\x1b[0m  1.500\n  text: green \\x1b[2J \x1b[1;33mTea\x1b[0m!\n\nresult 5";
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_long_text_is_cut_around_a_match() {
        let style = Style { width: 20, has_colour: false };
        let text = format!("{}tea {}", "日 本 ".repeat(40), "x ".repeat(90));
        let marks = Marks::of("tea").unwrap();
        let shown = style.field("text", &text, &marks);
        assert!(shown.contains("tea x") && shown.starts_with("  text: …") && shown.ends_with("…\n"), "{shown}");
        let unmarked = style.field("text", &text, &Marks::of("pot").unwrap());
        assert!(unmarked.chars().count() < 20, "{unmarked}");
    }

    #[test]
    fn the_last_line_states_what_the_page_omits() {
        let style = Style { width: 80, has_colour: false };
        let last = |results: usize, limit, offset| {
            let found = found(&json!({}));
            let results: Vec<_> = (0..results).map(|_| Shown::of(&found)).collect();
            let shown = for_terminal(&results, &Page { limit, offset }, &Marks::of("x").unwrap(), &style);
            shown.lines().last().unwrap_or_default().to_owned()
        };
        assert_eq!(last(0, 10, 0), "no results");
        assert_eq!(last(0, 10, 5), "--offset 5 is after the last result");
        assert_eq!(last(1, 0, 0), "there are results; --limit 0 shows none of them");
        assert_eq!(last(2, 2, 0), "results 1 to 2");
        assert_eq!(last(3, 2, 4), "results 5 to 6; there are more, to continue: --offset 6");
    }
}
