//! `g`: converts between JavaScript values and those of the WIT.
//!
//! The glue of every method is generated from the WIT (`guest/bindgen`) and included at the end of this file. It uses
//! [`from_script`] for arguments, [`to_script`] for results and [`error`] for errors. The glue calls no function that a
//! script can overwrite.

mod argument_path;
#[cfg_attr(not(feature = "external"), allow(dead_code, reason = "as with sql"))]
pub mod borrow;
#[cfg_attr(not(feature = "external"), allow(dead_code, reason = "as with sql"))]
mod bson;
#[cfg(feature = "external")]
mod cluster;
mod error;
#[allow(dead_code, reason = "which conversions are used depends on the WIT")]
mod from_script;
pub mod functions;
pub mod json;
#[cfg(feature = "external")]
mod lines;
mod missing_member;
#[cfg(feature = "external")]
mod object_array;
mod pages;
#[cfg(feature = "external")]
mod rows;
mod show;
#[cfg_attr(not(feature = "external"), allow(dead_code, reason = "no local method has values of SQL"))]
mod sql;
#[cfg(feature = "external")]
mod stream;
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
use argument_path::ArgumentPath;
use bson::classes;
use error::CallError;
use from_script::{Arguments, Members};

/// A method of `g`, as errors name it.
#[derive(Debug)]
pub struct Method {
    /// The namespace: `store`.
    pub namespace: &'static str,
    /// The method: `put`; a method of a resource is prefixed with the resource.
    pub name: &'static str,
    /// Whether the call only waits, and is dropped when `main` has settled.
    pub waits: bool,
}

/// The result of a method.
type Answer<'js> = Result<Value<'js>, CallError>;

/// Creates `g` and the class of its errors. Called once, when the engine is initialized.
pub fn install<'js>(ctx: &Ctx<'js>) -> quickjs::Result<Object<'js>> {
    let g = Object::new(ctx.clone())?;
    let intrinsics = Rc::new(Intrinsics::new(ctx, g.clone())?);
    let global = Property::from(intrinsics.host_error.clone()).writable().configurable();
    ctx.globals().prop("GError", global)?;
    // Fails only while the userdata is borrowed, which it is not yet.
    if ctx.store_userdata(Userdata(intrinsics)).is_err() {
        return Err(quickjs::Error::Unknown);
    }
    generated::install_namespaces(ctx, &g)?;
    Ok(g)
}

/// Constructors, functions and prototypes of JavaScript, read before a script can overwrite them.
struct Intrinsics<'js> {
    error: Constructor<'js>,
    type_error: Constructor<'js>,
    range_error: Constructor<'js>,
    host_error: Constructor<'js>,
    host_error_prototype: Object<'js>,
    object_prototype: Option<Object<'js>>,
    freeze: Function<'js>,
    is_view: Function<'js>,
    date_value: Function<'js>,
    date_text: Function<'js>,
    classes: json::Classes<'js>,
    bson: bson::Kit<'js>,
    /// The names of the members of results, in the order of `generated::NAMES`.
    names: Vec<Atom<'js>>,
    g: Object<'js>,
}

impl<'js> Intrinsics<'js> {
    fn new(ctx: &Ctx<'js>, g: Object<'js>) -> quickjs::Result<Self> {
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
            bson: bson::Kit::new(ctx)?,
            object_prototype: Object::new(ctx.clone())?.get_prototype(),
            freeze: globals.get::<_, Object>("Object")?.get("freeze")?,
            names: names.collect::<quickjs::Result<_>>()?,
            g,
        })
    }

    /// Returns those of this runtime.
    fn of(ctx: &Ctx<'js>) -> quickjs::Result<Rc<Self>> {
        let intrinsics = ctx.userdata::<Userdata<'js>>().ok_or(quickjs::Error::Unknown)?;
        Ok(Rc::clone(&intrinsics.0))
    }
}

struct Userdata<'js>(Rc<Intrinsics<'js>>);

// SAFETY: the only lifetime is that of the JavaScript values inside, and `Changed` is the same type with another one.
#[allow(unsafe_code)]
unsafe impl<'js> JsLifetime<'js> for Userdata<'js> {
    type Changed<'to> = Userdata<'to>;
}

/// How a method returns its result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Directly; an error is thrown.
    Value,
    /// As a promise; an error rejects it.
    Promise,
}

/// The implementation of a method.
struct Native<F> {
    method: &'static Method,
    kind: Kind,
    run: F,
}

/// Distinguishes this implementation of [`IntoJsFunc`] from those for closures.
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
            (Err(error), Kind::Value) => Err(error.throw(&ctx, self.method, None)),
            (Err(error), Kind::Promise) => error.reject(&ctx, self.method),
        }
    }
}

/// Adds a method to a namespace or a resource. `name` is its property there; errors use the name in `method`. `length`
/// is the number of required arguments.
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

/// Adds a method that takes a callback after its `index` parameters. `begin` returns the object for the callback; one
/// of its two methods in `ends` is called when the callback has settled. The script does not see these two.
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
    let here = Function::new(ctx.clone(), |ctx: Ctx<'js>| error::stack(&ctx))?;
    let mut options = EvalOptions::default();
    options.filename = Some("ghost:callback".to_owned());
    let with_callback: Function<'js> = ctx.eval_with_options(include_str!("callback.js"), options)?;
    let function: Function<'js> = with_callback.call((begin, index, ends.0, ends.1, here))?;
    define(object, method.name, function.with_name(method.name)?.with_length(index + 1)?.into_value())
}

/// The implementation of a method that this engine does not have.
#[cfg(any(test, not(feature = "external")))]
fn blocked<'js>(_: &Ctx<'js>, _: &Arguments<'_, 'js>) -> Answer<'js> {
    Err(CallError::Host(error::blocked()))
}

/// Starts a call of the host and returns its promise. `give` converts the answer to a value.
fn start<'js, T: 'static>(
    ctx: &Ctx<'js>,
    method: &'static Method,
    call: impl Future<Output = Result<T, impl Into<CallError> + 'static>> + 'static,
    give: impl for<'a> FnOnce(&Ctx<'a>, T) -> quickjs::Result<Value<'a>> + 'static,
) -> Answer<'js> {
    // Read now, because the line of the script is no longer on the stack when the answer arrives.
    let stack = error::stack(ctx)?;
    Ok(calls::start(ctx, method, call, move |ctx, answer| finish(ctx, method, stack, answer, give))?)
}

fn finish<'js, T>(
    ctx: &Ctx<'js>,
    method: &'static Method,
    stack: Option<String>,
    answer: Result<T, impl Into<CallError>>,
    give: impl FnOnce(&Ctx<'js>, T) -> quickjs::Result<Value<'js>>,
) -> quickjs::Result<Value<'js>> {
    match answer {
        Ok(value) => give(ctx, value),
        Err(error) => Err(error.into().throw(ctx, method, stack)),
    }
}

/// Defines an ordinary property. Does not look at the prototypes, which a script may have changed.
fn define<'js>(object: &Object<'js>, name: &str, value: Value<'js>) -> quickjs::Result<()> {
    object.prop(name, Property::from(value).writable().configurable().enumerable())
}

/// The glue that ghost-bindgen generates from the WIT.
mod generated {
    use super::*;
    include!(concat!(env!("OUT_DIR"), "/g.rs"));
}
