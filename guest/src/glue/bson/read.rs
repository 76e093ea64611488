//! Reads BSON text, and creates the values of a script.
#![allow(unsafe_code, reason = "rquickjs creates an object one member at a time")]

use std::{collections::HashSet, rc::Rc};

use javy::quickjs::{self, Ctx, Error, Exception, Object, Value, function::This, object::Property, qjs};

use crate::glue::{Intrinsics, json::checked, object_array::new_like};

/// The number of shapes of objects that are kept. Most results have few.
const MAX_SHAPES: usize = 64;

/// Reads documents or values (`bson-results`) to an array.
pub fn results<'js>(ctx: &Ctx<'js>, text: String) -> quickjs::Result<Value<'js>> {
    let mut reader = Reader::new(ctx, &text)?;
    while reader.at < text.len() {
        reader.value()?;
    }
    reader.array(0)?;
    reader.finish()
}

/// Reads a document or null (`bson-result`).
pub fn result<'js>(ctx: &Ctx<'js>, text: String) -> quickjs::Result<Value<'js>> {
    let mut reader = Reader::new(ctx, &text)?;
    reader.value()?;
    reader.finish()
}

struct Reader<'r, 'js> {
    ctx: &'r Ctx<'js>,
    intrinsics: Rc<Intrinsics<'js>>,
    text: &'r str,
    at: usize,
    /// Values that are finished, but not yet part of an object or an array. The reader owns a reference to each.
    values: Vec<qjs::JSValue>,
    /// The names of the members whose values are in `values`.
    names: Vec<&'r str>,
    /// The most recently used shape is last.
    shapes: Vec<Shape<'r, 'js>>,
}

/// The names of members that several objects have, and an object with these members.
struct Shape<'r, 'js> {
    names: Vec<&'r str>,
    model: Object<'js>,
}

impl<'r, 'js> Reader<'r, 'js> {
    fn new(ctx: &'r Ctx<'js>, text: &'r str) -> quickjs::Result<Self> {
        let intrinsics = Intrinsics::of(ctx)?;
        Ok(Self { ctx, intrinsics, text, at: 0, values: Vec::new(), names: Vec::new(), shapes: Vec::new() })
    }

    /// Returns the only value.
    fn finish(mut self) -> quickjs::Result<Value<'js>> {
        let value = self.values.pop().ok_or_else(|| self.malformed())?;
        // SAFETY: the value was owned by the list, and the caller owns it from here on.
        Ok(unsafe { Value::from_raw(self.ctx.clone(), value) })
    }

    /// Returns the error for a text that the host never writes.
    fn malformed(&self) -> Error {
        Exception::throw_internal(self.ctx, &format!("the host's answer is malformed at {}", self.at))
    }

    fn raw(&self) -> *mut qjs::JSContext {
        self.ctx.as_raw().as_ptr()
    }

    /// Keeps a value, which may be an exception.
    fn push(&mut self, value: qjs::JSValue) -> quickjs::Result<()> {
        self.values.push(checked(value)?);
        Ok(())
    }

    fn push_value(&mut self, value: &Value<'js>) {
        // SAFETY: the list owns the added reference.
        self.values.push(unsafe { qjs::JS_DupValue(self.raw(), value.as_raw()) });
    }

    fn push_text(&mut self, text: &str) -> quickjs::Result<()> {
        // SAFETY: pointer and length are those of `text`.
        self.push(unsafe { qjs::JS_NewStringLen(self.raw(), text.as_ptr().cast(), text.len() as _) })
    }

    fn push_number(&mut self, number: f64) -> quickjs::Result<()> {
        // SAFETY: a number has no reference count.
        self.push(unsafe { qjs::JS_NewNumber(self.raw(), number) })
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Takes this many bytes.
    fn take(&mut self, length: usize) -> quickjs::Result<&'r str> {
        let end = self.at.checked_add(length).ok_or_else(|| self.malformed())?;
        let taken = self.text.get(self.at..end).ok_or_else(|| self.malformed())?;
        self.at = end;
        Ok(taken)
    }

    /// Takes the text before a delimiter, and the delimiter.
    fn until(&mut self, delimiter: u8) -> quickjs::Result<&'r str> {
        let rest = &self.text.as_bytes()[self.at..];
        let length = rest.iter().position(|byte| *byte == delimiter).ok_or_else(|| self.malformed())?;
        let taken = self.take(length)?;
        self.at += 1;
        Ok(taken)
    }

    /// Takes a length, a colon, and as many bytes.
    fn length_prefixed(&mut self) -> quickjs::Result<&'r str> {
        let mut length = 0_usize;
        loop {
            match self.peek() {
                Some(digit @ b'0'..=b'9') => length = length.saturating_mul(10).saturating_add((digit - b'0').into()),
                Some(b':') => break,
                _ => return Err(self.malformed()),
            }
            self.at += 1;
        }
        self.at += 1;
        self.take(length)
    }

    fn parsed<T: std::str::FromStr>(&mut self, delimiter: u8) -> quickjs::Result<T> {
        self.until(delimiter)?.parse().map_err(|_| self.malformed())
    }

    /// Reads a value to the end of the list.
    fn value(&mut self) -> quickjs::Result<()> {
        let letter = self.peek().ok_or_else(|| self.malformed())?;
        self.at += 1;
        match letter {
            b'n' => self.push(qjs::JS_NULL),
            b't' => self.push(qjs::JS_MKVAL(qjs::JS_TAG_BOOL, 1)),
            b'f' => self.push(qjs::JS_MKVAL(qjs::JS_TAG_BOOL, 0)),
            b'i' => {
                let number: i32 = self.parsed(b';')?;
                self.push(qjs::JS_MKVAL(qjs::JS_TAG_INT, number))
            }
            b'd' => {
                let number = self.parsed(b';')?;
                self.push_number(number)
            }
            b's' => {
                let text = self.length_prefixed()?;
                self.push_text(text)
            }
            b'l' => self.long(),
            b'D' => {
                let time: i64 = self.parsed(b';')?;
                // SAFETY: the context is valid.
                self.push(unsafe { qjs::JS_NewDate(self.raw(), time as f64) })
            }
            b'O' => self.object_id(),
            b'{' => self.document(b'}'),
            b'[' => self.items(),
            _ => self.instance(letter),
        }
    }

    fn long(&mut self) -> quickjs::Result<()> {
        let text = self.until(b';')?;
        let number: i64 = text.parse().map_err(|_| self.malformed())?;
        // The number 2^53 would be written back as a double.
        if number.unsigned_abs() < 1 << 53 { self.push_number(number as f64) } else { self.made("Long", text, &[]) }
    }

    /// Creates an ObjectId, of which results have many.
    fn object_id(&mut self) -> quickjs::Result<()> {
        let text = self.take(24)?;
        self.push_text(text)?;
        let start = self.values.len() - 1;
        let made = new_like(self.ctx, &self.intrinsics.bson.object_id, &mut self.values[start..]);
        self.values.truncate(start);
        let made = made?;
        self.values.push(made);
        // SAFETY: the object is referenced by the list.
        if unsafe { qjs::JS_PreventExtensions(self.raw(), made) } < 0 { Err(Error::Exception) } else { Ok(()) }
    }

    /// Creates an instance of a class.
    fn made(&mut self, class: &str, text: &str, more: &[(&str, Value<'js>)]) -> quickjs::Result<()> {
        let text = quickjs::String::from_str(self.ctx.clone(), text)?.into_value();
        let mut members = vec![("text", text)];
        members.extend_from_slice(more);
        let made = self.intrinsics.bson.instance(self.ctx, class, &members)?;
        self.push_value(&made);
        Ok(())
    }

    fn instance(&mut self, letter: u8) -> quickjs::Result<()> {
        let number = |number: f64| Value::new_number(self.ctx.clone(), number);
        match letter {
            b'U' => {
                let text = self.take(36)?;
                self.made("UUID", text, &[])
            }
            b'N' => {
                let text = self.length_prefixed()?;
                self.made("Decimal128", text, &[])
            }
            b'T' => {
                let text = self.until(b';')?;
                let (seconds, increment) = text.split_once(':').unwrap_or_default();
                let part = |part: &str| number(part.parse().unwrap_or_default());
                let more = [("seconds", part(seconds)), ("increment", part(increment))];
                self.made("Timestamp", text, &more)
            }
            b'b' => {
                let subtype: u8 = self.parsed(b';')?;
                let subtype = Value::new_number(self.ctx.clone(), subtype.into());
                let text = self.length_prefixed()?;
                self.made("Binary", text, &[("subtype", subtype)])
            }
            b'C' => {
                let scope = Value::new_null(self.ctx.clone());
                let text = self.length_prefixed()?;
                self.made("Code", text, &[("scope", scope)])
            }
            b'W' => {
                let text = self.length_prefixed()?;
                self.value()?;
                let scope = self.values.pop().ok_or_else(|| self.malformed())?;
                // SAFETY: the value was owned by the list.
                let scope = unsafe { Value::from_raw(self.ctx.clone(), scope) };
                self.made("Code", text, &[("scope", scope)])
            }
            b'm' => self.made("MinKey", "MinKey", &[]),
            b'M' => self.made("MaxKey", "MaxKey", &[]),
            b'R' => self.pattern(),
            _ => Err(self.malformed()),
        }
    }

    /// Creates a RegExp; Extended JSON for a regular expression that JavaScript does not have.
    fn pattern(&mut self) -> quickjs::Result<()> {
        let (source, options) = (self.length_prefixed()?, self.length_prefixed()?);
        if options.chars().all(|option| "imsu".contains(option)) {
            let made: Value = self.intrinsics.bson.pattern.call((source, options))?;
            if !made.is_undefined() {
                self.push_value(&made);
                return Ok(());
            }
        }
        let parts = Object::new(self.ctx.clone())?;
        for (name, text) in [("pattern", source), ("options", options)] {
            let text = quickjs::String::from_str(self.ctx.clone(), text)?;
            crate::glue::define(&parts, name, text.into_value())?;
        }
        let extended = Object::new(self.ctx.clone())?;
        crate::glue::define(&extended, "$regularExpression", parts.into_value())?;
        self.push_value(extended.as_value());
        Ok(())
    }

    /// Takes the remark at the start of an object or array, if it has one.
    fn remark(&mut self) -> quickjs::Result<Option<&'r str>> {
        if self.peek() != Some(b'!') {
            return Ok(None);
        }
        self.at += 1;
        self.length_prefixed().map(Some)
    }

    /// Adds a remark to the last value.
    fn add_remark(&self, remark: Option<&str>) -> quickjs::Result<()> {
        let (Some(remark), Some(value)) = (remark, self.values.last()) else { return Ok(()) };
        // SAFETY: the handle is another reference.
        let value = unsafe { Value::from_raw(self.ctx.clone(), qjs::JS_DupValue(self.raw(), *value)) };
        let kit = &self.intrinsics.bson;
        kit.set_remark.call::<_, Value<'js>>((This(kit.remarks.clone()), value, remark)).map(drop)
    }

    fn document(&mut self, end: u8) -> quickjs::Result<()> {
        let remark = self.remark()?;
        let (first_value, first_name) = (self.values.len(), self.names.len());
        while self.peek() != Some(end) {
            let name = self.length_prefixed()?;
            self.names.push(name);
            self.value()?;
        }
        self.at += 1;
        let model = self.model(first_name)?;
        self.names.truncate(first_name);
        let made = new_like(self.ctx, &model, &mut self.values[first_value..]);
        self.values.truncate(first_value);
        self.push(made?)?;
        self.add_remark(remark)
    }

    /// Returns an object with the names from `first_name` on.
    fn model(&mut self, first_name: usize) -> quickjs::Result<Object<'js>> {
        let names = &self.names[first_name..];
        if let Some(index) = self.shapes.iter().rposition(|shape| shape.names == names) {
            return Ok(self.shapes[index].model.clone());
        }
        // An object has one member for each value.
        if names.iter().collect::<HashSet<_>>().len() < names.len() {
            return Err(self.malformed());
        }
        let model = Object::new(self.ctx.clone())?;
        for name in names {
            model.prop(*name, Property::from(()).writable().configurable().enumerable())?;
        }
        if self.shapes.len() == MAX_SHAPES {
            self.shapes.remove(0);
        }
        self.shapes.push(Shape { names: names.to_vec(), model: model.clone() });
        Ok(model)
    }

    fn items(&mut self) -> quickjs::Result<()> {
        let remark = self.remark()?;
        let first = self.values.len();
        while self.peek() != Some(b']') {
            self.value()?;
        }
        self.at += 1;
        self.array(first)?;
        self.add_remark(remark)
    }

    /// Replaces the values from an index on by their array.
    fn array(&mut self, first: usize) -> quickjs::Result<()> {
        let length = (self.values.len() - first).try_into().map_err(|_| Error::Allocation)?;
        // SAFETY: the array owns the values from here on, even if it fails.
        let array = unsafe { qjs::JS_NewArrayFrom(self.raw(), length, self.values[first..].as_ptr()) };
        self.values.truncate(first);
        self.push(array)
    }
}

impl Drop for Reader<'_, '_> {
    fn drop(&mut self) {
        for value in std::mem::take(&mut self.values) {
            // SAFETY: the list owns one reference to each.
            unsafe { qjs::JS_FreeValue(self.raw(), value) }
        }
    }
}
