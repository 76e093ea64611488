//! Methods that return an iterator over the items of all pages.

use javy::quickjs::{self, Ctx, Function, Object, context::EvalOptions};

use super::{Answer, Arguments, Kind, Method, Native, define};

/// Adds a method that returns an iterator. `begin` reads the arguments at once, so that an invalid one throws at the
/// call, and returns a function that reads the next page; an empty page is the end.
pub fn add_method<'js, F>(object: &Object<'js>, method: &'static Method, length: usize, begin: F) -> quickjs::Result<()>
where
    F: for<'a> Fn(&Ctx<'js>, &Arguments<'a, 'js>) -> Answer<'js> + 'js,
{
    let ctx = object.ctx();
    let begin = Function::new(ctx.clone(), Native { method, kind: Kind::Value, run: begin })?;
    let mut options = EvalOptions::default();
    options.filename = Some("ghost:pages".to_owned());
    let iterating: Function<'js> = ctx.eval_with_options(include_str!("pages.js"), options)?;
    let function: Function<'js> = iterating.call((begin,))?;
    define(object, method.name, function.with_name(method.name)?.with_length(length)?.into_value())
}

/// Returns the function that reads the next page.
pub fn reader<'js, F>(ctx: &Ctx<'js>, method: &'static Method, page: F) -> Answer<'js>
where
    F: for<'a> Fn(&Ctx<'js>, &Arguments<'a, 'js>) -> Answer<'js> + 'js,
{
    Ok(Function::new(ctx.clone(), Native { method, kind: Kind::Value, run: page })?.into_value())
}
