//! Reads an argument, strictly: a wrong kind is a TypeError, a value out of bounds a RangeError, and both say what was
//! given and what is allowed.

use javy::quickjs::{Ctx, Error, Object, Result, Value};

use super::{
    Method,
    error::{Refusal, refuse},
};

/// The largest `natural`.
const NATURAL_MAX: f64 = 2_147_483_647.0;
/// The largest whole number that is exact.
const WHOLE_MAX: f64 = 9_007_199_254_740_991.0;
/// How much of a value a message shows, in characters.
const SHOWN: usize = 60;

/// A value on its way to the host, with its name for messages.
pub struct Argument<'a, 'js> {
    ctx: &'a Ctx<'js>,
    method: &'static Method,
    /// `options.limit`; made when a message needs it.
    path: Path<'a>,
    value: Value<'js>,
}

#[derive(Clone, Copy)]
struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Name(&'a str),
    Index(usize),
}

impl<'a, 'js> Argument<'a, 'js> {
    /// The argument at `index`; `undefined` when there are fewer.
    pub fn new(
        ctx: &'a Ctx<'js>,
        method: &'static Method,
        values: &[Value<'js>],
        index: usize,
        name: &'static str,
    ) -> Self {
        let value = values.get(index).cloned().unwrap_or_else(|| Value::new_undefined(ctx.clone()));
        Self { ctx, method, path: Path { parent: None, step: Step::Name(name) }, value }
    }

    /// None for `undefined` and `null`.
    pub fn optional<T>(self, read: impl FnOnce(Self) -> Result<T>) -> Result<Option<T>> {
        if self.value.is_undefined() || self.value.is_null() { Ok(None) } else { read(self).map(Some) }
    }

    /// Text that is well-formed Unicode.
    pub fn text(self) -> Result<String> {
        let Some(text) = self.value.as_string() else { return Err(self.wrong_kind("a string")) };
        match text.to_string() {
            Ok(text) => Ok(text),
            Err(Error::Utf8(_)) => Err(self.refuse(Refusal::Range, &format!("{} is not well-formed Unicode", self.path))),
            Err(error) => Err(error),
        }
    }

    /// `true` or `false`.
    pub fn boolean(self) -> Result<bool> {
        self.value.as_bool().ok_or_else(|| self.wrong_kind("a boolean"))
    }

    /// A whole number from 0 to 2,147,483,647.
    pub fn natural(self) -> Result<u32> {
        Ok(self.number(NATURAL_MAX)? as u32)
    }

    /// A whole number from 0 to the largest that is exact.
    pub fn whole(self) -> Result<u64> {
        Ok(self.number(WHOLE_MAX)? as u64)
    }

    fn number(self, max: f64) -> Result<f64> {
        let Some(number) = self.value.as_number() else {
            return Err(self.wrong_kind(&format!("a whole number from 0 to {max}")));
        };
        if number.fract() == 0.0 && (0.0..=max).contains(&number) {
            return Ok(number);
        }
        let message = format!("{} must be a whole number from 0 to {max}, not {}", self.path, self.shown());
        Err(self.refuse(Refusal::Range, &message))
    }

    /// The value as `JSON.stringify` has it, whatever the script made of `JSON`.
    pub fn json(self) -> Result<String> {
        match self.ctx.json_stringify(&self.value) {
            Ok(Some(text)) => text.to_string(),
            Ok(None) => Err(self.no_json(&format!("is {}", self.kind()))),
            Err(error) => Err(self.json_error(error)),
        }
    }

    /// QuickJS's own refusals get the argument's name; what the script threw (a getter, `toJSON`) goes on.
    fn json_error(self, error: Error) -> Error {
        if !error.is_exception() {
            return error;
        }
        let thrown = self.ctx.catch();
        let message = thrown.as_exception().and_then(|exception| exception.message()).unwrap_or_default();
        match message.as_str() {
            "circular reference" => self.no_json("contains a cycle"),
            message if message.contains("BigInt") => self.no_json("contains a BigInt"),
            _ => self.ctx.throw(thrown),
        }
    }

    fn no_json(&self, what: &str) -> Error {
        self.refuse(Refusal::Kind, &format!("{} {what}, which has no JSON form", self.path))
    }

    /// One of some names.
    pub fn one_of<T: Copy>(self, allowed: &[(&str, T)]) -> Result<T> {
        let given = self.value.as_string().and_then(|text| text.to_string().ok());
        if let Some(given) = given
            && let Some((_, value)) = allowed.iter().find(|(name, _)| *name == given)
        {
            return Ok(*value);
        }
        let names: Vec<_> = allowed.iter().map(|(name, _)| format!("{name:?}")).collect();
        let kind = if self.value.is_string() { Refusal::Range } else { Refusal::Kind };
        Err(self.refuse(kind, &format!("{} must be one of {}, not {}", self.path, names.join(", "), self.shown())))
    }

    /// An object whose members all have one of these names.
    pub fn fields(&self, allowed: &[&str]) -> Result<Fields<'js>> {
        let Some(object) = self.value.as_object().filter(|_| !self.value.is_array() && !self.value.is_function()) else {
            return Err(self.wrong_kind("an object"));
        };
        for name in object.keys::<String>() {
            let name = name?;
            if !allowed.contains(&name.as_str()) {
                let message =
                    format!("unknown option \"{}\" of {}: allowed are {}", cut(&name), self.path, allowed.join(", "));
                return Err(self.refuse(Refusal::Kind, &message));
            }
        }
        Ok(Fields(object.clone()))
    }

    /// An array of what `read` reads.
    pub fn list<T>(&self, read: impl Fn(Argument<'_, 'js>) -> Result<T>) -> Result<Vec<T>> {
        let Some(array) = self.value.as_array() else { return Err(self.wrong_kind("an array")) };
        let item = |(index, value): (usize, Result<Value<'js>>)| {
            read(Argument {
                ctx: self.ctx,
                method: self.method,
                path: Path { parent: Some(&self.path), step: Step::Index(index) },
                value: value?,
            })
        };
        array.iter().enumerate().map(item).collect()
    }

    fn wrong_kind(&self, wanted: &str) -> Error {
        self.refuse(Refusal::Kind, &format!("{} must be {wanted}, not {}", self.path, self.kind()))
    }

    fn refuse(&self, refusal: Refusal, message: &str) -> Error {
        refuse(self.ctx, self.method, refusal, message)
    }

    /// What a value is, for people.
    fn kind(&self) -> &'static str {
        let value = &self.value;
        match () {
            () if value.is_undefined() => "undefined",
            () if value.is_null() => "null",
            () if value.is_bool() => "a boolean",
            () if value.is_number() => "a number",
            () if value.is_string() => "a string",
            () if value.is_symbol() => "a symbol",
            () if value.is_big_int() => "a BigInt",
            () if value.is_array() => "an array",
            () if value.is_function() => "a function",
            () => "an object",
        }
    }

    /// The value itself where it is short and plain, else what it is.
    fn shown(&self) -> String {
        match (self.value.as_number(), self.value.as_string()) {
            (Some(number), _) => number.to_string(),
            (_, Some(text)) => text.to_string().map_or_else(|_| self.kind().into(), |text| format!("\"{}\"", cut(&text))),
            _ => self.kind().into(),
        }
    }
}

/// The members of an options object.
pub struct Fields<'js>(Object<'js>);

impl<'js> Fields<'js> {
    /// A member; `undefined` when it is not there.
    pub fn get<'a>(&self, options: &'a Argument<'_, 'js>, name: &'static str) -> Result<Argument<'a, 'js>> {
        let path = Path { parent: Some(&options.path), step: Step::Name(name) };
        Ok(Argument { ctx: options.ctx, method: options.method, path, value: self.0.get(name)? })
    }
}

impl std::fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.parent, self.step) {
            (None, Step::Name(name)) => f.write_str(name),
            (Some(parent), Step::Name(name)) => write!(f, "{parent}.{name}"),
            (Some(parent), Step::Index(index)) => write!(f, "{parent}[{index}]"),
            (None, Step::Index(index)) => write!(f, "[{index}]"),
        }
    }
}

/// The beginning of a text, without control characters.
fn cut(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}
