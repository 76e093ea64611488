//! Errors, for people, on standard error.

use std::{
    fmt::Write,
    io::{self, IsTerminal},
};

use ghost::{Exception, Failure, Frame};

use super::terminal::{harmless, print_error};

/// How many lines of a stack are shown.
const FRAMES: usize = 20;
/// How much of a long source line is shown, in characters.
const LINE: usize = 160;

/// Says why the program could not start or go on.
pub(crate) fn message(message: &str) {
    print_error(&format!("{} {}", bold_red("error:"), harmless(message)));
}

/// Says why a run gave no result. `source` is what the script was compiled from, where that is known.
pub(crate) fn failure(failure: &Failure, source: Option<&str>) {
    match failure {
        Failure::Exception(exception) => print_error(&describe(exception, source)),
        Failure::Stalled => message(&format!("[STALLED] {failure}")),
        Failure::Time { .. } => message(&format!("{failure} (--timeout)")),
        Failure::Memory { .. } => message(&format!("{failure} (--max-memory)")),
        other => message(&other.to_string()),
    }
}

/// Class, code and message; the source line with a caret; the stack.
fn describe(exception: &Exception, source: Option<&str>) -> String {
    let mut text = match (&exception.name, &exception.code) {
        (Some(name), Some(code)) => format!("{} ", bold_red(&format!("{} [{}]:", harmless(name), harmless(code)))),
        (Some(name), None) => format!("{} ", bold_red(&format!("{}:", harmless(name)))),
        (None, _) => format!("{} ", bold_red("error:")),
    };
    text += &harmless(&exception.message);
    if let Some(details) = &exception.details {
        let _infallible = write!(text, "\n  details: {}", harmless(details));
    }
    if let (Some(frame), Some(source)) = (exception.stack.first(), source) {
        text += &source_line(frame, source).unwrap_or_default();
    }
    for frame in exception.stack.iter().take(FRAMES) {
        let _infallible = write!(text, "\n    at {}", harmless(&place(frame)));
    }
    if exception.stack.len() > FRAMES {
        let _infallible = write!(text, "\n    … {} more", exception.stack.len() - FRAMES);
    }
    text
}

/// `f (script.js:12:7)`
fn place(frame: &Frame) -> String {
    let column = frame.column.map(|column| format!(":{column}")).unwrap_or_default();
    let place = format!("{}:{}{column}", frame.file, frame.line);
    frame.function.as_ref().map_or(place.clone(), |function| format!("{function} ({place})"))
}

/// The line of the source, and a caret under the column where that is known.
fn source_line(frame: &Frame, source: &str) -> Option<String> {
    let line = source.lines().nth(frame.line.checked_sub(1)? as usize)?;
    let line = line.replace('\t', " ");
    let line = harmless(&line);
    if line.trim().is_empty() || line.chars().count() > LINE {
        return None;
    }
    let number = frame.line.to_string();
    let margin = " ".repeat(number.len());
    let mut text = format!("\n  {margin} │\n  {number} │ {line}");
    // The column counts UTF-16 units; the caret stands under a place on the terminal.
    if let Some(before) = frame.column.and_then(|column| utf16_prefix(&line, column.checked_sub(1)? as usize)) {
        let _infallible = write!(text, "\n  {margin} │ {}{}", " ".repeat(width(before)), bold_red("^"));
    }
    text.push('\n');
    Some(text.trim_end_matches('\n').into())
}

/// What stands before a column, counted in UTF-16 units from 0. None when the line is shorter.
fn utf16_prefix(line: &str, units: usize) -> Option<&str> {
    let mut left = units;
    for (at, character) in line.char_indices() {
        if left == 0 {
            return Some(&line[..at]);
        }
        left = left.checked_sub(character.len_utf16())?;
    }
    (left == 0).then_some(line)
}

/// How many places a text takes on a terminal.
fn width(text: &str) -> usize {
    let wide = |c: char| matches!(u32::from(c), 0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xfe30..=0xfe6f | 0xff00..=0xff60 | 0x1f300..=0x1faff | 0x20000..=0x3fffd);
    let none = |c: char| matches!(u32::from(c), 0x300..=0x36f | 0x200b..=0x200d | 0xfe00..=0xfe0f);
    text.chars().map(|character| if none(character) { 0 } else { 1 + usize::from(wide(character)) }).sum()
}

fn bold_red(text: &str) -> String {
    let colour = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    if colour { format!("\x1b[1;31m{text}\x1b[0m") } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exception(message: &str, stack: Vec<Frame>) -> Exception {
        let (code, namespace, method, details) = (None, None, None, None);
        Exception { name: Some("TypeError".into()), message: message.into(), stack, code, namespace, method, details }
    }

    fn frame(line: u32, column: Option<u32>) -> Frame {
        Frame { function: Some("f".into()), file: "script.js".into(), line, column }
    }

    #[test]
    fn the_line_is_shown_with_a_caret_under_the_place() {
        let shown = describe(&exception("no", vec![frame(2, Some(12))]), Some("let a;\nlet 日本 = \u{1f600}x.y;\n"));
        assert_eq!(
            shown,
            "TypeError: no\n    │\n  2 │ let 日本 = \u{1f600}x.y;\n    │              ^\n    at f (script.js:2:12)"
        );
    }

    #[test]
    fn without_a_column_there_is_no_caret() {
        let shown = describe(&exception("no", vec![frame(1, None)]), Some("x()"));
        assert_eq!(shown, "TypeError: no\n    │\n  1 │ x()\n    at f (script.js:1)");
    }

    #[test]
    fn a_line_that_is_not_there_is_not_shown() {
        assert_eq!(
            describe(&exception("no", vec![frame(9, Some(1))]), Some("x()")),
            "TypeError: no\n    at f (script.js:9:1)"
        );
    }
}
