//! A run: loads the module, calls `main`, runs the event loop, returns the result.

use std::{
    cell::RefCell,
    future,
    pin::{Pin, pin},
    task::Poll,
    time::Instant,
};

use futures::{
    FutureExt, StreamExt,
    future::{Either, select},
    stream::FuturesUnordered,
};
use javy::quickjs::{Ctx, Exception, Object, Persistent, Value, function::Args, promise::PromiseState};

use crate::{
    bindings::ghost::g::{console, functions, program as script, runtime as host, types::Failure},
    builtins,
    calls::{self, Call},
    exception,
    glue::{
        self, Method,
        json::{self, Path, WriteError, Written},
    },
    memory, program, runtime, timers,
};

type Saved = Persistent<Value<'static>>;
type Calls = FuturesUnordered<Pin<Box<dyn Future<Output = Answered>>>>;
type Answered = (&'static Method, Box<dyn FnOnce(&Ctx<'_>) -> javy::quickjs::Result<()>>);

thread_local! {
    /// Rejected promises without a handler, with their reasons; also the exceptions of timers and jobs.
    static UNHANDLED: RefCell<Vec<(Option<Saved>, Saved)>> = const { RefCell::new(Vec::new()) };
}

/// Loads the script, calls `main` with the arguments, and returns its result as JSON.
pub async fn run(arguments: Vec<String>) -> Result<Option<String>, Failure> {
    memory::limit(host::memory());
    builtins::start_clock();
    let functions = functions::list();
    attempt(|ctx| glue::functions::install(ctx, &functions))?;
    let bytecode = script::bytecode();
    let mut events = Events::default();
    let (exports, evaluated) = attempt(|ctx| {
        let (module, promise) = program::load(ctx, &bytecode)?.eval()?;
        Ok((Persistent::save(ctx, module.namespace()?), Persistent::save(ctx, promise.into_value())))
    })?;
    events.settled(&evaluated).await?;
    let returned = attempt(|ctx| call_main(ctx, exports, &arguments))?.ok_or(Failure::NoMain)?;
    let value = events.settled(&returned).await?;
    events.finish().await?;
    nothing_unhandled()?;
    attempt(|ctx| result(ctx, value.restore(ctx)?))
}

/// Calls `main` and returns its result; none if `main` is not a function.
fn call_main(
    ctx: &Ctx<'_>,
    exports: Persistent<Object<'static>>,
    arguments: &[String],
) -> javy::quickjs::Result<Option<Saved>> {
    let Some(main) = program::entry(&exports.restore(ctx)?) else { return Ok(None) };
    let mut call = Args::new(ctx.clone(), arguments.len());
    for argument in arguments {
        call.push_arg(ctx.json_parse(argument.as_str())?)?;
    }
    let returned = builtins::awaitable(ctx, main.call_arg(call)?)?;
    Ok(Some(Persistent::save(ctx, returned)))
}

/// Converts the result of `main` to JSON; none for `undefined`. Writes a line to the console if the JSON omits
/// something.
fn result<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> javy::quickjs::Result<Option<String>> {
    if value.is_undefined() {
        return Ok(None);
    }
    let name = |path: &Path| match path.to_string() {
        path if path.is_empty() => "the result".to_owned(),
        path => format!("the result's {}", path.trim_start_matches('.')),
    };
    match json::loose(&value) {
        Ok(Written { text: Some(text), lost }) => {
            if let Some(lost) = lost {
                console::write(console::Level::Warn, &lost.message(name));
            }
            Ok(Some(text))
        }
        Ok(Written { text: None, .. }) => {
            let kind = value.type_of();
            Err(Exception::throw_type(ctx, &format!("the result is a {kind}, which JSON can't hold")))
        }
        Err(WriteError::Thrown(error)) => Err(error),
        Err(error @ WriteError::TooDeep(_)) => Err(Exception::throw_range(ctx, &error.message(name))),
        Err(error) => Err(Exception::throw_type(ctx, &error.message(name))),
    }
}

/// Calls a function that may throw, and converts its exception.
fn attempt<T>(f: impl for<'js> FnOnce(&Ctx<'js>) -> javy::quickjs::Result<T>) -> Result<T, Failure> {
    runtime::with(|ctx| f(&ctx).map_err(|error| failure(exception::of_error(&ctx, error))))
}

fn failure(exception: crate::bindings::ghost::g::types::Exception) -> Failure {
    if exception::is_out_of_memory(&exception) { Failure::OutOfMemory } else { Failure::Exception(exception) }
}

fn thrown(value: Saved) -> Failure {
    runtime::with(|ctx| match value.restore(&ctx) {
        Ok(value) => failure(exception::of_value(&ctx, &value)),
        Err(error) => failure(exception::of_error(&ctx, error)),
    })
}

/// The sources of events: calls in flight, waits and timers.
#[derive(Default)]
struct Events {
    calls: Calls,
    in_flight: Vec<&'static Method>,
    /// Calls that only wait. They are dropped when `main` has settled.
    waits: Calls,
    is_settled: bool,
}

impl Events {
    /// Runs the event loop until a promise has settled, and returns its result. Returns any other value at once.
    async fn settled(&mut self, value: &Saved) -> Result<Saved, Failure> {
        loop {
            self.run_jobs();
            if let Some(settled) = state(value)? {
                return settled.map_err(thrown);
            }
            if !self.next().await? {
                // When memory ran out, a callback of a promise may have been lost, so that `main` never settles.
                return Err(if memory::was_used_up() { Failure::OutOfMemory } else { Failure::Stalled });
            }
        }
    }

    /// Waits for the calls that are still in flight, so that a forgotten `await` loses no write. Drops timers and
    /// waits.
    async fn finish(&mut self) -> Result<(), Failure> {
        self.is_settled = true;
        self.waits.clear();
        self.run_jobs();
        if !self.in_flight.is_empty() {
            let names: Vec<_> = self.in_flight.iter().map(|m| format!("g.{}.{}", m.namespace, m.name)).collect();
            let text = format!("main returned before these calls had ended; await them: {}", names.join(", "));
            console::write(console::Level::Warn, &text);
        }
        while !self.in_flight.is_empty() {
            self.next().await?;
            self.run_jobs();
        }
        Ok(())
    }

    /// Runs all pending jobs, and registers the calls that they start.
    fn run_jobs(&mut self) {
        let runtime = runtime::get().context().runtime();
        loop {
            match runtime.execute_pending_job() {
                Ok(true) => {}
                Ok(false) => break,
                Err(_) => runtime::with(|ctx| remember(None, Persistent::save(&ctx, ctx.catch()))),
            }
        }
        for (method, call) in calls::take_started() {
            match method.waits {
                true if self.is_settled => {}
                true => self.waits.push(answered(method, call)),
                false => {
                    self.in_flight.push(method);
                    self.calls.push(answered(method, call));
                }
            }
        }
    }

    /// Waits for one event and handles it. Returns false if no event can occur.
    async fn next(&mut self) -> Result<bool, Failure> {
        let now = Instant::now();
        let timer = timers::next().filter(|_| !self.is_settled);
        if timer.is_some_and(|at| at <= now) {
            runtime::with(|ctx| match timers::run_due(&ctx, now) {
                Ok(_) => {}
                Err(_) => remember(None, Persistent::save(&ctx, ctx.catch())),
            });
            return Ok(true);
        }
        let (method, settle) = match self.wait(timer, now).await {
            Event::Answered(answered) => answered,
            Event::Recheck => return Ok(true),
            Event::Nothing => return Ok(false),
        };
        if !method.waits {
            let position = self.in_flight.iter().position(|other| std::ptr::eq(*other, method));
            position.map(|position| self.in_flight.swap_remove(position));
        }
        attempt(|ctx| settle(ctx)).map(|()| true)
    }

    /// Waits for the first event.
    async fn wait(&mut self, timer: Option<Instant>, now: Instant) -> Event {
        let nothing = self.calls.is_empty() && self.waits.is_empty();
        let event = first(&mut self.calls, &mut self.waits);
        let Some(at) = timer else {
            return if nothing { Event::Nothing } else { event.await };
        };
        // Rounded up to a millisecond, so that a timer never fires early.
        let milliseconds = (at - now).as_micros().div_ceil(1000) as u64;
        match select(pin!(event), Box::pin(host::sleep(milliseconds))).await {
            Either::Left((event, _)) => event,
            Either::Right(((), _)) => Event::Recheck,
        }
    }
}

/// What `wait` returns.
enum Event {
    Answered(Answered),
    /// A timer is due, or code of the script ran: there may be new jobs, timers and calls.
    Recheck,
    /// No event can occur.
    Nothing,
}

/// Waits for the first answered call or wait; never returns if there is neither, unless code of
/// the script ran.
async fn first(calls: &mut Calls, waits: &mut Calls) -> Event {
    let mut answered = select(next_of(calls), next_of(waits));
    future::poll_fn(|context| match answered.poll_unpin(context) {
        Poll::Ready(Either::Left((answered, _)) | Either::Right((answered, _))) => {
            Poll::Ready(answered.map_or(Event::Nothing, Event::Answered))
        }
        Poll::Pending if calls::take_ran() => Poll::Ready(Event::Recheck),
        Poll::Pending => Poll::Pending,
    })
    .await
}

fn next_of(calls: &mut Calls) -> impl Future<Output = Option<Answered>> + Unpin {
    if calls.is_empty() { future::pending().left_future() } else { calls.next().right_future() }
}

fn answered(method: &'static Method, call: Call) -> Pin<Box<dyn Future<Output = Answered>>> {
    Box::pin(call.map(move |settle| (method, settle)))
}

/// Returns the result of a promise, or the value itself; none for a pending promise.
fn state(value: &Saved) -> Result<Option<Result<Saved, Saved>>, Failure> {
    attempt(|ctx| {
        let value = value.clone().restore(ctx)?;
        let Some(promise) = value.as_promise() else { return Ok(Some(Ok(Persistent::save(ctx, value)))) };
        let save = |value| Persistent::save(ctx, value);
        Ok(match promise.state() {
            PromiseState::Pending => None,
            _ => match promise.result::<Value<'_>>() {
                Some(Ok(value)) => Some(Ok(save(value))),
                Some(Err(_)) => {
                    forget(ctx, &value); // the run reports it
                    Some(Err(save(ctx.catch())))
                }
                None => None,
            },
        })
    })
}

/// Tracks rejected promises that have no handler.
pub fn track_rejections(runtime: &javy::quickjs::Runtime) {
    runtime.set_host_promise_rejection_tracker(Some(Box::new(rejected)));
}

fn rejected<'js>(ctx: Ctx<'js>, promise: Value<'js>, reason: Value<'js>, handled: bool) {
    if handled {
        forget(&ctx, &promise);
    } else {
        remember(Some(Persistent::save(&ctx, promise)), Persistent::save(&ctx, reason));
    }
}

fn remember(promise: Option<Saved>, reason: Saved) {
    UNHANDLED.with_borrow_mut(|unhandled| unhandled.push((promise, reason)));
}

fn forget<'js>(ctx: &Ctx<'js>, promise: &Value<'js>) {
    let same = |saved: &Option<Saved>| {
        saved.clone().is_some_and(|saved| saved.restore(ctx).is_ok_and(|other| other == *promise))
    };
    UNHANDLED.with_borrow_mut(|unhandled| unhandled.retain(|(other, _)| !same(other)));
}

fn nothing_unhandled() -> Result<(), Failure> {
    match UNHANDLED.with_borrow_mut(|unhandled| unhandled.drain(..).next()) {
        Some((_, reason)) => Err(thrown(reason)),
        None => Ok(()),
    }
}
