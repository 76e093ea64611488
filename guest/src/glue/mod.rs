//! `g`: between the script's values and the WIT's.
//!
//! The conversions of every method are generated from the WIT (`guest/bindgen`) and included at the foot of this file.
//! What they are made of stands beside it: [`from_script`] takes arguments, [`to_script`] gives results, [`fault`] makes
//! errors. Nothing here calls what a script can overwrite: the engine's own functions, reached from Rust, do the work.

#[cfg_attr(not(feature = "external"), allow(dead_code, reason = "as with sql"))]
mod alike;
mod fault;
#[cfg(feature = "external")]
mod feed;
#[allow(dead_code, reason = "which conversions are needed is up to the WIT of the day")]
mod from_script;
pub mod json;
#[cfg_attr(not(feature = "external"), allow(dead_code, reason = "as with sql"))]
mod lent;
#[cfg(feature = "external")]
mod lines;
mod pages;
mod place;
#[cfg_attr(not(feature = "external"), allow(dead_code, reason = "as with sql"))]
mod rows;
mod show;
#[cfg_attr(not(feature = "external"), allow(dead_code, reason = "no local method takes or gives values of SQL"))]
mod sql;
#[cfg(test)]
mod tests;
#[allow(dead_code, reason = "as with from_script")]
mod to_script;
mod update;

use std::{cell::RefCell, future::Future, rc::Rc};

use javy::quickjs::{
    self, Atom, Constructor, Ctx, Function, JsLifetime, Object, Value,
    context::EvalOptions,
    function::{IntoJsFunc, ParamRequirement, Params},
    object::Property,
};

use crate::calls;
use fault::Fault;
use from_script::{Arguments, Members};
use place::Place;

/// A method of `g`, as errors name it.
#[derive(Debug)]
pub struct Method {
    /// The namespace: `store`.
    pub namespace: &'static str,
    /// The method: `put`; a resource's has the resource in front.
    pub name: &'static str,
    /// It only waits: it is dropped when `main` has settled.
    pub waits: bool,
}

/// What a method gives, or why not.
type Answer<'js> = Result<Value<'js>, Fault>;

/// Makes `g` and the class of its errors. To be called once, before a script has run.
pub fn install<'js>(ctx: &Ctx<'js>) -> quickjs::Result<Object<'js>> {
    let kept = Rc::new(Kept::new(ctx)?);
    let global = Property::from(kept.host_error.clone()).writable().configurable();
    ctx.globals().prop("GError", global)?;
    // Refused only while userdata is borrowed, and nobody has borrowed it yet.
    if ctx.store_userdata(Userdata(kept)).is_err() {
        return Err(quickjs::Error::Unknown);
    }
    let g = Object::new(ctx.clone())?;
    generated::install_namespaces(ctx, &g)?;
    Ok(g)
}

/// What the glue needs of JavaScript, taken before a script can overwrite it.
struct Kept<'js> {
    error: Constructor<'js>,
    type_error: Constructor<'js>,
    range_error: Constructor<'js>,
    host_error: Constructor<'js>,
    host_error_prototype: Object<'js>,
    object_prototype: Option<Object<'js>>,
    is_view: Function<'js>,
    date_value: Function<'js>,
    date_text: Function<'js>,
    classes: json::Classes<'js>,
    /// The names of the members of results, in the order of `generated::NAMES`.
    names: Vec<Atom<'js>>,
}

impl<'js> Kept<'js> {
    fn new(ctx: &Ctx<'js>) -> quickjs::Result<Self> {
        let globals = ctx.globals();
        let host_error: Constructor = ctx.eval(include_str!("error.js"))?;
        let (date_value, date_text) = sql::date_methods(ctx)?;
        let names = generated::NAMES.iter().map(|name| Atom::from_str(ctx.clone(), name));
        Ok(Self {
            error: globals.get("Error")?,
            type_error: globals.get("TypeError")?,
            range_error: globals.get("RangeError")?,
            host_error_prototype: host_error.get("prototype")?,
            host_error,
            is_view: globals.get::<_, Object>("ArrayBuffer")?.get("isView")?,
            date_value,
            date_text,
            classes: json::Classes::new(ctx)?,
            object_prototype: Object::new(ctx.clone())?.get_prototype(),
            names: names.collect::<quickjs::Result<_>>()?,
        })
    }

    /// The ones of this runtime.
    fn of(ctx: &Ctx<'js>) -> quickjs::Result<Rc<Self>> {
        let kept = ctx.userdata::<Userdata<'js>>().ok_or(quickjs::Error::Unknown)?;
        Ok(Rc::clone(&kept.0))
    }
}

struct Userdata<'js>(Rc<Kept<'js>>);

// SAFETY: the only lifetime is that of the JavaScript values inside, and `Changed` is the same type with another one.
#[allow(unsafe_code)]
unsafe impl<'js> JsLifetime<'js> for Userdata<'js> {
    type Changed<'to> = Userdata<'to>;
}

/// How a method answers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// At once; a failure is thrown.
    Value,
    /// With a promise; a failure rejects it.
    Promise,
}

/// A method as QuickJS calls it.
struct Native<F> {
    method: &'static Method,
    kind: Kind,
    run: F,
}

/// Tells our implementation of [`IntoJsFunc`] from those for closures.
struct Glue;

impl<'js, F> IntoJsFunc<'js, Glue> for Native<F>
where
    F: for<'a> Fn(&Ctx<'js>, &Arguments<'a, 'js>) -> Answer<'js>,
{
    fn param_requirements() -> ParamRequirement {
        ParamRequirement::any()
    }

    fn call<'a>(&self, params: Params<'a, 'js>) -> quickjs::Result<Value<'js>> {
        let ctx = params.ctx().clone();
        match ((self.run)(&ctx, &Arguments(params)), self.kind) {
            (Ok(value), _) => Ok(value),
            (Err(fault), Kind::Value) => Err(fault.throw(&ctx, self.method, None)),
            (Err(fault), Kind::Promise) => fault.reject(&ctx, self.method),
        }
    }
}

/// Adds a method to a namespace or a resource under its name there, which errors may have another word for. `length` is the
/// number of arguments it must have.
fn add_method<'js, F>(
    object: &Object<'js>,
    name: &str,
    method: &'static Method,
    length: usize,
    kind: Kind,
    run: F,
) -> quickjs::Result<()>
where
    F: for<'a> Fn(&Ctx<'js>, &Arguments<'a, 'js>) -> Answer<'js> + 'js,
{
    let function = Function::new(object.ctx().clone(), Native { method, kind, run })?;
    define(object, name, function.with_name(name)?.with_length(length)?.into_value())
}

/// Adds a method with a callback behind its `index` parameters. `begin` gives what the callback has; the methods of it
/// that `ends` names are called when the callback has settled, and are nothing for the script.
fn add_callback_method<'js, F>(
    object: &Object<'js>,
    method: &'static Method,
    index: usize,
    begin: F,
    ends: (&str, &str),
) -> quickjs::Result<()>
where
    F: for<'a> Fn(&Ctx<'js>, &Arguments<'a, 'js>) -> Answer<'js> + 'js,
{
    let ctx = object.ctx();
    let begin = Function::new(ctx.clone(), Native { method, kind: Kind::Promise, run: begin })?;
    let here = Function::new(ctx.clone(), |ctx: Ctx<'js>| fault::stack(&ctx))?;
    let mut options = EvalOptions::default();
    options.filename = Some("ghost:callback".to_owned());
    let with_callback: Function<'js> = ctx.eval_with_options(include_str!("callback.js"), options)?;
    let function: Function<'js> = with_callback.call((begin, index, ends.0, ends.1, here))?;
    define(object, method.name, function.with_name(method.name)?.with_length(index + 1)?.into_value())
}

/// What a method does that this engine does not have, whatever its arguments.
#[cfg(any(test, not(feature = "external")))]
fn blocked<'js>(_: &Ctx<'js>, _: &Arguments<'_, 'js>) -> Answer<'js> {
    Err(Fault::Host(fault::blocked()))
}

/// Starts a call of the host's and gives its promise. `give` makes the value of what came.
fn start<'js, T: 'static>(
    ctx: &Ctx<'js>,
    method: &'static Method,
    call: impl Future<Output = Result<T, impl Into<Fault> + 'static>> + 'static,
    give: impl for<'a> FnOnce(&Ctx<'a>, T) -> quickjs::Result<Value<'a>> + 'static,
) -> Answer<'js> {
    // When the answer comes, the script's line is not on the stack any more.
    let stack = fault::stack(ctx)?;
    Ok(calls::start(ctx, method, call, move |ctx, answer| finish(ctx, method, stack, answer, give))?)
}

fn finish<'js, T>(
    ctx: &Ctx<'js>,
    method: &'static Method,
    stack: Option<String>,
    answer: Result<T, impl Into<Fault>>,
    give: impl FnOnce(&Ctx<'js>, T) -> quickjs::Result<Value<'js>>,
) -> quickjs::Result<Value<'js>> {
    match answer {
        Ok(value) => give(ctx, value),
        Err(error) => Err(error.into().throw(ctx, method, stack)),
    }
}

/// An ordinary property, made without asking the object's prototypes, which a script may have changed.
fn define<'js>(object: &Object<'js>, name: &str, value: Value<'js>) -> quickjs::Result<()> {
    object.prop(name, Property::from(value).writable().configurable().enumerable())
}

/// What ghost-bindgen made of the WIT.
mod generated {
    use super::*;
    include!(concat!(env!("OUT_DIR"), "/g.rs"));
}
