//! Converts a thrown value to class, message and stack. A script can throw any value, including objects whose getters
//! or `toString` throw, and proxies.

use javy::quickjs::{Ctx, Error, FromJs, Object, Value};

use crate::{
    bindings::ghost::g::{
        runtime as host,
        types::{Exception, Frame},
    },
    builtins, columns,
    glue::json,
    memory,
};

/// QuickJS's file name for evaluated code and JSON.
const NO_FILE: &str = "<input>";
/// The maximum number of causes to show.
const MAX_CAUSES: usize = 5;
/// The maximum length of the name or the message of a cause.
const CAUSE_BYTES: usize = 16 << 10;

/// The maximum number of frames; a script can set the text of a stack.
const MAX_FRAMES: usize = 1_000;

/// Converts the error of a failed operation.
pub fn of_error(ctx: &Ctx<'_>, error: Error) -> Exception {
    // Some functions of rquickjs return another error and leave the exception pending.
    if error.is_exception() || ctx.has_exception() {
        return of_value(ctx, &ctx.catch());
    }
    // A script can't cause this. The message goes to the host's log, and the host ends the run.
    host::fault(&error.to_string());
    plain("internal error".to_owned())
}

/// Creates an exception that has only a message.
pub fn plain(message: String) -> Exception {
    Exception { name: None, message, stack: Vec::new(), code: None, namespace: None, method: None, details: None }
}

/// Converts a thrown value.
pub fn of_value<'js>(ctx: &Ctx<'js>, thrown: &Value<'js>) -> Exception {
    let Some(error) = thrown.as_object().filter(|_| thrown.is_error()) else {
        return plain(format!("uncaught {}", builtins::inspect(ctx, thrown)));
    };
    let text = |name: &str| member::<String>(ctx, error, name);
    let name = text("name").unwrap_or_else(|| "Error".into());
    let message = text("message").unwrap_or_default();
    let details = member::<Value<'js>>(ctx, error, "details").filter(Value::is_object);
    Exception {
        message: message + &causes(ctx, error),
        name: Some(name),
        stack: text("stack").map(|stack| frames(&stack)).unwrap_or_default(),
        code: text("code"),
        namespace: text("namespace"),
        method: text("method"),
        details: details.and_then(|details| match json::loose(&details) {
            Ok(written) => written.text,
            Err(_) => {
                ctx.catch();
                None
            }
        }),
    }
}

/// Whether an exception means that QuickJS ran out of memory. Null is caught after a failure without an exception.
pub fn is_out_of_memory(exception: &Exception) -> bool {
    let by_engine = matches!(exception.name.as_deref(), Some("InternalError" | "SyntaxError"));
    let thrown_by_engine = by_engine && exception.message.starts_with("out of memory");
    memory::was_used_up() && (thrown_by_engine || (exception.name.is_none() && is_bare(&exception.message)))
}

/// Whether a message is that of a value which could not be formatted for lack of memory: `null`, or a type in brackets.
fn is_bare(message: &str) -> bool {
    let shown = message.strip_prefix("uncaught ").unwrap_or_default();
    let kind = shown.strip_prefix('[').and_then(|shown| shown.strip_suffix(']'));
    shown == "null" || kind.is_some_and(|kind| kind.chars().all(|character| character.is_ascii_alphabetic()))
}

/// Returns a member of the expected type; none if it is missing, has another type, or its getter throws.
fn member<'js, T: FromJs<'js>>(ctx: &Ctx<'js>, object: &Object<'js>, name: &str) -> Option<T> {
    quietly(ctx, object.get::<_, T>(name))
}

fn quietly<'js, T>(ctx: &Ctx<'js>, result: javy::quickjs::Result<T>) -> Option<T> {
    result.inspect_err(|_| drop(ctx.catch())).ok()
}

/// Formats the causes of an error, one per line.
fn causes<'js>(ctx: &Ctx<'js>, error: &Object<'js>) -> String {
    let mut text = String::new();
    let mut inner = member::<Value<'js>>(ctx, error, "cause");
    for _ in 0..MAX_CAUSES {
        let Some(cause) = inner.filter(|cause| !cause.is_undefined()) else { break };
        let (line, next) = match cause.as_object().filter(|_| cause.is_error()) {
            Some(error) => {
                let part = |name: &str| shortened(member::<String>(ctx, error, name).unwrap_or_default());
                (format!("{}: {}", part("name"), part("message")), member(ctx, error, "cause"))
            }
            None => (shortened(builtins::inspect(ctx, &cause)), None),
        };
        text += &format!("\ncaused by {line}");
        inner = next;
    }
    text
}

/// Cuts a text, and states its length. Long causes would take the memory of the script several times.
fn shortened(mut text: String) -> String {
    let length = text.len();
    if length > CAUSE_BYTES {
        text.truncate(text.floor_char_boundary(CAUSE_BYTES));
        text += &format!("… ({length} bytes in all)");
    }
    text
}

/// Returns a stack without the frames of the engine.
pub fn script_stack(stack: &str) -> String {
    stack.lines().filter(|line| frame(line).is_some()).fold(String::new(), |text, line| text + line + "\n")
}

fn frames(stack: &str) -> Vec<Frame> {
    stack.lines().filter_map(frame).take(MAX_FRAMES).collect()
}

/// Parses a line of a stack: `    at f (script.js:3:7)` or `    at script.js:3:7`. Returns none for a frame of the
/// engine.
fn frame(line: &str) -> Option<Frame> {
    let place = line.trim().strip_prefix("at ")?;
    let (function, place) = match place.strip_suffix(')').and_then(|place| place.rsplit_once(" (")) {
        Some((function, place)) => (Some(function), place),
        None => (None, place),
    };
    let (rest, last) = place.rsplit_once(':')?;
    let (file, line, column) = match rest.rsplit_once(':').map(|(file, line)| (file, line.parse())) {
        Some((file, Ok(line))) => (file, line, last.parse().ok()),
        _ => (rest, last.parse().ok()?, None),
    };
    let column = column.and_then(|column| columns::column(line, column));
    if file.starts_with("ghost:") || file == NO_FILE {
        return None;
    }
    let function = function.filter(|name| !["<anonymous>", "<eval>", "anonymous"].contains(name)).map(Into::into);
    Some(Frame { function, file: file.into(), line, column })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_is_read_without_the_engines_own_lines() {
        let stack = "    at put (native)\n    at f (script.js:3:7)\n    at <anonymous> (a b.js:1:1)\n    \
                     at write (ghost:console:1:2)\n    at script.js:9:5\n    at <input>:1:1\n";
        let frames: Vec<_> =
            frames(stack).into_iter().map(|frame| (frame.function, frame.file, frame.line, frame.column)).collect();
        assert_eq!(
            frames,
            [
                (Some("f".into()), "script.js".into(), 3, Some(7)),
                (None, "a b.js".into(), 1, Some(1)),
                (None, "script.js".into(), 9, Some(5)),
            ]
        );
    }
}
