//! The namespaces that the host adds to `g`. They are not in the WIT, so their methods are created when a run starts.

use javy::quickjs::{self, Ctx, Function, Object};

use super::{Intrinsics, Kind, Method, add_method, define, from_script, start, to_script};
use crate::bindings::ghost::g::functions::{self as host, FunctionInfo};

/// Adds the namespaces to `g`, and freezes it. Called once, before the module of the script is evaluated.
pub fn install(ctx: &Ctx<'_>, functions: &[FunctionInfo]) -> quickjs::Result<()> {
    let intrinsics = Intrinsics::of(ctx)?;
    let g: Object<'_> = ctx.globals().get("g")?;
    for namespace in functions.chunk_by(|one, next| one.namespace == next.namespace) {
        let object = Object::new(ctx.clone())?;
        for function in namespace {
            add(&object, method(function), function.asynchronous)?;
            intrinsics.freeze.call::<_, ()>((object.get::<_, Function<'_>>(function.name.as_str())?,))?;
        }
        intrinsics.freeze.call::<_, ()>((object.clone(),))?;
        define(&g, &namespace[0].namespace, object.into_value())?;
    }
    intrinsics.freeze.call((g,))
}

/// Returns the description of a method in errors. It is never freed, because the instance ends with the run.
fn method(function: &FunctionInfo) -> &'static Method {
    let namespace = function.namespace.clone().leak();
    Box::leak(Box::new(Method { namespace, name: function.name.clone().leak(), waits: false }))
}

fn add(object: &Object<'_>, method: &'static Method, is_asynchronous: bool) -> quickjs::Result<()> {
    if is_asynchronous {
        return add_method(object, method.name, method, 0, Kind::Promise, move |ctx, arguments| {
            let arguments = arguments.all(from_script::json)?;
            let call = host::call_async(method.namespace.to_owned(), method.name.to_owned(), arguments);
            start(ctx, method, call, to_script::json)
        });
    }
    add_method(object, method.name, method, 0, Kind::Value, move |ctx, arguments| {
        let arguments = arguments.all(from_script::json)?;
        let result = host::call(method.namespace, method.name, &arguments)?;
        Ok(to_script::json(ctx, result)?)
    })
}
