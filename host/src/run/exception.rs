//! Limits the size of an exception, since a script determines its message, stack and details.

use crate::{Exception, Frame};

/// The exception of a run may have as many bytes as the console has left of its limit, and at least this many.
pub(super) const MIN_BYTES: usize = 1 << 10;
/// The longest name of a class, a code, a namespace, a method, a function or a file, in bytes.
const NAME_BYTES: usize = 200;

/// Cuts an exception to `limit` bytes. Names are always cut to `NAME_BYTES`. If that is not enough, the message gets at
/// most half of the rest, the details half of what is left then, and the stack what remains. A cut text states its full
/// size; frames are dropped without a mark.
pub(super) fn within(mut exception: Exception, limit: usize) -> Box<Exception> {
    let Exception { name, stack, code, namespace, method, .. } = &mut exception;
    let names = [name, code, namespace, method].into_iter().flatten();
    let frames = stack.iter_mut().flat_map(|frame| frame.function.iter_mut().chain([&mut frame.file]));
    names.chain(frames).for_each(|name| shorten(name, NAME_BYTES));
    if size(&exception) <= limit {
        return Box::new(exception);
    }
    let mut room = limit.saturating_sub(names_size(&exception));
    shorten(&mut exception.message, room - room / 2);
    room = room.saturating_sub(exception.message.len());
    exception.details = exception.details.map(|details| details_within(details, room / 2));
    room = room.saturating_sub(exception.details.as_ref().map_or(0, String::len));
    let fitting = exception.stack.iter().scan(room, |room, frame| {
        *room = room.checked_sub(frame_size(frame))?;
        Some(())
    });
    let fitting = fitting.count();
    exception.stack.truncate(fitting);
    Box::new(exception)
}

fn size(exception: &Exception) -> usize {
    let Exception { message, stack, details, .. } = exception;
    let details = details.as_ref().map_or(0, String::len);
    names_size(exception) + message.len() + details + stack.iter().map(frame_size).sum::<usize>()
}

fn names_size(Exception { name, code, namespace, method, .. }: &Exception) -> usize {
    [name, code, namespace, method].into_iter().flatten().map(String::len).sum()
}

/// Returns the size of a frame as printed: its names, and 32 bytes for the numbers and the text around them.
fn frame_size(frame: &Frame) -> usize {
    frame.function.as_ref().map_or(0, String::len) + frame.file.len() + 32
}

/// Cuts a text to `limit` bytes. Its end then states the size of the whole text.
fn shorten(text: &mut String, limit: usize) {
    if text.len() <= limit {
        return;
    }
    let marker = format!("… ({} bytes in all)", text.len());
    let end = text.floor_char_boundary(limit.saturating_sub(marker.len()));
    text.truncate(end);
    *text += &marker;
}

/// Returns the details; if they are too long, an object with `truncated`, `size` and `preview`, as for a result.
fn details_within(details: String, limit: usize) -> String {
    let (mut characters, mut shown) = (limit, None);
    // `cut` counts characters, which may have several bytes.
    while shown.as_ref().unwrap_or(&details).len() > limit && characters > 0 {
        shown = Some(super::outcome_of::cut(&details, characters));
        characters /= 2;
    }
    shown.unwrap_or(details)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exception(message: &str, details: &str, frames: usize) -> Exception {
        let frame = Frame { function: Some("f".into()), file: "script.js".into(), line: 1, column: Some(1) };
        let (name, code) = (Some("GError".into()), Some("BACKEND".into()));
        let (stack, details) = (vec![frame; frames], Some(details.to_owned()));
        Exception { name, message: message.into(), stack, code, namespace: None, method: None, details }
    }

    #[test]
    fn what_fits_stays_as_it_is() {
        let thrown = exception("message", "{\"a\":1}", 20);
        assert_eq!(*within(thrown.clone(), 2_000), thrown);
    }

    #[test]
    fn whatever_is_long_all_of_it_is_within_the_limit() {
        let long = "é\n".repeat(20_000);
        let json = serde_json::to_string(&serde_json::json!({ "text": long })).unwrap();
        for (message, details, frames) in
            [(&*long, "{}", 1), ("m", &*json, 1), ("m", "{}", 5_000), (&*long, &*json, 5_000)]
        {
            for limit in [1_000, 16 << 10] {
                let mut thrown = exception(message, details, frames);
                (thrown.name, thrown.namespace) = (Some(long.clone()), Some(long.clone()));
                let cut = within(thrown, limit);
                assert!(size(&cut) <= limit, "{} of {limit}", size(&cut));
                let shown: serde_json::Value = serde_json::from_str(cut.details.as_ref().unwrap()).unwrap();
                assert!(shown.is_object());
                if details.len() > limit {
                    assert_eq!(shown["size"], details.chars().count());
                }
                if message.len() > limit {
                    assert!(cut.message.ends_with("… (60000 bytes in all)"), "{}", cut.message);
                }
            }
        }
    }
}
