//! The gate, with a namespace of the tests' own.

use std::{
    future::{Future, pending},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::time::{Instant, sleep};

use super::{CLEAN_UP_TIMEOUT, Call, CleanupGuard, Connections, Gate, Pool};
use crate::{
    Error, ErrorCode, Limits, Origin, Timeouts,
    data::store,
    secrets::{Secret, Secrets},
    workspace::{Create, Session, Workspace},
};

fn limits(calls: usize) -> Limits {
    Limits { calls, buffers: 100, ..Limits::of(Origin::Local) }
}

fn gate(calls: usize, deadline: Duration) -> Gate {
    Gate::new(&limits(calls), Instant::now() + deadline, None, Arc::new(Connections::default()))
}

const LONG: Duration = Duration::from_secs(3_600);

/// A call without arguments.
async fn call<T>(gate: &Gate, work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    gate.call((), async |_, ()| work.await).await
}

async fn answers_after(time: Duration) -> Result<(), Error> {
    sleep(time).await;
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_call_has_the_time_of_the_run() {
    let (gate, start) = (gate(1, LONG), Instant::now());
    call(&gate, answers_after(LONG - Duration::from_secs(1))).await.unwrap();
    let error = call(&gate, pending::<Result<(), Error>>()).await.unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (ErrorCode::Timeout, "no answer within 1s"));
    assert_eq!(start.elapsed().as_secs(), LONG.as_secs());
}

#[tokio::test(start_paused = true)]
async fn no_call_is_longer_than_the_run() {
    let (gate, start) = (gate(1, Duration::from_secs(3)), Instant::now());
    assert_eq!(call(&gate, answers_after(LONG)).await.unwrap_err().message, "no answer within 3s");
    assert_eq!(start.elapsed().as_secs(), 3);
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_permit_counts_against_the_deadline() {
    let (gate, start) = (gate(1, Duration::from_secs(10)), Instant::now());
    let (first, second) = tokio::join!(call(&gate, answers_after(LONG)), call(&gate, answers_after(Duration::ZERO)));
    assert_eq!(first.unwrap_err().message, "no answer within 10s");
    let message = second.unwrap_err().message;
    assert_eq!(
        message,
        "the call did not start within 10s: it waited for the run's earlier writes to be saved, or for one of 1 calls in flight to end"
    );
    assert_eq!(start.elapsed().as_secs(), 10);
}

#[tokio::test(start_paused = true)]
async fn no_more_calls_are_in_flight_than_the_limit_says() {
    let (gate, now, most) = (gate(4, LONG), AtomicUsize::new(0), AtomicUsize::new(0));
    let start = Instant::now();
    let work = async || {
        most.fetch_max(now.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
        sleep(Duration::from_secs(1)).await;
        now.fetch_sub(1, Ordering::Relaxed);
        Ok(())
    };
    let one = || call(&gate, work());
    let (a, b, c, d, e, f) = tokio::join!(one(), one(), one(), one(), one(), one());
    assert!([a, b, c, d, e, f].iter().all(Result::is_ok));
    assert_eq!(most.load(Ordering::Relaxed), 4);
    assert_eq!(start.elapsed().as_secs(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_call_gives_its_permit_back() {
    let gate = gate(1, LONG);
    let cancelled = tokio::time::timeout(Duration::from_secs(1), call(&gate, answers_after(LONG))).await;
    assert!(cancelled.is_err());
    assert!(call(&gate, answers_after(Duration::ZERO)).await.is_ok());
}

/// A connection that notes its clean-up.
fn connection(gate: &Gate, noted: &Arc<Mutex<Vec<&'static str>>>, cleaning: Duration) -> CleanupGuard<&'static str> {
    let noted = Arc::clone(noted);
    gate.call_for_tests().guard("connection", move |held| async move {
        noted.lock().unwrap().push("cancelled");
        sleep(cleaning).await;
        noted.lock().unwrap().push(held);
    })
}

#[tokio::test(start_paused = true)]
async fn the_resources_of_a_cancelled_call_are_cleaned_up_before_the_run_ends() {
    let (gate, noted) = (gate(1, Duration::from_secs(10)), Arc::default());
    let cancelled = call(&gate, async {
        let _connection = connection(&gate, &noted, Duration::from_millis(500));
        pending::<Result<(), Error>>().await
    });
    assert_eq!(cancelled.await.unwrap_err().code, ErrorCode::Timeout);
    let start = Instant::now();
    gate.finish_cleanup().await;
    assert_eq!(*noted.lock().unwrap(), ["cancelled", "connection"]);
    assert_eq!(start.elapsed().as_millis(), 500);
}

#[tokio::test(start_paused = true)]
async fn a_guard_that_is_done_cleans_nothing_up() {
    let (gate, noted) = (gate(1, LONG), Arc::default());
    let resource = call(&gate, async { Ok(connection(&gate, &noted, Duration::ZERO).done()) });
    assert_eq!(resource.await.unwrap(), "connection");
    gate.finish_cleanup().await;
    assert!(noted.lock().unwrap().is_empty(), "{noted:?}");
}

#[tokio::test(start_paused = true)]
async fn finishing_with_a_resource_is_not_cleaning_up_and_the_run_waits_for_it() {
    let (gate, noted) = (gate(1, LONG), Arc::default());
    let finished = Arc::clone(&noted);
    connection(&gate, &noted, Duration::ZERO).done_then(|_| async move {
        sleep(Duration::from_millis(500)).await;
        finished.lock().unwrap().push("returned to the pool");
    });
    let start = Instant::now();
    gate.finish_cleanup().await;
    assert_eq!(*noted.lock().unwrap(), ["returned to the pool"]);
    assert_eq!(start.elapsed().as_millis(), 500);
}

#[tokio::test(start_paused = true)]
async fn cleaning_up_takes_a_second_at_most() {
    let (connections, noted) = (Arc::new(Connections::default()), Arc::default());
    let gate = Gate::new(&limits(1), Instant::now() + LONG, None, Arc::clone(&connections));
    drop(connection(&gate, &noted, LONG));
    let start = Instant::now();
    tokio::join!(gate.finish_cleanup(), connections.finish_cleanup());
    assert_eq!((CLEAN_UP_TIMEOUT.as_secs(), start.elapsed().as_secs()), (1, 1));
    assert!(start.elapsed() <= CLEAN_UP_TIMEOUT + Duration::from_millis(5), "{:?}", start.elapsed());
    assert_eq!(*noted.lock().unwrap(), ["cancelled"]);
}

/// A run with a change that is not durable yet.
fn written(workspace: &Workspace) -> Session {
    let deadline = std::time::Instant::now() + LONG;
    let mut session = workspace.session(deadline, Box::new(|_| {}));
    session.call(|tables| store::put(tables, "collection", "key", "1")).unwrap();
    session
}

#[tokio::test]
async fn changes_of_the_script_are_durable_before_the_call_starts() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::at(folder.path(), Create::AtFirstUse).without_hurry();
    let session = written(&workspace);
    assert!(workspace.outstanding().is_some());
    let outstanding = async { Ok(workspace.outstanding()) };
    let seen = call(&gate(1, LONG).after_saving(session.unsaved()), outstanding).await.unwrap();
    assert_eq!(seen, None);
    assert!(session.unsaved().is_none(), "a second call waits for nothing");
}

#[tokio::test]
async fn a_call_of_a_run_that_lost_its_changes_does_not_start() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::at(folder.path(), Create::AtFirstUse).without_hurry();
    let mut session = written(&workspace);
    session.call(|_| -> Result<(), Error> { panic!("inside a call") }).unwrap_err();
    let started = AtomicUsize::new(0);
    let work = async { Ok(started.fetch_add(1, Ordering::Relaxed)) };
    let error = call(&gate(1, LONG).after_saving(session.unsaved()), work).await.unwrap_err();
    assert!(error.ends_run(), "{error}");
    assert_eq!(started.load(Ordering::Relaxed), 0);
}

#[test]
fn answers_are_counted_over_the_calls_of_a_run() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let gate = gate(1, LONG);
        let (mut one, mut other) = (gate.call_for_tests().answer_counter(), gate.call_for_tests().answer_counter());
        one.grow(60).unwrap();
        let refused = other.grow(41).unwrap_err();
        assert_eq!(refused.code, ErrorCode::Limit);
        assert!(refused.message.contains("the limit is 100"), "{refused}");
        drop(other);
        gate.call_for_tests().answer_counter().grow(40).unwrap();
        drop(one);
        gate.call_for_tests().answer_counter().grow(100).unwrap();
    });
}

#[tokio::test]
async fn arguments_are_counted_until_their_calls_have_ended() {
    let limits = Limits { memory: 100, ..limits(9) };
    let gate = Gate::new(&limits, Instant::now() + LONG, None, Arc::new(Connections::default()));
    let given = |bytes: usize| ("x".repeat(bytes),);
    let refused = gate.call(given(60), async |_, _| gate.call(given(41), async |_, _| Ok(())).await).await;
    let refused = refused.unwrap_err();
    assert_eq!(refused.code, ErrorCode::Limit);
    let message = "the arguments of all calls in flight are at least 101 bytes, the limit is 100; give less at a time";
    assert_eq!(refused.message, message);
    let with_stream = async |call: &Call<'_>, _: &(String,)| {
        let _counted = call.count_argument_bytes(40)?;
        gate.call(given(1), async |_, _| Ok(())).await
    };
    assert!(gate.call(given(60), with_stream).await.is_err());
    gate.call(given(100), async |_, _| Ok(())).await.unwrap();
}

/// A pool without connections, of a secret with these words.
struct Secretive(Vec<String>);

impl Pool for Secretive {
    fn from_secret(secret: &Secret, _: &Timeouts) -> Result<Self, Error> {
        Ok(Self(secret.expose().split('/').map(str::to_owned).collect()))
    }

    fn path_option(&self) -> Option<&'static str> {
        self.0.iter().any(|word| word == "path").then_some("option")
    }

    fn idle(&self) -> usize {
        1
    }

    fn close_idle(&self, _: Duration) {}

    fn address(&self) -> String {
        String::new()
    }

    fn secret_words(&self) -> &[String] {
        &self.0
    }
}

#[tokio::test]
async fn no_error_of_a_run_shows_the_words_of_its_secrets() {
    let gate = gate(1, LONG);
    let fail = async |_: &Call<'_>, (sql,): &(String,)| {
        Err::<(), _>(Error::new(ErrorCode::Backend, format!("orders of canary: {sql}")))
    };
    let secret = "canary/orders".to_owned().into();
    gate.call((), async |call, ()| call.pool::<Secretive>(&secret).map(drop)).await.unwrap();
    let error = gate.call(("select 1 from orders".to_owned(),), fail).await.unwrap_err();
    assert_eq!(error.message, "orders of (not shown): select 1 from orders");
}

#[tokio::test]
async fn a_path_in_a_secret_is_refused_where_the_secret_may_have_none() {
    let gate = gate(1, LONG);
    let open = async |secret: Secret| gate.call((), async |call, ()| call.pool::<Secretive>(&secret).map(drop)).await;
    let secret = || Secret::from("canary/path".to_owned());
    open(secret()).await.unwrap();
    let refused = open(secret().without_paths()).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::SecretInvalid);
    assert_eq!(refused.message, "file paths are not allowed here, but option of the connection string contains one");
}

#[tokio::test]
async fn a_name_leads_to_its_secret_or_to_an_error_that_shows_none() {
    let secrets = Secrets::new(|name| Ok((name == "orders").then(|| "postgres://canary".to_owned().into())));
    let gate = Gate::new(&limits(1), Instant::now() + LONG, Some(secrets), Arc::new(Connections::default()));
    let found = gate.call_for_tests().secret("orders").await.unwrap();
    assert_eq!(found.expose(), "postgres://canary");
    assert!(!format!("{found:?}").contains("canary"));
    assert_eq!(gate.call_for_tests().secret("other").await.unwrap_err().code, ErrorCode::SecretNotFound);
    let refused = gate.call_for_tests().secret("postgres://user:canary@host").await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::InvalidArgument);
    let advice = "conn is the name of a secret, not a connection string; to store one: ghost secret set NAME";
    assert_eq!(refused.message, advice);
}
