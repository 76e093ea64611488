//! What a script threw, for people: class, message, stack. A thrown value may be anything, and may bite: getters that
//! throw, a Proxy, a `toString` that throws.

use javy::quickjs::{Ctx, Error, FromJs, Object, Value};

use crate::{
    bindings::ghost::g::{
        program as host,
        types::{Exception, Frame},
    },
    builtins,
    glue::json,
    memory, places,
};

/// What QuickJS calls text that is evaluated or parsed as JSON: its lines are not those of a file.
const NO_FILE: &str = "<input>";
/// How deep causes are followed.
const CAUSES: usize = 5;
/// What is shown of the name or the message of one.
const CAUSE_BYTES: usize = 16 << 10;

/// How many frames of a stack are shown; the text of a stack is the script's own to write.
const FRAMES: usize = 1_000;

/// What a failed operation threw.
pub fn of_error(ctx: &Ctx<'_>, error: Error) -> Exception {
    // Some of rquickjs's functions say that something is unknown, and leave the exception where it is.
    if error.is_exception() || ctx.has_exception() {
        return of_value(ctx, &ctx.catch());
    }
    // No script can lead here, and the words are not for its user: the host ends the run.
    host::fault(&error.to_string());
    plain("internal error".to_owned())
}

/// An exception that is a message and nothing else.
pub fn plain(message: String) -> Exception {
    Exception { name: None, message, stack: Vec::new(), code: None, namespace: None, method: None, details: None }
}

/// What a thrown value tells.
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

/// Whether QuickJS ran out of memory. Null is what is caught of a failure that left no exception behind.
pub fn is_out_of_memory(exception: &Exception) -> bool {
    let by_engine = matches!(exception.name.as_deref(), Some("InternalError" | "SyntaxError"));
    let thrown_by_engine = by_engine && exception.message.starts_with("out of memory");
    memory::was_used_up() && (thrown_by_engine || (exception.name.is_none() && is_bare(&exception.message)))
}

/// Whether it is what is shown of a value where there is no memory to show it: `null`, or its type in brackets.
fn is_bare(message: &str) -> bool {
    let shown = message.strip_prefix("uncaught ").unwrap_or_default();
    let kind = shown.strip_prefix('[').and_then(|shown| shown.strip_suffix(']'));
    shown == "null" || kind.is_some_and(|kind| kind.chars().all(|character| character.is_ascii_alphabetic()))
}

/// A member that is of the wanted kind; a getter that throws is as good as none.
fn member<'js, T: FromJs<'js>>(ctx: &Ctx<'js>, object: &Object<'js>, name: &str) -> Option<T> {
    quietly(ctx, object.get::<_, T>(name))
}

fn quietly<'js, T>(ctx: &Ctx<'js>, result: javy::quickjs::Result<T>) -> Option<T> {
    result.inspect_err(|_| drop(ctx.catch())).ok()
}

/// What led to an error, a line each.
fn causes<'js>(ctx: &Ctx<'js>, error: &Object<'js>) -> String {
    let mut text = String::new();
    let mut inner = member::<Value<'js>>(ctx, error, "cause");
    for _ in 0..CAUSES {
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

/// The beginning of a text, and how much is missing: causes of any length would take the script's memory several times.
fn shortened(mut text: String) -> String {
    let length = text.len();
    if length > CAUSE_BYTES {
        text.truncate(text.floor_char_boundary(CAUSE_BYTES));
        text += &format!("… ({length} bytes in all)");
    }
    text
}

/// The stack as the script may see it: without lines of the engine.
pub fn script_stack(stack: &str) -> String {
    stack.lines().filter(|line| frame(line).is_some()).fold(String::new(), |text, line| text + line + "\n")
}

fn frames(stack: &str) -> Vec<Frame> {
    stack.lines().filter_map(frame).take(FRAMES).collect()
}

/// One line: `    at f (script.js:3:7)` or `    at script.js:3:7`. None for the engine's own.
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
    let column = column.and_then(|column| places::column(line, column));
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
