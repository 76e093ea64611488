//! Methods that update a value by a function of the script: a compare-and-set, which starts again after a conflict.

use javy::quickjs::{Ctx, Function, Value};

use super::{
    argument_path::ArgumentPath,
    error::{CallError, HostError},
    from_script, to_script,
};
use crate::bindings::ghost::g::types::ErrorCode;

/// The maximum number of attempts. So many conflicts mean that the function itself changes the value.
const MAX_TRIES: u32 = 10_000;

/// Returns an argument that must be a function.
pub fn function<'js>(path: &ArgumentPath<'_>, value: &Value<'js>) -> Result<Function<'js>, CallError> {
    from_script::function(path, value)?;
    value.as_function().cloned().ok_or_else(|| from_script::wrong_type(path, "a function", value))
}

/// Reads a value with its revision, calls `change` with it, and stores the result if the revision has not changed;
/// otherwise starts again. Returns none if the value was removed.
pub fn update<'js, T>(
    ctx: &Ctx<'js>,
    change: &Function<'js>,
    read: impl Fn() -> Result<(Option<String>, String), HostError>,
    replace: impl Fn(&str, &str) -> Result<T, HostError>,
    remove: impl Fn(&str) -> Result<(), HostError>,
) -> Result<Option<T>, CallError> {
    for _ in 0..MAX_TRIES {
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
        "the document changed {MAX_TRIES} times while the function ran: other runs change it too often, or the function itself \
         writes it"
    );
    Err(HostError { code: ErrorCode::Conflict, message, details: None }.into())
}

/// Returns the result of the function as JSON.
fn json(changed: &Value<'_>) -> Result<String, CallError> {
    if is_promise(changed)? {
        let message = "the function returned a promise, but must return the new data directly; await the data that it needs before \
                       calling update";
        return Err(CallError::WrongType(message.to_owned()));
    }
    from_script::json(&ArgumentPath::Argument("result"), changed)
}

/// Whether a value is a promise or a thenable.
fn is_promise(value: &Value<'_>) -> Result<bool, CallError> {
    let Some(object) = value.as_object() else { return Ok(false) };
    Ok(value.is_promise() || object.get::<_, Value<'_>>("then")?.is_function())
}
