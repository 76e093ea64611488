//! Downloads an object as a text, or to a local file.

use bytes::Bytes;
use tokio::task::spawn_blocking;

use super::{Place, content::Content, store::Store, transfer::Observed};
use crate::{
    Error, ErrorCode,
    directory::{Draft, NewFile},
    gate::Call,
    run::Files,
};

/// At least how many bytes are written to a file at a time. The next bytes arrive while these are written.
const STEP: usize = 1 << 20;

/// Returns the content of an object as text.
pub(super) async fn text(call: &Call<'_>, store: &Store, place: Place) -> Result<String, Error> {
    let mut content = Content::open(store, place).await?;
    let mut counter = call.answer_counter();
    let length = usize::try_from(content.length()).unwrap_or(usize::MAX);
    counter.grow(length)?;
    let mut text = Vec::with_capacity(length);
    while let Some(bytes) = content.next().await? {
        text.extend_from_slice(&bytes);
    }
    String::from_utf8(text).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = format!("the object is not UTF-8: the byte at {at} is not valid; use getObject");
        Error::new(ErrorCode::Data, message)
    })
}

/// Downloads an object to a local file.
pub(super) async fn file(
    call: &Call<'_>,
    store: &Store,
    files: &Files,
    place: Place,
    local_path: &str,
) -> Result<(), Error> {
    // Refuses a path that is not allowed before anything is sent.
    let (directory, path) = (files.directory.clone(), local_path.to_owned());
    on_thread(move || directory.check_target(&path)).await?;
    let _permit = store.transfer().await?;
    let content = Content::open(store, place).await?;
    let observed = Observed::begin(files.transfers.as_ref(), content.length());
    let (directory, path) = (files.directory.clone(), local_path.to_owned());
    // When the call is cancelled, a thread that creates or writes the file goes on; the guard removes the file
    // nevertheless.
    let draft = call.guard(Draft::default(), discard);
    let shared = draft.clone();
    let file = on_thread(move || directory.create(&path, &shared)).await?;
    let file = save(content, file, &observed).await?;
    // Only the last step makes the file visible, so a call that is cancelled before that leaves nothing behind.
    let file = on_thread(move || file.sync().map(|()| file)).await?;
    on_thread(move || file.commit()).await?;
    draft.done();
    Ok(())
}

/// Removes the unfinished file of a download. Once this function has returned, no thread begins to move the file to its
/// target; the returned future deletes the file.
fn discard(draft: Draft) -> impl Future<Output = ()> + Send + 'static {
    draft.cancel();
    async move {
        let removed = on_thread(move || {
            draft.remove();
            Ok(())
        });
        if let Err(error) = removed.await {
            tracing::warn!("an unfinished file may be left: {error}");
        }
    }
}

/// Writes a content to a file: one step is written while the next one arrives.
async fn save(mut content: Content<'_>, mut file: NewFile, observed: &Observed) -> Result<NewFile, Error> {
    let mut step = receive(&mut content).await?;
    while !step.is_empty() {
        let bytes: usize = step.iter().map(Bytes::len).sum();
        let written = on_thread(move || file.write(&step).map(|()| file));
        // Waits for both, even if one fails: no thread then holds the file, so it is removed before the call returns.
        let (written, received) = tokio::join!(written, receive(&mut content));
        (file, step) = (written?, received?);
        observed.advance(bytes as u64);
    }
    Ok(file)
}

/// Returns the bytes of the next step; empty at the end.
async fn receive(content: &mut Content<'_>) -> Result<Vec<Bytes>, Error> {
    let (mut step, mut length) = (Vec::new(), 0);
    while length < STEP
        && let Some(bytes) = content.next().await?
    {
        length += bytes.len();
        step.push(bytes);
    }
    Ok(step)
}

/// Runs blocking work on a thread for that.
pub(super) async fn on_thread<R: Send + 'static>(
    work: impl FnOnce() -> Result<R, Error> + Send + 'static,
) -> Result<R, Error> {
    spawn_blocking(work).await.map_err(Error::internal)?
}
