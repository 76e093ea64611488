//! The globals as a script meets them, in an engine without a host.

mod clone;
mod console;
mod dom_exception;
mod encoding;
mod globals;
mod url;

use javy::quickjs::{Coerced, Value, context::EvalOptions};

/// Evaluates the statements of a block and returns its value as text. A thrown error is returned in the same way.
fn evaluate(script: &str) -> String {
    crate::runtime::with(|ctx| {
        let mut options = EvalOptions::default();
        options.filename = Some("script.js".to_owned());
        let value =
            ctx.eval_with_options::<Value, _>(format!("{{ {script} }}"), options).unwrap_or_else(|_| ctx.catch());
        value.get::<Coerced<String>>().unwrap().0
    })
}
