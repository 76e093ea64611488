//! Prints errors and notes on standard error.

use std::{
    env,
    fmt::Write,
    io::{self, IsTerminal},
};

use ghost::{Exception, Failure, Frame};
use unicode_width::UnicodeWidthStr;

use super::{
    terminal::{ERROR, NOTE, escape, print_error, quote_mark, quoted_below},
    width::{cut, cut_start},
};

/// The maximum number of stack frames to print.
const MAX_FRAMES: usize = 20;
/// Describes a thrown value that is not an Error.
const UNCAUGHT: &str = "uncaught";
/// The width of a source line when standard error is not a terminal, in columns.
const DEFAULT_WIDTH: usize = 160;

/// Prints an error.
pub(crate) fn error(message: &str) {
    print_error(&format!("{} {}", bold_red(ERROR), quoted_below(&escape(message))));
}

/// Prints a note next to the output of a script. On a terminal, where the two could be confused, it gets a prefix that no
/// line of a script has.
pub(crate) fn notice(text: &str) {
    if io::stderr().is_terminal() {
        print_error(&format!("{} {}", coloured("1", NOTE), quoted_below(&escape(text))));
    } else {
        note(text);
    }
}

/// Prints a note.
pub(crate) fn note(text: &str) {
    print_error(&escape(text));
}

/// Prints the failure of a run. `source` is the source of the script, if it has one.
pub(crate) fn failure(failure: &Failure, source: Option<&str>) {
    match failure {
        Failure::Exception(exception) => print_error(&describe(exception, source)),
        Failure::Stalled => error(&format!("[STALLED] {failure}")),
        Failure::Time { .. } => error(&format!("{failure} (--timeout)")),
        Failure::Memory { .. } | Failure::Compiler { .. } => error(&format!("{failure} (--max-memory)")),
        Failure::Internal { .. } => error(&format!("{failure}; for details, run the command again with --verbose")),
        other => error(&other.to_string()),
    }
}

/// Prints why a script could not start. An exception without a class is then a message of the compiler, not a thrown value.
pub(crate) fn not_started(failure: &Failure, source: Option<&str>) {
    match failure {
        Failure::Exception(exception) if exception.name.is_none() => error(&exception.message),
        other => self::failure(other, source),
    }
}

/// Whether to use colours on standard error.
pub(crate) fn has_colour() -> bool {
    is_coloured(io::stderr().is_terminal())
}

/// Whether to use colours on a stream.
pub(crate) fn is_coloured(is_terminal: bool) -> bool {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    is_terminal && !is_set("NO_COLOR") && env::var_os("TERM").is_none_or(|terminal| terminal != "dumb")
}

/// Formats an exception: class, code and message; the source line with a caret; the stack. Most of the text comes from
/// the script, so lines that look like those of ghost are marked.
fn describe(exception: &Exception, source: Option<&str>) -> String {
    let (class, message) = (on_one_line(&class(exception)), escape(&exception.message));
    let mut said = message.into_owned();
    if let Some(details) = &exception.details {
        let _infallible = write!(said, "\n  details: {}", escape(details));
    }
    // The line of an exception without a class begins with ghost's own `error:`.
    let mark = exception.name.as_ref().map_or("", |name| quote_mark(&format!("{name}:")));
    let mut text = format!("{mark}{} {}", bold_red(&class), quoted_below(&said));
    if let (Some(frame), Some(source)) = (exception.stack.first(), source) {
        text += &excerpt(frame, source, width()).unwrap_or_default();
    }
    for frame in exception.stack.iter().take(MAX_FRAMES) {
        let _infallible = write!(text, "\n    at {}", on_one_line(&place(frame)));
    }
    if exception.stack.len() > MAX_FRAMES {
        let _infallible = write!(text, "\n    … {} more", exception.stack.len() - MAX_FRAMES);
    }
    text
}

/// `GError [NOT_FOUND]:`
fn class(exception: &Exception) -> String {
    match (&exception.name, &exception.code) {
        (Some(name), Some(code)) => format!("{name} [{code}]:"),
        (Some(name), None) => format!("{name}:"),
        // A component may leave out what the engine says.
        (None, _) if exception.message.starts_with(UNCAUGHT) => ERROR.into(),
        (None, _) => format!("{ERROR} {UNCAUGHT}"),
    }
}

/// `f (script.js:12:7)`
pub(crate) fn place(frame: &Frame) -> String {
    let column = frame.column.map(|column| format!(":{column}")).unwrap_or_default();
    let place = format!("{}:{}{column}", frame.file, frame.line);
    frame.function.as_ref().map_or(place.clone(), |function| format!("{function} ({place})"))
}

/// Returns the source line, with a caret under the column if it is known.
fn excerpt(frame: &Frame, source: &str, width: usize) -> Option<String> {
    let line = source.lines().nth(frame.line.checked_sub(1)? as usize)?;
    if line.trim().is_empty() {
        return None;
    }
    let margin = " ".repeat(frame.line.to_string().len());
    // The column counts UTF-16 units; the caret is placed by terminal columns.
    let before = frame.column.and_then(|column| utf16_prefix(line, column.checked_sub(1)? as usize));
    let (shown, caret) = around(line, before.map(str::len), width.saturating_sub(margin.len() + "  │ ".width() + 1));
    let mut text = format!("\n  {margin} │\n  {} │ {shown}", frame.line);
    if let Some(indent) = caret {
        let _infallible = write!(text, "\n  {margin} │ {}{}", " ".repeat(indent), bold_red("^"));
    }
    Some(text)
}

/// Cuts a line to `room` columns around a byte offset. Returns the text, and the column of the offset in it.
fn around(line: &str, offset: Option<usize>, room: usize) -> (String, Option<usize>) {
    let (before, after) = line.split_at(offset.unwrap_or(0));
    let (before, after) = (on_one_line(before), on_one_line(after));
    let indent = offset.map(|_| before.width());
    if before.width() + after.width() <= room {
        return (before + &after, indent);
    }
    // The text after the offset gets up to half of the room.
    let start = room - after.width().min(room.div_ceil(2));
    let kept = cut_start(&before, start);
    let rest = cut(&after, room.saturating_sub(kept.width()));
    (kept.clone() + &rest, indent.map(|_| kept.width()))
}

/// Returns the width of the terminal on standard error.
fn width() -> usize {
    let size = rustix::termios::tcgetwinsize(io::stderr());
    size.map_or(DEFAULT_WIDTH, |size| usize::from(size.ws_col)).max(20)
}

/// Escapes a text for one line; a tab becomes a space.
fn on_one_line(source: &str) -> String {
    escape(&source.replace(['\t', '\n'], " ")).into_owned()
}

/// Returns the text before a column, in UTF-16 units from 0; none if the line is shorter.
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

fn bold_red(text: &str) -> String {
    coloured("1;31", text)
}

fn coloured(code: &str, text: &str) -> String {
    if has_colour() { format!("\x1b[{code}m{text}\x1b[0m") } else { text.into() }
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
    fn the_line_is_shown_with_a_caret_under_the_column() {
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
    fn a_long_line_is_cut_around_the_column() {
        let line = format!("{}x(){}", "a".repeat(200), "b".repeat(200));
        let shown = |column| excerpt(&frame(1, column), &line, 26).unwrap();
        assert_eq!(shown(Some(201)), "\n    │\n  1 │ …aaaaaaaaax()bbbbbb…\n    │           ^");
        assert_eq!(shown(Some(1)), "\n    │\n  1 │ aaaaaaaaaaaaaaaaaaa…\n    │ ^");
        assert_eq!(shown(None), "\n    │\n  1 │ aaaaaaaaaaaaaaaaaaa…");
        assert_eq!(shown(Some(403)), "\n    │\n  1 │ …bbbbbbbbbbbbbbbbbbb\n    │                    ^");
    }

    #[test]
    fn a_missing_line_is_not_shown() {
        assert_eq!(
            describe(&exception("no", vec![frame(9, Some(1))]), Some("x()")),
            "TypeError: no\n    at f (script.js:9:1)"
        );
    }

    #[test]
    fn escapes_in_the_line_do_not_misplace_the_caret() {
        let shown = describe(&exception("no", vec![frame(1, Some(7))]), Some("\t'\x1b';x()"));
        assert_eq!(
            shown,
            "TypeError: no\n    │\n  1 │  '\\x1b';x()\n    │         ^\n    at f (script.js:1:7)"
                .replace("        ^", "         ^")
        );
    }

    #[test]
    fn the_code_follows_the_class_and_a_caret_in_the_message_keeps_its_column() {
        let mut thrown = exception("expected a term\n  a AND\n       ^", vec![]);
        (thrown.name, thrown.code) = (Some("GError".into()), Some("QUERY_SYNTAX".into()));
        thrown.details = Some("{\"position\":5}".into());
        let expected = "GError [QUERY_SYNTAX]: expected a term\n  a AND\n       ^\n  details: {\"position\":5}";
        assert_eq!(describe(&thrown, None), expected);
    }

    #[test]
    fn text_of_a_script_does_not_control_the_terminal() {
        let mut thrown = exception("\x1b[2J", vec![Frame { file: "\x07.js".into(), ..frame(1, None) }]);
        (thrown.name, thrown.details) = (Some("\u{9b}".into()), Some("{\"\u{202e}\":1}".into()));
        assert!(!describe(&thrown, Some("'\x1b[31m'")).contains(['\x1b', '\x07', '\u{9b}', '\u{202e}']));
    }

    #[test]
    fn no_line_of_a_script_looks_like_one_of_ghost() {
        let mut thrown = exception("no\nerror: the workspace is damaged", vec![]);
        assert_eq!(describe(&thrown, None), "TypeError: no\n│ error: the workspace is damaged");
        thrown = exception("no", vec![Frame { file: "a\nerror: b".into(), ..frame(1, None) }]);
        (thrown.name, thrown.details) = (Some("error".into()), Some("{\nnote: x".into()));
        assert_eq!(describe(&thrown, None), "│ error: no\n  details: {\n│ note: x\n    at f (a error: b:1)");
        thrown = exception("the workspace is damaged", vec![]);
        thrown.name = None;
        assert_eq!(describe(&thrown, None), "error: uncaught the workspace is damaged");
    }

    #[test]
    fn a_deep_stack_is_cut() {
        let shown = describe(&exception("no", vec![frame(1, None); 30]), None);
        assert!(shown.ends_with("\n    … 10 more"), "{shown}");
        assert_eq!(shown.lines().count(), 22);
    }
}
