//! Methods that change a value by a function of the script's: compare and set, which begins again when somebody came between.

use javy::quickjs::{Ctx, Function, Value};

use super::{
    fault::{Fault, HostError},
    from_script,
    place::Place,
    to_script,
};
use crate::bindings::ghost::g::types::ErrorCode;

/// After so many tries it is no chance any more: the function changes the value itself.
const TRIES: u32 = 10_000;

/// A function of the script's, to be called here.
pub fn function<'js>(place: &Place<'_>, value: &Value<'js>) -> Result<Function<'js>, Fault> {
    from_script::function(place, value)?;
    value.as_function().cloned().ok_or_else(|| from_script::kind(place, "a function", value))
}

/// Reads a value with its revision, has `change` make a new one of it, and stores that if the revision still holds; else it
/// begins again. None when the value was removed.
pub fn update<'js, T>(
    ctx: &Ctx<'js>,
    change: &Function<'js>,
    read: impl Fn() -> Result<(Option<String>, String), HostError>,
    replace: impl Fn(&str, &str) -> Result<T, HostError>,
    remove: impl Fn(&str) -> Result<(), HostError>,
) -> Result<Option<T>, Fault> {
    for _ in 0..TRIES {
        let (data, revision) = read()?;
        let data = data.map_or_else(|| Ok(to_script::nothing(ctx)), |data| to_script::json(ctx, data))?;
        let changed: Value<'js> = change.call((data,))?;
        let stored = if changed.is_undefined() {
            remove(&revision).map(|()| None)
        } else {
            replace(&revision, &json(&changed)?).map(Some)
        };
        match stored {
            Err(error) if error.code == ErrorCode::Conflict => {}
            stored => return Ok(stored?),
        }
    }
    let message = format!(
        "the document changed {TRIES} times while the function ran: others change it all the time, or the function itself does"
    );
    Err(HostError { code: ErrorCode::Conflict, message, details: None }.into())
}

/// What the function returned.
fn json(changed: &Value<'_>) -> Result<String, Fault> {
    if is_promise(changed)? {
        let message = "the function returned a promise, and must return the new data at once: await what it needs before \
                       update is called";
        return Err(Fault::Kind(message.to_owned()));
    }
    from_script::json(&Place::Argument("result"), changed)
}

/// Whether `await` would wait for it.
fn is_promise(value: &Value<'_>) -> Result<bool, Fault> {
    let Some(object) = value.as_object() else { return Ok(false) };
    Ok(value.is_promise() || object.get::<_, Value<'_>>("then")?.is_function())
}
