//! The calls in flight: promises that settle when the host answers.

use std::{
    cell::{Cell, RefCell},
    future::Future,
    pin::Pin,
};

use javy::quickjs::{Ctx, Error, Persistent, Result, Value};

use crate::glue::Method;

/// A call in flight. It returns a function that settles its promise.
pub type Call = Pin<Box<dyn Future<Output = Box<dyn FnOnce(&Ctx<'_>) -> Result<()>>>>>;

thread_local! {
    /// The calls that were started since the last `take_started`.
    static STARTED: RefCell<Vec<(&'static Method, Call)>> = const { RefCell::new(Vec::new()) };
    /// Whether code of the script ran while the event loop waited for a call.
    static RAN: Cell<bool> = const { Cell::new(false) };
}

/// Records that a call has run code of the script before its answer. A getter may start timers, jobs and other calls.
pub fn script_ran() {
    RAN.set(true);
}

/// Returns whether code of the script ran since the last call of this function.
pub fn take_ran() -> bool {
    RAN.take()
}

/// Starts a call and returns its promise. `finish` converts the answer to a value, or throws.
pub fn start<'js, T: 'static>(
    ctx: &Ctx<'js>,
    method: &'static Method,
    call: impl Future<Output = T> + 'static,
    finish: impl for<'a> FnOnce(&Ctx<'a>, T) -> Result<Value<'a>> + 'static,
) -> Result<Value<'js>> {
    let (promise, resolve, reject) = ctx.promise()?;
    let (resolve, reject) = (Persistent::save(ctx, resolve), Persistent::save(ctx, reject));
    let call: Call = Box::pin(async move {
        let answer = call.await;
        Box::new(move |ctx: &Ctx<'_>| match finish(ctx, answer) {
            Ok(value) => resolve.restore(ctx)?.call((value,)),
            Err(error) => reject.restore(ctx)?.call((thrown(ctx, error)?,)),
        }) as Box<dyn FnOnce(&Ctx<'_>) -> Result<()>>
    });
    STARTED.with_borrow_mut(|started| started.push((method, call)));
    Ok(promise.into_value())
}

/// Returns the calls that were started since the last call of this function.
pub fn take_started() -> Vec<(&'static Method, Call)> {
    STARTED.take()
}

fn thrown<'js>(ctx: &Ctx<'js>, error: Error) -> Result<Value<'js>> {
    if error.is_exception() { Ok(ctx.catch()) } else { Err(error) }
}
