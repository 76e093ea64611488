//! Makes JavaScript of what the host answered.

use javy::quickjs::{Array, Ctx, IntoJs, Result, Value};

/// Null for none.
pub fn optional<'js, T>(
    ctx: &Ctx<'js>,
    item: Option<T>,
    write: impl FnOnce(&Ctx<'js>, T) -> Result<Value<'js>>,
) -> Result<Value<'js>> {
    item.map_or_else(|| Ok(Value::new_null(ctx.clone())), |item| write(ctx, item))
}

/// An array.
pub fn list<'js, T>(
    ctx: &Ctx<'js>,
    items: Vec<T>,
    write: impl Fn(&Ctx<'js>, T) -> Result<Value<'js>>,
) -> Result<Value<'js>> {
    let array = Array::new(ctx.clone())?;
    for (index, item) in items.into_iter().enumerate() {
        array.set(index, write(ctx, item)?)?;
    }
    Ok(array.into_value())
}

/// The value that a JSON text stands for.
pub fn json<'js>(ctx: &Ctx<'js>, text: String) -> Result<Value<'js>> {
    ctx.json_parse(text)
}

/// A string.
pub fn text<'js>(ctx: &Ctx<'js>, text: String) -> Result<Value<'js>> {
    text.into_js(ctx)
}
