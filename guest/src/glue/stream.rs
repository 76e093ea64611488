//! Streams: arguments that are read during the call.

use std::{future::Future, pin::pin};

use futures::future::{Either, select};
use javy::quickjs::{Ctx, Persistent};
use wit_bindgen::{StreamReader, StreamWriter};

use super::error::{CallError, HostError};
use crate::{bindings::wit_stream, calls, runtime};

/// The source of a stream.
pub trait Parts: 'static {
    /// Returns the next part; an empty one at the end.
    fn next(&mut self, ctx: &Ctx<'_>) -> Result<String, CallError>;
}

/// Creates a stream for the host, and the future that sends its parts. If a part fails, the stream ends without the
/// empty part that marks its end.
pub fn open(parts: impl Parts) -> (StreamReader<String>, impl Future<Output = Result<(), CallError>>) {
    let (writer, reader) = wit_stream::new();
    (reader, send(writer, parts))
}

async fn send(mut writer: StreamWriter<String>, mut parts: impl Parts) -> Result<(), CallError> {
    loop {
        let part = runtime::with(|ctx| parts.next(&ctx).map_err(|error| detached(&ctx, error)));
        calls::script_ran();
        let part = part?;
        let is_last = part.is_empty();
        let is_refused = writer.write_one(part).await.is_some();
        if is_last || is_refused {
            return Ok(());
        }
    }
}

/// Returns an error that stays valid after the script continues: a pending exception is taken out of the engine.
fn detached(ctx: &Ctx<'_>, error: CallError) -> CallError {
    match error {
        CallError::Script(error) if error.is_exception() => CallError::Thrown(Persistent::save(ctx, ctx.catch())),
        other => other,
    }
}

/// Runs a call and the future that sends its stream. An error of the script's data cancels the call, which might
/// otherwise wait for long.
pub async fn with_call<T>(
    call: impl Future<Output = Result<T, HostError>>,
    sending: impl Future<Output = Result<(), CallError>>,
) -> Result<T, CallError> {
    match select(pin!(call), pin!(sending)).await {
        Either::Left((answer, _)) => Ok(answer?),
        Either::Right((sent, call)) => {
            sent?;
            Ok(call.await?)
        }
    }
}
