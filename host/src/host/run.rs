//! One run: an instance of its own, one deadline for the script and for what the host does for it, the outcome.

use std::{sync::Arc, time::Duration};

use serde::de::IgnoredAny;
use tokio::time::{Instant, timeout_at};
use wasmtime::{Store, UpdateDeadline};

use super::{Host, Script};
use crate::{
    Failure, Limits, Outcome, RunOptions,
    bindings::script::ScriptPre,
    bundle::World,
    console::Console,
    directory::Directory,
    engine::Ticking,
    functions::RunFunctions,
    gate::Gate,
    run::{Files, State, outcome_of},
};

/// The maximum number of entries that an instance may have in each of Wasmtime's own tables: handles, and calls in progress.
const MAX_HANDLES: usize = 100_000;

/// How long after the deadline the host may take to write the console and to abort the checkouts of a run that failed.
const END_TIMEOUT: Duration = Duration::from_secs(1);

impl Host {
    /// Compiles JavaScript to bytecode, inside the sandbox.
    pub(super) async fn compile(&self, name: &str, source: &str, limits: &Limits) -> Result<Vec<u8>, Failure> {
        let limits = Limits { console: 0, result: 0, calls: 0, buffers: 0, ..self.bounded(limits) };
        let deadline = Instant::now() + limits.time;
        let gate = Gate::new(&limits, deadline, None, Arc::clone(self.connections()));
        let state = State::new(Console::collecting(0, None), &limits, Arc::new([]), gate);
        let slot = timeout_at(deadline, self.slot()).await;
        let _slot = slot.map_err(|_| Failure::Time { limit: limits.time })?;
        let (mut store, _ticking) = self.store(state, deadline);
        let compiled = timeout_at(deadline, async {
            // Either engine can run bytecode compiled by the other, so always compile with the full engine: most runs then
            // load only one.
            let javascript = self.javascript(World::Script).map_err(outcome_of::mark_internal)?;
            let engine = javascript.compiler.instantiate_async(&mut store).await.map_err(outcome_of::mark_internal)?;
            engine.call_compile(&mut store, name, source).await
        });
        let returned = outcome_of::call(compiled.await, store.data(), &limits)?;
        outcome_of::compilation(returned, &limits)
    }

    /// Runs a script, and returns when it and all that it started have ended and what it wrote is on disk.
    ///
    /// Needs a Tokio runtime with its time driver (`enable_time`). If all slots of
    /// [`Instances::Pool`](crate::Instances::Pool) are in use, a run waits for one before it starts. A run that is dropped before
    /// it returns is stopped; what its calls wrote stays. While another process has the workspace, a call that needs it waits for
    /// at most 5 s. The wait does not block a thread of the runtime, except in a rare case: if another process takes the
    /// workspace again just before the call.
    pub async fn run(&self, script: &Script, options: RunOptions) -> Outcome {
        let started = options.since.map_or_else(Instant::now, Instant::from_std);
        let (limits, origin) = (self.bounded(&options.limits), options.origin);
        let deadline = started + limits.time;
        let console = match options.console {
            Some(sink) => Console::writing(sink, self.connections().tasks(), limits.console, options.workspace.clone()),
            None => Console::collecting(limits.console, options.workspace.clone()),
        };
        // For a run that is dropped; `console.end` below is the regular end.
        let _end_on_drop = console.end_on_drop();
        let gate = Gate::new(&limits, deadline, options.secrets, Arc::clone(self.connections()));
        let mut state = State::new(console.clone(), &limits, script.bytecode(), gate);
        state.set_read_only(options.read_only);
        state.set_files(Files { directory: Directory::of(options.directory), transfers: options.transfers });
        state.set_functions(RunFunctions::new(Arc::clone(self.functions()), options.context));
        let lease_keeper = state.lease_keeper(options.workspace.clone());
        if let Some(workspace) = options.workspace {
            state.enter(workspace, deadline, &limits);
        }

        let slot = timeout_at(deadline, self.slot()).await;
        let (mut store, ticking) = self.store(state, deadline);
        let linked = match &slot {
            // Compilation may have used up the time; a script that ends before the first tick would still run, so check
            // here.
            Ok(_) if Instant::now() < deadline => {
                are_json(&options.arguments).and_then(|()| script.linked(self, origin))
            }
            _ => Err(Failure::Time { limit: limits.time }),
        };
        let ended = match linked {
            Ok(linked) => lease_keeper.during(call(&mut store, &linked, options.arguments, deadline, &limits)).await,
            Err(failure) => Err(failure),
        };
        drop(ticking);
        let is_over = Instant::now() >= deadline;
        let result = ended.and_then(|returned| outcome_of::script(returned, origin, &limits, &console));
        let truncated = result.as_ref().is_ok_and(|result| result.is_cut);
        // The deadline stops a call of `g` by throwing an error in the script. If the script then ends with an exception, the run
        // fails by its time limit, not by this exception.
        let result = match result.map(|result| result.json) {
            Err(Failure::Exception(_)) if is_over => Err(Failure::Time { limit: limits.time }),
            other => other,
        };

        let mut state = store.into_data();
        drop(slot);
        let notices = state.take_notices();
        let (saved, mut figures) = state.end().await;
        let (mut result, until) = (saved.and(result), deadline + END_TIMEOUT);
        // A run whose console can't be written in time fails. Its checkouts are then aborted, so this comes before
        // `lease_keeper.end`.
        if result.is_ok() && !console.end(until).await {
            result = Err(Failure::Time { limit: limits.time });
        }
        figures.time = started.elapsed();
        lease_keeper.end(result.as_ref().err(), until.into_std()).await;
        // The console of a run that failed; that of any other is already written.
        console.end(until).await;
        Outcome { result, truncated, console: console.collected(), notices, figures }
    }

    /// A store for one instance. The script yields at each tick, and is stopped at the first tick past its deadline.
    fn store(&self, state: State, deadline: Instant) -> (Store<State>, Ticking) {
        let mut store = Store::new(self.engine(), state);
        store.limiter(|state| &mut state.memory);
        store.set_hostcall_fuel(store.data().memory.call_bytes());
        store.set_max_component_handles(MAX_HANDLES);
        if let Some(tasks) = store.concurrent_resource_table() {
            tasks.set_max_capacity(MAX_HANDLES);
        }
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(move |mut store| match Instant::now() < deadline {
            true => {
                store.set_hostcall_fuel(store.data().memory.call_bytes());
                // Tokio's own yield: a busy script that is woken at once would starve timers and sockets.
                Ok(UpdateDeadline::YieldCustom(1, Box::pin(tokio::task::yield_now())))
            }
            false => Ok(UpdateDeadline::Interrupt),
        });
        (store, self.ticker().start())
    }
}

/// Refuses arguments that are not JSON: an invalid argument is the caller's error, not the script's.
fn are_json(arguments: &[String]) -> Result<(), Failure> {
    arguments.iter().enumerate().try_for_each(|(at, argument)| {
        let read: Result<IgnoredAny, _> = serde_json::from_str(argument);
        read.map(drop).map_err(|error| Failure::NotStarted(format!("arguments[{at}] is not JSON: {error}")))
    })
}

/// Calls `run`, until it ends, its time is over, or its unsaved writes are lost.
async fn call(
    store: &mut Store<State>,
    linked: &ScriptPre<State>,
    arguments: Vec<String>,
    deadline: Instant,
    limits: &Limits,
) -> Result<outcome_of::Returned, Failure> {
    let lost = store.data().loss_notification();
    let called = tokio::select! {
        called = timeout_at(deadline, instantiate_and_call(store, linked, arguments)) => called,
        () = lost.notified() => return Err(store.data().loss()),
    };
    outcome_of::call(called, store.data(), limits)
}

async fn instantiate_and_call(
    store: &mut Store<State>,
    linked: &ScriptPre<State>,
    arguments: Vec<String>,
) -> wasmtime::Result<outcome_of::Returned> {
    let instance = linked.instantiate_async(&mut *store).await.map_err(outcome_of::mark_internal)?;
    store.run_concurrent(async |accessor| instance.call_run(accessor, arguments).await).await?
}
