//! The text of an exception within a limit: a script decides what its message, stack and details are, and how long.

use crate::{Exception, Frame};

/// What of an exception is shown when the console has used up its limit.
pub(super) const LEAST_BYTES: usize = 1 << 10;
/// The longest name of a class, a code, a function or a file.
const NAME_BYTES: usize = 200;

/// The same exception within so many bytes: names are short, the message may have half of what is left, the details half of
/// the rest, and the stack what remains. What was cut says so.
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

/// With what is around it where it is shown, and the numbers.
fn frame_size(frame: &Frame) -> usize {
    frame.function.as_ref().map_or(0, String::len) + frame.file.len() + 32
}

/// The beginning of a text, and how much is missing.
fn shorten(text: &mut String, limit: usize) {
    if text.len() <= limit {
        return;
    }
    let marker = format!("… ({} bytes in all)", text.len());
    let end = text.floor_char_boundary(limit.saturating_sub(marker.len()));
    text.truncate(end);
    *text += &marker;
}

/// The same details, or an object with the beginning of their JSON, as a result has it.
fn details_within(details: String, limit: usize) -> String {
    let mut characters = limit;
    let mut shown = details;
    while shown.len() > limit && characters > 0 {
        shown = super::outcome_of::cut(&shown, characters);
        characters /= 2;
    }
    shown
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
                let details: serde_json::Value = serde_json::from_str(cut.details.as_ref().unwrap()).unwrap();
                assert!(details.is_object());
                if message.len() > limit {
                    assert!(cut.message.ends_with("… (60000 bytes in all)"), "{}", cut.message);
                }
            }
        }
    }
}
