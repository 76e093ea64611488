//! Results: WIT's values to JavaScript's. Every property is defined and not set, so that a setter which a script put on
//! a prototype sees nothing.

use std::rc::Rc;

use javy::quickjs::{Array, Ctx, Error, Exception, Object, Result, String as JsString, Value, object::Property};

use super::Kept;

/// `undefined`
pub fn nothing<'js>(ctx: &Ctx<'js>) -> Value<'js> {
    Value::new_undefined(ctx.clone())
}

/// A string.
pub fn text<'js>(ctx: &Ctx<'js>, text: String) -> Result<Value<'js>> {
    Ok(JsString::from_str(ctx.clone(), &text)?.into_value())
}

/// A string that the glue knows.
pub fn word<'js>(ctx: &Ctx<'js>, word: &'static str) -> Result<Value<'js>> {
    Ok(JsString::from_str(ctx.clone(), word)?.into_value())
}

/// `true` or `false`
pub fn boolean<'js>(ctx: &Ctx<'js>, boolean: bool) -> Result<Value<'js>> {
    Ok(Value::new_bool(ctx.clone(), boolean))
}

/// A number.
pub fn number<'js>(ctx: &Ctx<'js>, number: impl Into<f64>) -> Result<Value<'js>> {
    Ok(Value::new_number(ctx.clone(), number.into()))
}

/// The value that a JSON text stands for.
pub fn json<'js>(ctx: &Ctx<'js>, text: impl Into<Vec<u8>>) -> Result<Value<'js>> {
    // What crosses is JSON. If it is not, that is the call's failure: rquickjs has an error of its own for a NUL, which
    // would end the run.
    ctx.json_parse(text).map_err(|error| match error {
        Error::InvalidString(_) => Exception::throw_syntax(ctx, "a NUL stands in JSON"),
        error => error,
    })
}

/// An array.
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

/// The value, or null.
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
    kept: Rc<Kept<'js>>,
}

impl<'js> Record<'js> {
    /// An empty one.
    pub fn new(ctx: &Ctx<'js>) -> Result<Self> {
        Ok(Self { object: Object::new(ctx.clone())?, kept: Kept::of(ctx)? })
    }

    /// Adds a member; `name` is its place in `generated::NAMES`.
    pub fn set<T>(&self, name: usize, value: T, give: impl FnOnce(&Ctx<'js>, T) -> Result<Value<'js>>) -> Result<()> {
        let value = give(self.object.ctx(), value)?;
        self.object.prop(self.kept.names[name].clone(), Property::from(value).writable().enumerable().configurable())
    }

    /// Adds a member if it is there.
    pub fn set_present<T>(
        &self,
        name: usize,
        value: Option<T>,
        give: impl FnOnce(&Ctx<'js>, T) -> Result<Value<'js>>,
    ) -> Result<()> {
        value.map_or(Ok(()), |value| self.set(name, value, give))
    }

    /// Adds a member that is null when it is not there.
    pub fn set_nullable<T>(
        &self,
        name: usize,
        value: Option<T>,
        give: impl FnOnce(&Ctx<'js>, T) -> Result<Value<'js>>,
    ) -> Result<()> {
        self.set(name, value, |ctx, value| nullable(ctx, value, give))
    }

    /// The object.
    pub fn finish(self) -> Value<'js> {
        self.object.into_value()
    }
}
