//! Writes values of a script as BSON text.

use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

use javy::quickjs::{self, Ctx, Function, Value, atom::PredefinedAtom, function::This};

use super::{
    super::{
        Intrinsics,
        argument_path::ArgumentPath,
        error::CallError,
        from_script::wrong_type,
        json::{Class as JsonClass, Kind, Out, Path, RawValue, Step},
        sql::bytes,
    },
    DEPTH,
    classes::{ALL, Class, base64},
};

/// The largest whole number that a number in JavaScript represents exactly.
const MAX_SAFE: f64 = 9_007_199_254_740_991.0;

/// Reads a document to store (`bson-document`).
pub fn document(path: &ArgumentPath<'_>, value: &Value<'_>) -> Result<String, CallError> {
    write(path, value, Undefined::Omitted, Top::Document)
}

/// Reads an array of documents to store (`bson-documents`).
pub fn documents(path: &ArgumentPath<'_>, value: &Value<'_>) -> Result<String, CallError> {
    write(path, value, Undefined::Omitted, Top::Documents)
}

/// Reads a filter (`bson-filter`).
pub fn filter(path: &ArgumentPath<'_>, value: &Value<'_>) -> Result<String, CallError> {
    write(path, value, Undefined::Refused, Top::Document)
}

/// Reads an update (`bson-update`).
pub fn update(path: &ArgumentPath<'_>, value: &Value<'_>) -> Result<String, CallError> {
    let top = if value.is_array() { Top::Documents } else { Top::Document };
    write(path, value, Undefined::Refused, top)
}

/// Reads the stages of an aggregation (`bson-pipeline`).
pub fn pipeline(path: &ArgumentPath<'_>, value: &Value<'_>) -> Result<String, CallError> {
    write(path, value, Undefined::Refused, Top::Documents)
}

/// What happens to a member that is `undefined`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Undefined {
    /// As in `JSON.stringify`.
    Omitted,
    /// A filter without the member would match more documents.
    Refused,
}

/// What the whole value must be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Top {
    Document,
    Documents,
}

/// Why a value can't be written.
enum Refusal {
    Thrown(quickjs::Error),
    /// The path, innermost step first, and the message after it.
    Value {
        steps: Vec<Step>,
        message: String,
        is_out_of_bounds: bool,
    },
}

impl From<quickjs::Error> for Refusal {
    fn from(error: quickjs::Error) -> Self {
        Self::Thrown(error)
    }
}

impl Refusal {
    fn at(mut self, step: impl FnOnce() -> Step) -> Self {
        if let Self::Value { steps, .. } = &mut self {
            steps.push(step());
        }
        self
    }
}

fn refused<T>(message: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::Value { steps: Vec::new(), message: message.into(), is_out_of_bounds: false })
}

fn out_of_bounds<T>(message: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::Value { steps: Vec::new(), message: message.into(), is_out_of_bounds: true })
}

fn write(path: &ArgumentPath<'_>, value: &Value<'_>, undefined: Undefined, top: Top) -> Result<String, CallError> {
    let ctx = value.ctx();
    match top {
        Top::Document if !value.is_object() || value.is_array() || value.is_function() => {
            return Err(wrong_type(path, "an object", value));
        }
        Top::Documents if !value.is_array() => return Err(wrong_type(path, "an array of objects", value)),
        _ => {}
    }
    let intrinsics = Intrinsics::of(ctx)?;
    let mut writer = Writer { ctx, intrinsics, out: Out::new(ctx), undefined, open: Vec::new() };
    let value = RawValue::of(ctx, value);
    let written = if top == Top::Document { writer.document(&value) } else { writer.documents(&value) };
    match written {
        Ok(()) => Ok(writer.out.finish()?),
        Err(Refusal::Thrown(error)) => Err(error.into()),
        Err(Refusal::Value { mut steps, message, is_out_of_bounds }) => {
            steps.reverse();
            let message = format!("{path}{} {message}", Path(steps));
            Err(if is_out_of_bounds { CallError::OutOfBounds(message) } else { CallError::WrongType(message) })
        }
    }
}

struct Writer<'c, 'js> {
    ctx: &'c Ctx<'js>,
    intrinsics: Rc<Intrinsics<'js>>,
    out: Out<'c, 'js>,
    undefined: Undefined,
    /// The objects and arrays that are partly written, outermost first.
    open: Vec<RawValue<'c, 'js>>,
}

impl<'c, 'js> Writer<'c, 'js> {
    /// Writes a value that must be a document.
    fn document(&mut self, value: &RawValue<'c, 'js>) -> Result<(), Refusal> {
        let start = self.out.len();
        self.value(value)?;
        match self.out.byte(start) {
            Some(b'{' | b'(') => Ok(()),
            _ => refused("must be an object with members"),
        }
    }

    fn documents(&mut self, value: &RawValue<'c, 'js>) -> Result<(), Refusal> {
        self.out.push("[")?;
        for index in 0..value.length()? {
            let item = value.item(index)?;
            self.document(&item).map_err(|refusal| refusal.at(|| Step::Item(index)))?;
        }
        Ok(self.out.push("]")?)
    }

    fn value(&mut self, value: &RawValue<'c, 'js>) -> Result<(), Refusal> {
        match value.kind() {
            Kind::Undefined => return refused("is undefined; use null, or leave it out"),
            Kind::Symbol => return refused("is a symbol, which BSON can't hold"),
            Kind::Null => self.out.push("n")?,
            Kind::Boolean(true) => self.out.push("t")?,
            Kind::Boolean(false) => self.out.push("f")?,
            Kind::Whole(number) => {
                self.out.push("i")?;
                self.out.whole(number)?;
                self.out.push(";")?;
            }
            Kind::Number(number) => self.number(number)?,
            Kind::String => self.text("s", value)?,
            Kind::BigInt => {
                let digits = value.to_text()?.with_bytes(|digits| String::from_utf8_lossy(digits).into_owned())?;
                if digits.parse::<i64>().is_err() {
                    return out_of_bounds("is a BigInt beyond int64 (-9223372036854775808 to 9223372036854775807)");
                }
                self.out.push(&format!("l{digits};"))?;
            }
            Kind::Object => self.object(value)?,
        }
        Ok(())
    }

    fn number(&mut self, number: f64) -> Result<(), Refusal> {
        let is_whole =
            number.fract() == 0.0 && number.abs() <= MAX_SAFE && (number != 0.0 || number.is_sign_positive());
        if is_whole {
            let kind = if i32::try_from(number as i64).is_ok() { 'i' } else { 'l' };
            self.out.push(&format!("{kind}{};", number as i64))?;
        } else if number == 0.0 {
            self.out.push("d-0;")?;
        } else {
            let mut buffer = ryu_js::Buffer::new();
            self.out.push("d")?;
            self.out.push(buffer.format(number))?;
            self.out.push(";")?;
        }
        Ok(())
    }

    /// Writes a string: a letter, its length, a colon, its characters.
    fn text(&mut self, letter: &str, value: &RawValue<'c, 'js>) -> Result<(), Refusal> {
        let out = &mut self.out;
        match value.with_bytes(|bytes| length_prefixed(out, letter, bytes))? {
            Ok(written) => Ok(written?),
            Err(NotUnicode) => out_of_bounds("is not well-formed Unicode"),
        }
    }

    fn object(&mut self, value: &RawValue<'c, 'js>) -> Result<(), Refusal> {
        if value.is_function() {
            return refused("is a function, which BSON can't hold");
        }
        if value.is_proxy() {
            return self.container(value);
        }
        if let Some(class) = self.class(value) {
            return self.instance(value, class);
        }
        let intrinsics = Rc::clone(&self.intrinsics);
        let ids = &intrinsics.bson.ids;
        match (value.class(), intrinsics.classes.of(value)?) {
            (id, _) if id == ids.date => self.date(value),
            (id, _) if id == ids.pattern => self.pattern(value),
            (id, _) if id == ids.map => self.map(value),
            (_, JsonClass::Boolean) => {
                let text = if intrinsics.classes.boolean(value.to_value())? { "t" } else { "f" };
                Ok(self.out.push(text)?)
            }
            (_, JsonClass::Number) => self.value(&value.to_number()?),
            (_, JsonClass::String) => self.value(&value.to_text()?),
            (_, JsonClass::Promise) => refused("is a Promise, which BSON can't hold; use await"),
            (_, JsonClass::BigInt) => refused("is a BigInt object, which BSON can't hold; use a BigInt"),
            (_, JsonClass::Lost(what) | JsonClass::Warned(what)) => match bytes_of(value) {
                Some(bytes) => self.bytes(0, &base64(&bytes)),
                None => refused(format!("is {what}, which BSON can't hold")),
            },
            (_, JsonClass::Plain | JsonClass::RawJson | JsonClass::Date) => self.with_to_json(value),
        }
    }

    /// Returns the class of an instance of a class of `g.documentdb`.
    fn class(&self, value: &RawValue<'c, 'js>) -> Option<Class> {
        if self.intrinsics.object_prototype.as_ref().is_some_and(|plain| value.has_prototype(plain.as_value())) {
            return None;
        }
        let prototypes = &self.intrinsics.bson.prototypes;
        ALL.into_iter().zip(prototypes).find(|(_, prototype)| value.has_prototype(prototype)).map(|(class, _)| class)
    }

    fn instance(&mut self, value: &RawValue<'c, 'js>, class: Class) -> Result<(), Refusal> {
        // An instance is frozen and was checked when it was created; the host checks instances that a script made with
        // `Object.create`.
        let object = value.to_value();
        let object = object.as_object().ok_or(quickjs::Error::Unknown)?;
        let text: Value = object.get("text")?;
        let text = RawValue::of(self.ctx, &text);
        if text.kind() != Kind::String {
            return refused("is an instance without a text, which BSON can't hold");
        }
        let bare = |text: &RawValue<'c, 'js>| text.with_bytes(|bytes| String::from_utf8_lossy(bytes).into_owned());
        match class {
            Class::ObjectId => self.fixed("O", &bare(&text)?, 24),
            Class::Uuid => self.fixed("U", &bare(&text)?, 36),
            Class::Decimal128 => self.text("N", &text),
            Class::Timestamp => Ok(self.out.push(&format!("T{};", bare(&text)?))?),
            Class::Long => Ok(self.out.push(&format!("l{};", bare(&text)?))?),
            Class::MinKey => Ok(self.out.push("m")?),
            Class::MaxKey => Ok(self.out.push("M")?),
            Class::Binary => {
                let subtype: u8 = object.get::<_, f64>("subtype")? as u8;
                self.bytes(subtype, &bare(&text)?)
            }
            Class::Code => {
                let scope: Value = object.get("scope")?;
                if scope.is_null() {
                    return self.text("C", &text);
                }
                self.text("W", &text)?;
                let scope = RawValue::of(self.ctx, &scope);
                // Nested, since a scope may be another Code, or contain this one.
                let written = self.nested(value, |writer| writer.document(&scope));
                written.map_err(|refusal| refusal.at(|| Step::Member("scope".to_owned())))
            }
        }
    }

    /// Writes a text of a fixed length.
    fn fixed(&mut self, letter: &str, text: &str, length: usize) -> Result<(), Refusal> {
        if text.len() != length {
            return refused("is an instance with another text than its class has");
        }
        self.out.push(letter)?;
        Ok(self.out.push(text)?)
    }

    fn bytes(&mut self, subtype: u8, base64: &str) -> Result<(), Refusal> {
        Ok(self.out.push(&format!("b{subtype};{}:{base64}", base64.len()))?)
    }

    fn date(&mut self, value: &RawValue<'c, 'js>) -> Result<(), Refusal> {
        let time: f64 = self.intrinsics.date_value.call((This(value.to_value()),))?;
        if time.is_nan() {
            return out_of_bounds("is an invalid Date");
        }
        Ok(self.out.push(&format!("D{};", time as i64))?)
    }

    fn pattern(&mut self, value: &RawValue<'c, 'js>) -> Result<(), Refusal> {
        let read = |read: &Function<'js>| read.call::<_, Value>((value.to_value(),));
        let (source, flags) = (read(&self.intrinsics.bson.source)?, read(&self.intrinsics.bson.flags)?);
        let flags: String = flags.get()?;
        if let Some(flag) = flags.chars().find(|flag| !"imsu".contains(*flag)) {
            return refused(format!("is a RegExp with the flag {flag}; BSON has i, m, s and u"));
        }
        let source = RawValue::of(self.ctx, &source);
        if source.with_bytes(|source| source.contains(&0))? {
            return out_of_bounds("is a RegExp with NUL, which BSON can't hold");
        }
        self.text("R", &source)?;
        Ok(self.out.push(&format!("{}:{flags}", flags.len()))?)
    }

    /// Writes the result of `toJSON` if an object has it.
    fn with_to_json(&mut self, value: &RawValue<'c, 'js>) -> Result<(), Refusal> {
        let to_json = value.member(PredefinedAtom::ToJSON as u32)?;
        if !to_json.is_function() {
            return self.container(value);
        }
        let replaced = to_json.call(value, &RawValue::empty_string(self.ctx)?)?;
        match replaced.kind() {
            Kind::Object if !replaced.is_function() && replaced.is(value) => self.container(value),
            Kind::Object => self.nested(value, |writer| writer.value(&replaced)),
            _ => self.value(&replaced),
        }
    }

    /// Writes the parts of an object or array.
    fn container(&mut self, value: &RawValue<'c, 'js>) -> Result<(), Refusal> {
        let is_array = value.target()?.as_ref().unwrap_or(value).is_array();
        self.nested(value, |writer| if is_array { writer.array(value) } else { writer.members(value) })
    }

    /// Writes a part of an object, which must not contain itself.
    fn nested(
        &mut self,
        value: &RawValue<'c, 'js>,
        write: impl FnOnce(&mut Self) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        if self.open.iter().any(|open| open.is(value)) {
            return refused("refers to an object that contains it, a cycle, which BSON can't hold");
        }
        if self.open.len() >= DEPTH {
            return out_of_bounds(format!("is nested deeper than {DEPTH} levels"));
        }
        self.open.push(RawValue::of(self.ctx, &value.to_value()));
        let written = write(self);
        self.open.pop();
        written
    }

    fn array(&mut self, value: &RawValue<'c, 'js>) -> Result<(), Refusal> {
        let remark = self.remark(value)?;
        let remark = remark.as_deref().map(Remark::parse);
        self.out.push("[")?;
        for index in 0..value.length()? {
            let item = value.item(index)?;
            let is_long = remark.as_ref().is_some_and(|remark| remark.is_long(&index.to_string()));
            self.part(&item, is_long).map_err(|refusal| refusal.at(|| Step::Item(index)))?;
        }
        Ok(self.out.push("]")?)
    }

    /// Writes a value; a whole number as an int64 if the remark says that it was one.
    fn part(&mut self, value: &RawValue<'c, 'js>, is_long: bool) -> Result<(), Refusal> {
        match value.kind() {
            Kind::Whole(number) if is_long => Ok(self.out.push(&format!("l{number};"))?),
            _ => self.value(value),
        }
    }

    fn members(&mut self, value: &RawValue<'c, 'js>) -> Result<(), Refusal> {
        let remark = self.remark(value)?;
        let remark = remark.as_deref().map(Remark::parse);
        let names = value.names()?;
        let mut order: Vec<i64> = (0..names.len()).collect();
        let mut texts: Vec<String> = Vec::new();
        if let Some(remark) = &remark {
            for index in 0..names.len() {
                texts.push(names.with_bytes(index, |name| String::from_utf8_lossy(name).into_owned())?);
            }
            if let Some(positions) = &remark.order {
                // New members follow, in the order of JavaScript.
                order
                    .sort_by_key(|index| positions.get(texts[*index as usize].as_str()).copied().unwrap_or(usize::MAX));
            }
        }
        // An object with a remark was read, and is no Extended JSON, whatever the names of its members.
        self.out.push(if remark.is_some() { "(" } else { "{" })?;
        for index in order {
            let member = value.member(names.name(index))?;
            if member.kind() == Kind::Undefined && self.undefined == Undefined::Omitted {
                continue;
            }
            let is_long = remark.as_ref().is_some_and(|remark| remark.is_long(&texts[index as usize]));
            let out = &mut self.out;
            let step = || {
                let name = names.with_bytes(index, |name| String::from_utf8_lossy(name).into_owned());
                Step::Member(name.unwrap_or_else(|_| "\u{fffd}".to_owned()))
            };
            let named = names.with_bytes(index, |name| self::name(out, name))?;
            named.and_then(|()| self.part(&member, is_long)).map_err(|refusal| refusal.at(step))?;
        }
        Ok(self.out.push(if remark.is_some() { ")" } else { "}" })?)
    }

    /// Writes a Map as a document.
    fn map(&mut self, value: &RawValue<'c, 'js>) -> Result<(), Refusal> {
        let entries: Value = self.intrinsics.bson.entries.call((value.to_value(),))?;
        let entries = RawValue::of(self.ctx, &entries);
        self.nested(value, |writer| {
            writer.out.push("{")?;
            for index in 0..entries.length()? / 2 {
                let (key, member) = (entries.item(2 * index)?, entries.item(2 * index + 1)?);
                if key.kind() != Kind::String {
                    return refused("is a Map with a key that is not a string");
                }
                if member.kind() == Kind::Undefined && writer.undefined == Undefined::Omitted {
                    continue;
                }
                let step = || {
                    let name = key.with_bytes(|name| String::from_utf8_lossy(name).into_owned());
                    Step::Member(name.unwrap_or_else(|_| "\u{fffd}".to_owned()))
                };
                let out = &mut writer.out;
                let named = key.with_bytes(|name| self::name(out, name))?;
                named.and_then(|()| writer.value(&member)).map_err(|refusal| refusal.at(step))?;
            }
            Ok(writer.out.push("}")?)
        })
    }

    /// Returns the remark of an object that was read.
    fn remark(&self, value: &RawValue<'c, 'js>) -> Result<Option<String>, Refusal> {
        let kit = &self.intrinsics.bson;
        let remarks = RawValue::of(self.ctx, &kit.remarks);
        let remark = RawValue::of(self.ctx, kit.remark_of.as_value()).call(&remarks, value)?;
        if remark.kind() != Kind::String {
            return Ok(None);
        }
        Ok(Some(remark.with_bytes(|remark| String::from_utf8_lossy(remark).into_owned())?))
    }
}

/// Returns the bytes of a Uint8Array or an ArrayBuffer.
fn bytes_of(value: &RawValue<'_, '_>) -> Option<Vec<u8>> {
    bytes(value.to_value().as_object()?)
}

struct NotUnicode;

/// Writes a letter, a length, a colon and text.
fn length_prefixed(out: &mut Out<'_, '_>, letter: &str, bytes: &[u8]) -> Result<quickjs::Result<()>, NotUnicode> {
    let text = str::from_utf8(bytes).map_err(|_| NotUnicode)?;
    let write = |out: &mut Out<'_, '_>| {
        out.push(letter)?;
        out.push(itoa::Buffer::new().format(text.len()))?;
        out.push(":")?;
        out.push(text)
    };
    Ok(write(out))
}

/// Writes the name of a member.
fn name(out: &mut Out<'_, '_>, name: &[u8]) -> Result<(), Refusal> {
    if name.contains(&0) {
        return out_of_bounds("has NUL in its name, which BSON can't hold");
    }
    match length_prefixed(out, "", name) {
        Ok(written) => Ok(written?),
        Err(NotUnicode) => out_of_bounds("has a name that is not well-formed Unicode"),
    }
}

/// A remark about an object (`documentdb.wit`).
struct Remark<'r> {
    longs: HashSet<&'r str>,
    /// The positions of the members, if they are not in the order of JavaScript.
    order: Option<HashMap<&'r str, usize>>,
}

impl<'r> Remark<'r> {
    fn parse(text: &'r str) -> Self {
        let (is_ordered, mut rest) = (text.starts_with('o'), text.get(1..).unwrap_or_default());
        let (mut longs, mut names) = (HashSet::new(), Vec::new());
        while let Some((head, after)) = rest.split_once(':') {
            let (is_long, length) = (head.starts_with('l'), head.get(1..).and_then(|length| length.parse().ok()));
            let Some((name, after)) = length.and_then(|length| after.split_at_checked(length)) else { break };
            if is_long {
                longs.insert(name);
            }
            names.push(name);
            rest = after;
        }
        let order = is_ordered.then(|| names.into_iter().enumerate().map(|(at, name)| (name, at)).collect());
        Self { longs, order }
    }

    fn is_long(&self, name: &str) -> bool {
        self.longs.contains(name)
    }
}
