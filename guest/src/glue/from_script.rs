//! Arguments: JavaScript's values to WIT's, strictly, with one wording for everything that does not fit.

use javy::quickjs::{self, Array, Atom, Object, Value, atom::PredefinedAtom, function::Params, object::Filter};

use super::{Kept, fault::Fault, json, lent::bytes, place::Place, show};

/// What a method was called with.
pub struct Arguments<'a, 'js>(pub Params<'a, 'js>);

impl<'js> Arguments<'_, 'js> {
    /// Refuses more arguments than the method has: what somebody gives there would be ignored. Whether one of the first
    /// `least` is missing, its own kind tells.
    pub fn within(&self, least: usize, most: usize) -> Result<(), Fault> {
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
        Err(Fault::Kind(format!("the method takes {takes}, not {given}")))
    }

    /// An argument that must be there.
    pub fn required<T>(
        &self,
        index: usize,
        name: &'static str,
        take: impl FnOnce(&Place<'_>, &Value<'js>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        take(&Place::Argument(name), &self.value(index))
    }

    /// An argument that may be absent.
    pub fn optional<T>(
        &self,
        index: usize,
        name: &'static str,
        take: impl FnOnce(&Place<'_>, &Value<'js>) -> Result<T, Fault>,
    ) -> Result<Option<T>, Fault> {
        present(&Place::Argument(name), &self.value(index), take)
    }

    fn value(&self, index: usize) -> Value<'js> {
        self.0.arg(index).unwrap_or_else(|| Value::new_undefined(self.0.ctx().clone()))
    }
}

/// The members of an options object.
pub struct Members<'a, 'js, const N: usize> {
    place: &'a Place<'a>,
    names: &'static [&'static str; N],
    values: [Value<'js>; N],
}

impl<'a, 'js, const N: usize> Members<'a, 'js, N> {
    /// Reads the object's own members, each once; one that is not among `names` is refused.
    pub fn read(place: &'a Place<'a>, value: &Value<'js>, names: &'static [&'static str; N]) -> Result<Self, Fault> {
        let object = plain_object(place, value)?;
        let mut values = std::array::from_fn(|_| Value::new_undefined(value.ctx().clone()));
        for key in object.own_keys::<Atom>(Filter::default()) {
            let key = key?;
            // Not the atom's own `to_string`, which stops at a NUL and takes half a surrogate pair for UTF-8.
            let name = key.to_js_string()?.to_string().unwrap_or_else(|_| "\u{fffd}".to_owned());
            let index = names.iter().position(|known| *known == name);
            let index = index.ok_or_else(|| unknown(place, &name, names))?;
            values[index] = object.get(key)?;
        }
        Ok(Self { place, names, values })
    }

    /// A member that must be there.
    pub fn required<T>(
        &self,
        index: usize,
        take: impl FnOnce(&Place<'_>, &Value<'js>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        take(&Place::Member(self.place, self.names[index]), &self.values[index])
    }

    /// A member that may be absent.
    pub fn optional<T>(
        &self,
        index: usize,
        take: impl FnOnce(&Place<'_>, &Value<'js>) -> Result<T, Fault>,
    ) -> Result<Option<T>, Fault> {
        present(&Place::Member(self.place, self.names[index]), &self.values[index], take)
    }
}

/// `null` stands for absent as `undefined` does.
fn present<'js, T>(
    place: &Place<'_>,
    value: &Value<'js>,
    take: impl FnOnce(&Place<'_>, &Value<'js>) -> Result<T, Fault>,
) -> Result<Option<T>, Fault> {
    if value.is_undefined() || value.is_null() { Ok(None) } else { take(place, value).map(Some) }
}

/// A string, whole: one with half of a surrogate pair has no UTF-8.
pub fn text(place: &Place<'_>, value: &Value<'_>) -> Result<String, Fault> {
    let string = value.as_string().ok_or_else(|| kind(place, "a string", value))?;
    string.to_string().map_err(|error| unreadable(place, error))
}

/// Why a string can't be read: half of a surrogate pair, or no memory for it.
fn unreadable(place: &Place<'_>, error: quickjs::Error) -> Fault {
    match error {
        quickjs::Error::Utf8(_) => Fault::Bounds(format!("{place} is not well-formed Unicode")),
        other => Fault::Script(other),
    }
}

/// Reads a string, whole, without a copy of it.
pub fn with_text<T>(place: &Place<'_>, string: &quickjs::String<'_>, read: impl FnOnce(&str) -> T) -> Result<T, Fault> {
    let text = string.clone().to_cstring()?;
    str::from_utf8(bytes(&text)).map(read).map_err(|_| Fault::Bounds(format!("{place} is not well-formed Unicode")))
}

/// A string, or the message of an Error. It tells why something failed, so one that is not Unicode is no second failure.
pub fn error_text(place: &Place<'_>, value: &Value<'_>) -> Result<String, Fault> {
    let refusal = || kind(place, "a string or an Error", value);
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

/// One of a few strings.
pub fn text_of(place: &Place<'_>, value: &Value<'_>, values: &[&str]) -> Result<String, Fault> {
    let allowed = || format!("one of {}", show::list(values.iter().map(show::text)));
    let string = value.as_string().ok_or_else(|| kind(place, &allowed(), value))?;
    match string.to_string() {
        Ok(text) if values.contains(&text.as_str()) => Ok(text),
        _ => Err(bounds(place, &allowed(), value)),
    }
}

/// A case of an enum, by its word.
pub fn case<T: Copy>(place: &Place<'_>, value: &Value<'_>, cases: &[(&str, T)]) -> Result<T, Fault> {
    let allowed = || format!("one of {}", show::list(cases.iter().map(|(word, _)| show::text(word))));
    let string = value.as_string().ok_or_else(|| kind(place, &allowed(), value))?;
    let word = string.to_string().unwrap_or_default();
    let found = cases.iter().find(|(known, _)| *known == word);
    found.map(|(_, case)| *case).ok_or_else(|| bounds(place, &allowed(), value))
}

/// `true` or `false`, and nothing that is like them.
pub fn boolean(place: &Place<'_>, value: &Value<'_>) -> Result<bool, Fault> {
    value.as_bool().ok_or_else(|| kind(place, "a boolean", value))
}

/// A number without a fraction, from `least` to `most`, which the target must hold.
pub fn whole<T: TryFrom<i64>>(place: &Place<'_>, value: &Value<'_>, least: i64, most: i64) -> Result<T, Fault> {
    let allowed = || format!("a whole number from {least} to {most}");
    let number = value.as_number().ok_or_else(|| kind(place, &allowed(), value))?;
    let fits = number.fract() == 0.0 && (least as f64..=most as f64).contains(&number);
    let whole = fits.then_some(number as i64).and_then(|whole| T::try_from(whole).ok());
    whole.ok_or_else(|| bounds(place, &allowed(), value))
}

/// One of a few numbers.
pub fn whole_of<T: TryFrom<i64>>(place: &Place<'_>, value: &Value<'_>, values: &[i64]) -> Result<T, Fault> {
    let allowed = || format!("one of {}", show::list(values));
    let number = value.as_number().ok_or_else(|| kind(place, &allowed(), value))?;
    let found = values.iter().find(|known| **known as f64 == number);
    let whole = found.and_then(|whole| T::try_from(*whole).ok());
    whole.ok_or_else(|| bounds(place, &allowed(), value))
}

/// Any number but NaN and the infinities.
pub fn number(place: &Place<'_>, value: &Value<'_>) -> Result<f64, Fault> {
    let number = value.as_number().ok_or_else(|| kind(place, "a finite number", value))?;
    if number.is_finite() { Ok(number) } else { Err(bounds(place, "a finite number", value)) }
}

/// A number from `least` to `most`.
pub fn number_within(place: &Place<'_>, value: &Value<'_>, least: f64, most: f64) -> Result<f64, Fault> {
    let allowed = || format!("a number from {least} to {most}");
    let number = value.as_number().ok_or_else(|| kind(place, &allowed(), value))?;
    if (least..=most).contains(&number) { Ok(number) } else { Err(bounds(place, &allowed(), value)) }
}

/// An array of which every item fits.
pub fn list<'js, T>(
    place: &Place<'_>,
    value: &Value<'js>,
    take: impl Fn(&Place<'_>, &Value<'js>) -> Result<T, Fault>,
) -> Result<Vec<T>, Fault> {
    let array = value.as_array().ok_or_else(|| kind(place, "an array", value))?;
    (0..length(array)?).map(|index| take(&Place::Item(place, index), &array.get(index)?)).collect()
}

/// The length of an array. Not `Array::len`, which takes it for an i32.
pub fn length(array: &Array<'_>) -> Result<usize, Fault> {
    Ok(array.as_object().get::<_, f64>(PredefinedAtom::Length)? as usize)
}

/// A function, which is called later.
pub fn function(place: &Place<'_>, value: &Value<'_>) -> Result<(), Fault> {
    if value.is_function() { Ok(()) } else { Err(kind(place, "a function", value)) }
}

/// A value as `JSON.stringify` writes it, if nothing of it is lost.
pub fn json(place: &Place<'_>, value: &Value<'_>) -> Result<String, Fault> {
    json::strict(place, value)
}

/// An object literal, or something like it. A class with members of its own kind (a Map, a Date, an instance) would have
/// options that nobody reads.
fn plain_object<'a, 'js>(place: &Place<'_>, value: &'a Value<'js>) -> Result<&'a Object<'js>, Fault> {
    let refusal = || kind(place, "a plain object", value);
    if value.is_array() || value.is_function() {
        return Err(refusal());
    }
    let object = value.as_object().ok_or_else(refusal)?;
    if is_plain(object)? { Ok(object) } else { Err(refusal()) }
}

/// Whether an object has no class of its own. The prototype of a Proxy is the script's to tell, and not to be had without
/// running its code.
pub fn is_plain(object: &Object<'_>) -> Result<bool, Fault> {
    if object.as_value().is_proxy() {
        return Ok(true);
    }
    let kept = Kept::of(object.ctx())?;
    Ok(object.get_prototype().is_none_or(|prototype| kept.object_prototype.as_ref() == Some(&prototype)))
}

fn unknown(place: &Place<'_>, name: &str, names: &[&str]) -> Fault {
    let name = show::text(name);
    let allowed = names.join(", ");
    Fault::Kind(match place {
        Place::Argument("options") => format!("unknown option {name}: allowed are {allowed}"),
        _ => format!("unknown member {name} of {place}: allowed are {allowed}"),
    })
}

pub fn kind(place: &Place<'_>, allowed: &str, value: &Value<'_>) -> Fault {
    Fault::Kind(format!("{place} must be {allowed}, not {}", show::kind(value)))
}

fn bounds(place: &Place<'_>, allowed: &str, value: &Value<'_>) -> Fault {
    Fault::Bounds(format!("{place} must be {allowed}, not {}", show::value(value)))
}
