//! Streams: arguments that are read while the call is under way.

use std::{future::Future, pin::pin};

use futures::future::{Either, select};
use javy::quickjs::{Ctx, Persistent};
use wit_bindgen::{StreamReader, StreamWriter};

use super::fault::{Fault, HostError};
use crate::{bindings::wit_stream, calls, runtime};

/// What a stream is fed with.
pub trait Parts: 'static {
    /// Makes the next part; it is empty at the end.
    fn next(&mut self, ctx: &Ctx<'_>) -> Result<String, Fault>;
}

/// A stream for the host, and what feeds it. When that fails, the stream stops without the empty part at its end.
pub fn open(parts: impl Parts) -> (StreamReader<String>, impl Future<Output = Result<(), Fault>>) {
    let (writer, reader) = wit_stream::new();
    (reader, feed(writer, parts))
}

async fn feed(mut writer: StreamWriter<String>, mut parts: impl Parts) -> Result<(), Fault> {
    loop {
        let part = runtime::with(|ctx| parts.next(&ctx).map_err(|fault| kept(&ctx, fault)));
        calls::script_ran();
        let part = part?;
        let is_last = part.is_empty();
        let is_refused = writer.write_one(part).await.is_some();
        if is_last || is_refused {
            return Ok(());
        }
    }
}

/// A fault that outlives the script's turn: an exception does not stay in the engine.
fn kept(ctx: &Ctx<'_>, fault: Fault) -> Fault {
    match fault {
        Fault::Script(error) if error.is_exception() => Fault::Thrown(Persistent::save(ctx, ctx.catch())),
        other => other,
    }
}

/// A call and what feeds it. What the script gave wrong is told at once, and the call is given up: it may wait for long.
pub async fn beside<T>(
    call: impl Future<Output = Result<T, HostError>>,
    feed: impl Future<Output = Result<(), Fault>>,
) -> Result<T, Fault> {
    match select(pin!(call), pin!(feed)).await {
        Either::Left((answer, _)) => Ok(answer?),
        Either::Right((fed, call)) => {
            fed?;
            Ok(call.await?)
        }
    }
}
