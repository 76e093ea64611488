//! Converts results from the WIT to JavaScript. Properties are defined, not set, so that setters on a prototype are not
//! called.

use std::rc::Rc;

use javy::quickjs::{Array, Ctx, Error, Exception, Object, Result, String as JsString, Value, object::Property};

use super::Intrinsics;

/// `undefined`
pub fn nothing<'js>(ctx: &Ctx<'js>) -> Value<'js> {
    Value::new_undefined(ctx.clone())
}

/// Converts a string.
pub fn text<'js>(ctx: &Ctx<'js>, text: String) -> Result<Value<'js>> {
    Ok(JsString::from_str(ctx.clone(), &text)?.into_value())
}

/// Converts a constant string.
pub fn word<'js>(ctx: &Ctx<'js>, word: &'static str) -> Result<Value<'js>> {
    Ok(JsString::from_str(ctx.clone(), word)?.into_value())
}

/// Converts a boolean.
pub fn boolean<'js>(ctx: &Ctx<'js>, boolean: bool) -> Result<Value<'js>> {
    Ok(Value::new_bool(ctx.clone(), boolean))
}

/// Converts a number.
pub fn number<'js>(ctx: &Ctx<'js>, number: impl Into<f64>) -> Result<Value<'js>> {
    Ok(Value::new_number(ctx.clone(), number.into()))
}

/// Parses JSON.
pub fn json<'js>(ctx: &Ctx<'js>, text: impl Into<Vec<u8>>) -> Result<Value<'js>> {
    // The host always returns JSON. rquickjs has a separate error for a NUL, which would end the run; convert it, so
    // that only the call fails.
    ctx.json_parse(text).map_err(|error| match error {
        Error::InvalidString(_) => Exception::throw_syntax(ctx, "JSON contains a NUL"),
        error => error,
    })
}

/// Converts a list to an array.
pub fn array<'js, T>(
    ctx: &Ctx<'js>,
    items: Vec<T>,
    give: impl Fn(&Ctx<'js>, T) -> Result<Value<'js>>,
) -> Result<Value<'js>> {
    let array = Array::new(ctx.clone())?.into_object();
    for (index, item) in (0_u32..).zip(items) {
        array.prop(index, Property::from(give(ctx, item)?).writable().enumerable().configurable())?;
    }
    Ok(array.into_value())
}

/// Converts an option to a value or null.
pub fn nullable<'js, T>(
    ctx: &Ctx<'js>,
    value: Option<T>,
    give: impl FnOnce(&Ctx<'js>, T) -> Result<Value<'js>>,
) -> Result<Value<'js>> {
    match value {
        Some(value) => give(ctx, value),
        None => Ok(Value::new_null(ctx.clone())),
    }
}

/// An object under construction.
pub struct Record<'js> {
    object: Object<'js>,
    intrinsics: Rc<Intrinsics<'js>>,
}

impl<'js> Record<'js> {
    /// Creates an empty object.
    pub fn new(ctx: &Ctx<'js>) -> Result<Self> {
        Ok(Self { object: Object::new(ctx.clone())?, intrinsics: Intrinsics::of(ctx)? })
    }

    /// Adds a member; `name` is an index in `generated::NAMES`.
    pub fn set<T>(&self, name: usize, value: T, give: impl FnOnce(&Ctx<'js>, T) -> Result<Value<'js>>) -> Result<()> {
        let value = give(self.object.ctx(), value)?;
        self.object
            .prop(self.intrinsics.names[name].clone(), Property::from(value).writable().enumerable().configurable())
    }

    /// Adds a member if it has a value.
    pub fn set_present<T>(
        &self,
        name: usize,
        value: Option<T>,
        give: impl FnOnce(&Ctx<'js>, T) -> Result<Value<'js>>,
    ) -> Result<()> {
        value.map_or(Ok(()), |value| self.set(name, value, give))
    }

    /// Adds a member, which is null if it has no value.
    pub fn set_nullable<T>(
        &self,
        name: usize,
        value: Option<T>,
        give: impl FnOnce(&Ctx<'js>, T) -> Result<Value<'js>>,
    ) -> Result<()> {
        self.set(name, value, |ctx, value| nullable(ctx, value, give))
    }

    /// Returns the object.
    pub fn finish(self) -> Value<'js> {
        self.object.into_value()
    }
}
