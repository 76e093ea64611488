//! The calls in flight: promises that the host will answer.

use std::{
    cell::{Cell, RefCell},
    future::Future,
    pin::Pin,
};

use javy::quickjs::{Ctx, Error, Persistent, Result, Value};

use crate::glue::Method;

/// A call in flight; it gives what settles its promise.
pub type Call = Pin<Box<dyn Future<Output = Box<dyn FnOnce(&Ctx<'_>) -> Result<()>>>>>;

thread_local! {
    /// Started since the event loop looked last.
    static STARTED: RefCell<Vec<(&'static Method, Call)>> = const { RefCell::new(Vec::new()) };
    /// Code of the script's ran since then, while a call was waited for.
    static RAN: Cell<bool> = const { Cell::new(false) };
}

/// To be called when a call runs code of the script's before it is answered: a getter that it meets may start timers, jobs
/// and other calls.
pub fn script_ran() {
    RAN.set(true);
}

/// Whether code of the script's ran since the last time.
pub fn take_ran() -> bool {
    RAN.take()
}

/// Starts a call and gives its promise. `finish` makes the value of what the call answered, or throws.
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

/// The calls that were started since the last time.
pub fn take_started() -> Vec<(&'static Method, Call)> {
    STARTED.take()
}

fn thrown<'js>(ctx: &Ctx<'js>, error: Error) -> Result<Value<'js>> {
    if error.is_exception() { Ok(ctx.catch()) } else { Err(error) }
}
