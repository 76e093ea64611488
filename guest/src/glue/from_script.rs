//! Converts arguments from JavaScript to the WIT: strictly, with the same messages for all methods.

use javy::quickjs::{self, Array, Atom, Object, Value, atom::PredefinedAtom, function::Params, object::Filter};

use super::{Intrinsics, argument_path::ArgumentPath, borrow::bytes, error::CallError, json, show};

/// The arguments of a call.
pub struct Arguments<'a, 'js>(pub Params<'a, 'js>);

impl<'js> Arguments<'_, 'js> {
    /// Rejects more arguments than the method has, because they would have no effect. A missing argument is found by
    /// the check of its type.
    pub fn within(&self, least: usize, most: usize) -> Result<(), CallError> {
        let given = self.0.len();
        if given <= most {
            return Ok(());
        }
        let takes = match most {
            0 => "no arguments".to_owned(),
            1 if least == 1 => "1 argument".to_owned(),
            _ if least == most => format!("{most} arguments"),
            _ => format!("{least} to {most} arguments"),
        };
        Err(CallError::WrongType(format!("the method takes {takes}, not {given}")))
    }

    /// Reads a required argument.
    pub fn required<T>(
        &self,
        index: usize,
        name: &'static str,
        take: impl FnOnce(&ArgumentPath<'_>, &Value<'js>) -> Result<T, CallError>,
    ) -> Result<T, CallError> {
        take(&ArgumentPath::Argument(name), &self.value(index))
    }

    /// Reads an optional argument.
    pub fn optional<T>(
        &self,
        index: usize,
        name: &'static str,
        take: impl FnOnce(&ArgumentPath<'_>, &Value<'js>) -> Result<T, CallError>,
    ) -> Result<Option<T>, CallError> {
        present(&ArgumentPath::Argument(name), &self.value(index), take)
    }

    /// Reads all arguments of a method without names for them.
    pub fn all<T>(
        &self,
        take: impl Fn(&ArgumentPath<'_>, &Value<'js>) -> Result<T, CallError>,
    ) -> Result<Vec<T>, CallError> {
        let path = |index| ArgumentPath::Item(&ArgumentPath::Argument("arguments"), index);
        (0..self.0.len()).map(|index| take(&path(index), &self.value(index))).collect()
    }

    fn value(&self, index: usize) -> Value<'js> {
        self.0.arg(index).unwrap_or_else(|| Value::new_undefined(self.0.ctx().clone()))
    }
}

/// The members of an options object.
pub struct Members<'a, 'js, const N: usize> {
    path: &'a ArgumentPath<'a>,
    names: &'static [&'static str; N],
    values: [Value<'js>; N],
}

impl<'a, 'js, const N: usize> Members<'a, 'js, N> {
    /// Reads the object's own members, each once, and rejects one that is not in `names`.
    pub fn read(
        path: &'a ArgumentPath<'a>,
        value: &Value<'js>,
        names: &'static [&'static str; N],
    ) -> Result<Self, CallError> {
        let object = plain_object(path, value)?;
        let mut values = std::array::from_fn(|_| Value::new_undefined(value.ctx().clone()));
        for key in object.own_keys::<Atom>(Filter::default()) {
            let key = key?;
            // Not the atom's own `to_string`, which stops at a NUL and mishandles unpaired surrogates.
            let name = key.to_js_string()?.to_string().unwrap_or_else(|_| "\u{fffd}".to_owned());
            let index = names.iter().position(|known| *known == name);
            let index = index.ok_or_else(|| unknown(path, &name, names))?;
            values[index] = object.get(key)?;
        }
        Ok(Self { path, names, values })
    }

    /// Reads a required member.
    pub fn required<T>(
        &self,
        index: usize,
        take: impl FnOnce(&ArgumentPath<'_>, &Value<'js>) -> Result<T, CallError>,
    ) -> Result<T, CallError> {
        take(&ArgumentPath::Member(self.path, self.names[index]), &self.values[index])
    }

    /// Reads an optional member.
    pub fn optional<T>(
        &self,
        index: usize,
        take: impl FnOnce(&ArgumentPath<'_>, &Value<'js>) -> Result<T, CallError>,
    ) -> Result<Option<T>, CallError> {
        present(&ArgumentPath::Member(self.path, self.names[index]), &self.values[index], take)
    }
}

/// Reads an optional value; `null` and `undefined` mean that it is absent.
fn present<'js, T>(
    path: &ArgumentPath<'_>,
    value: &Value<'js>,
    take: impl FnOnce(&ArgumentPath<'_>, &Value<'js>) -> Result<T, CallError>,
) -> Result<Option<T>, CallError> {
    if value.is_undefined() || value.is_null() { Ok(None) } else { take(path, value).map(Some) }
}

/// Reads a string. One with an unpaired surrogate is rejected.
pub fn text(path: &ArgumentPath<'_>, value: &Value<'_>) -> Result<String, CallError> {
    let string = value.as_string().ok_or_else(|| wrong_type(path, "a string", value))?;
    string.to_string().map_err(|error| unreadable(path, error))
}

/// Returns the error of a string that can't be read: an unpaired surrogate, or a failed allocation.
fn unreadable(path: &ArgumentPath<'_>, error: quickjs::Error) -> CallError {
    match error {
        quickjs::Error::Utf8(_) => CallError::OutOfBounds(format!("{path} is not well-formed Unicode")),
        other => CallError::Script(other),
    }
}

/// Calls a function with a string, without copying it.
pub fn with_text<T>(
    path: &ArgumentPath<'_>,
    string: &quickjs::String<'_>,
    read: impl FnOnce(&str) -> T,
) -> Result<T, CallError> {
    let text = string.clone().to_cstring()?;
    str::from_utf8(bytes(&text))
        .map(read)
        .map_err(|_| CallError::OutOfBounds(format!("{path} is not well-formed Unicode")))
}

/// Reads a string, or the message of an Error. An invalid text becomes U+FFFD and is not refused, so that the
/// script's own error is still recorded.
pub fn error_text(path: &ArgumentPath<'_>, value: &Value<'_>) -> Result<String, CallError> {
    let refusal = || wrong_type(path, "a string or an Error", value);
    let text = if value.is_error() {
        value.as_object().ok_or_else(refusal)?.get::<_, Value<'_>>("message")?
    } else {
        value.clone()
    };
    let text = text.as_string().ok_or_else(refusal)?;
    match text.to_string() {
        Err(quickjs::Error::Utf8(_)) => Ok("\u{fffd}".to_owned()),
        other => Ok(other?),
    }
}

/// Reads one of several strings.
pub fn text_of(path: &ArgumentPath<'_>, value: &Value<'_>, values: &[&str]) -> Result<String, CallError> {
    let allowed = || format!("one of {}", show::list(values.iter().map(show::text)));
    let string = value.as_string().ok_or_else(|| wrong_type(path, &allowed(), value))?;
    match string.to_string() {
        Ok(text) if values.contains(&text.as_str()) => Ok(text),
        _ => Err(out_of_bounds(path, &allowed(), value)),
    }
}

/// Reads a case of an enum.
pub fn case<T: Copy>(path: &ArgumentPath<'_>, value: &Value<'_>, cases: &[(&str, T)]) -> Result<T, CallError> {
    let allowed = || format!("one of {}", show::list(cases.iter().map(|(word, _)| show::text(word))));
    let string = value.as_string().ok_or_else(|| wrong_type(path, &allowed(), value))?;
    let word = string.to_string().unwrap_or_default();
    let found = cases.iter().find(|(known, _)| *known == word);
    found.map(|(_, case)| *case).ok_or_else(|| out_of_bounds(path, &allowed(), value))
}

/// Reads a boolean; other truthy or falsy values are rejected.
pub fn boolean(path: &ArgumentPath<'_>, value: &Value<'_>) -> Result<bool, CallError> {
    value.as_bool().ok_or_else(|| wrong_type(path, "a boolean", value))
}

/// Reads a whole number from `least` to `most`.
pub fn whole<T: TryFrom<i64>>(
    path: &ArgumentPath<'_>,
    value: &Value<'_>,
    least: i64,
    most: i64,
) -> Result<T, CallError> {
    let allowed = || format!("a whole number from {least} to {most}");
    let number = value.as_number().ok_or_else(|| match has_id(value) {
        false => wrong_type(path, &allowed(), value),
        true => CallError::WrongType(format!("{path} must be {}, not {}; give item.id", allowed(), show::kind(value))),
    })?;
    let fits = number.fract() == 0.0 && (least as f64..=most as f64).contains(&number);
    let whole = fits.then_some(number as i64).and_then(|whole| T::try_from(whole).ok());
    whole.ok_or_else(|| out_of_bounds(path, &allowed(), value))
}

/// Whether a value is an object with a number as its `id`, such as an item of a queue.
fn has_id(value: &Value<'_>) -> bool {
    let Some(object) = value.as_object().filter(|_| !value.is_proxy()) else { return false };
    match object.get::<_, Value<'_>>("id") {
        Ok(id) => id.is_number(),
        Err(_) => {
            value.ctx().catch();
            false
        }
    }
}

/// Reads one of several numbers.
pub fn whole_of<T: TryFrom<i64>>(path: &ArgumentPath<'_>, value: &Value<'_>, values: &[i64]) -> Result<T, CallError> {
    let allowed = || format!("one of {}", show::list(values));
    let number = value.as_number().ok_or_else(|| wrong_type(path, &allowed(), value))?;
    let found = values.iter().find(|known| **known as f64 == number);
    let whole = found.and_then(|whole| T::try_from(*whole).ok());
    whole.ok_or_else(|| out_of_bounds(path, &allowed(), value))
}

/// Reads a finite number.
pub fn number(path: &ArgumentPath<'_>, value: &Value<'_>) -> Result<f64, CallError> {
    let number = value.as_number().ok_or_else(|| wrong_type(path, "a finite number", value))?;
    if number.is_finite() { Ok(number) } else { Err(out_of_bounds(path, "a finite number", value)) }
}

/// Reads a number from `least` to `most`.
pub fn number_within(path: &ArgumentPath<'_>, value: &Value<'_>, least: f64, most: f64) -> Result<f64, CallError> {
    let allowed = || format!("a number from {least} to {most}");
    let number = value.as_number().ok_or_else(|| wrong_type(path, &allowed(), value))?;
    if (least..=most).contains(&number) { Ok(number) } else { Err(out_of_bounds(path, &allowed(), value)) }
}

/// Reads an array, each item by `take`.
pub fn list<'js, T>(
    path: &ArgumentPath<'_>,
    value: &Value<'js>,
    take: impl Fn(&ArgumentPath<'_>, &Value<'js>) -> Result<T, CallError>,
) -> Result<Vec<T>, CallError> {
    let array = value.as_array().ok_or_else(|| wrong_type(path, "an array", value))?;
    (0..length(array)?).map(|index| take(&ArgumentPath::Item(path, index), &array.get(index)?)).collect()
}

/// Returns the length of an array. Not `Array::len`, which reads it as an i32.
pub fn length(array: &Array<'_>) -> Result<usize, CallError> {
    Ok(array.as_object().get::<_, f64>(PredefinedAtom::Length)? as usize)
}

/// Checks that a value is a function.
pub fn function(path: &ArgumentPath<'_>, value: &Value<'_>) -> Result<(), CallError> {
    if value.is_function() { Ok(()) } else { Err(wrong_type(path, "a function", value)) }
}

/// Serializes a value as `JSON.stringify` does; rejects a value that JSON can't represent.
pub fn json(path: &ArgumentPath<'_>, value: &Value<'_>) -> Result<String, CallError> {
    json::strict(path, value)
}

/// Returns a plain object. Instances of other classes (a Map, a Date) are rejected, because their contents would be
/// ignored.
fn plain_object<'a, 'js>(path: &ArgumentPath<'_>, value: &'a Value<'js>) -> Result<&'a Object<'js>, CallError> {
    let refusal = || wrong_type(path, "a plain object", value);
    if value.is_array() || value.is_function() {
        return Err(refusal());
    }
    let object = value.as_object().ok_or_else(refusal)?;
    if is_plain(object)? { Ok(object) } else { Err(refusal()) }
}

/// Whether an object is plain. A Proxy counts as plain, because reading its prototype would run code of the script.
pub fn is_plain(object: &Object<'_>) -> Result<bool, CallError> {
    if object.as_value().is_proxy() {
        return Ok(true);
    }
    let intrinsics = Intrinsics::of(object.ctx())?;
    Ok(object.get_prototype().is_none_or(|prototype| intrinsics.object_prototype.as_ref() == Some(&prototype)))
}

fn unknown(path: &ArgumentPath<'_>, name: &str, names: &[&str]) -> CallError {
    let name = show::text(name);
    let (noun, owner) = match path {
        ArgumentPath::Argument("options") => ("option", String::new()),
        _ => ("member", format!(" of {path}")),
    };
    let allowed = match names {
        [only] => format!("the only {noun} is {only}"),
        _ => format!("allowed are {}", names.join(", ")),
    };
    CallError::WrongType(format!("unknown {noun} {name}{owner}: {allowed}"))
}

pub fn wrong_type(path: &ArgumentPath<'_>, allowed: &str, value: &Value<'_>) -> CallError {
    CallError::WrongType(format!("{path} must be {allowed}, not {}", show::kind(value)))
}

fn out_of_bounds(path: &ArgumentPath<'_>, allowed: &str, value: &Value<'_>) -> CallError {
    CallError::OutOfBounds(format!("{path} must be {allowed}, not {}", show::value(value)))
}
