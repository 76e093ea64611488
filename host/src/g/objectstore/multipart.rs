//! Uploads in parts (S3's multipart uploads): each is begun, and then completed, or aborted when the call fails or is
//! cancelled.

use std::{pin::pin, sync::Arc, time::Duration};

use aws_sdk_s3::{
    operation::create_multipart_upload::builders::CreateMultipartUploadFluentBuilder,
    types::{CompletedMultipartUpload, CompletedPart},
};
use futures_util::{StreamExt, TryStreamExt, stream};
use tokio::{
    sync::oneshot,
    task::JoinHandle,
    time::{sleep, timeout},
};

use super::{
    Place,
    request::{Effect, attempt, request},
    store::{Store, without_stall_limit},
};
use crate::{
    Error,
    gate::{Call, CleanupGuard, error::protocol},
};

/// The maximum number of parts of an object.
const MAX_PARTS: u64 = 10_000;
/// The number of parts of one object that are sent at once.
const PARALLEL: usize = 4;

/// How long to wait before each abort of an upload. Together, the delays are less than half of the time limit for
/// cleaning up.
const ABORT_DELAYS: [Duration; 4] =
    [Duration::ZERO, Duration::from_millis(20), Duration::from_millis(100), Duration::from_millis(300)];

/// How long a call that failed waits for the server to abort its upload.
const ABORT_TIME: Duration = Duration::from_secs(10);

/// After a call was cancelled: how long to wait for the answer to its request to begin an upload, and then, as long
/// again, for the abort.
const LATE_TIME: Duration = Duration::from_secs(30);

/// A part of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// From 1.
    pub(super) number: i32,
    pub(super) offset: u64,
    pub(super) length: u64,
}

/// Divides an object into parts of at least `least` bytes; the last may be shorter.
pub(super) fn parts(length: u64, least: u64) -> impl Iterator<Item = Part> {
    let size = least.max(length.div_ceil(MAX_PARTS));
    (1..).zip(0..length.div_ceil(size)).map(move |(number, index)| {
        let offset = index * size;
        Part { number, offset, length: size.min(length - offset) }
    })
}

/// An upload in parts at the server. Dropping it aborts the upload.
pub(super) struct Multipart {
    begun: CleanupGuard<Begun>,
    upload: Arc<Upload>,
}

/// An upload that the server has begun.
struct Upload {
    store: Arc<Store>,
    place: Place,
    id: String,
}

/// An upload that the server may have begun.
enum Begun {
    /// The request to begin the upload was sent. Its task is not dropped with the call: the server would keep an upload
    /// whose id nobody knows.
    Asked {
        answer: oneshot::Receiver<Result<Upload, Error>>,
        task: JoinHandle<()>,
    },
    Known(Arc<Upload>),
}

impl Multipart {
    /// Begins an upload in parts.
    pub(super) async fn begin(
        call: &Call<'_>,
        store: &Arc<Store>,
        place: &Place,
        create: CreateMultipartUploadFluentBuilder,
    ) -> Result<Self, Error> {
        let create = create.bucket(&place.bucket).key(&place.key);
        let (sender, answer) = oneshot::channel();
        let task = tokio::spawn(ask(Arc::clone(store), place.clone(), create, sender));
        let mut begun = call.guard(Begun::Asked { answer, task }, Begun::end);
        let answer = match &mut *begun {
            Begun::Asked { answer, .. } => answer.await.map_err(Error::internal)?,
            Begun::Known(_) => Err(Error::internal("an upload begins once")),
        };
        match answer {
            Ok(upload) => {
                let upload = Arc::new(upload);
                *begun = Begun::Known(Arc::clone(&upload));
                Ok(Self { begun, upload })
            }
            Err(error) => {
                begun.done();
                Err(error)
            }
        }
    }

    /// Sends the parts, several at once, then completes the object. `send` sends one part with the id of the upload. If
    /// anything fails, the upload is aborted before this method returns, unless that takes more than `ABORT_TIME`.
    pub(super) async fn send<F>(
        self,
        parts: impl Iterator<Item = Part>,
        send: impl Fn(Part, String) -> F,
    ) -> Result<(), Error>
    where
        F: Future<Output = Result<CompletedPart, Error>>,
    {
        let sent = self.upload.send(parts, send).await;
        // The guard aborts the upload if the call is cancelled meanwhile, or if the server did not answer in time.
        if sent.is_ok() || timeout(ABORT_TIME, self.upload.abort()).await.is_ok() {
            self.begun.done();
        }
        sent
    }
}

/// Begins an upload, and passes it to the call. If the call is cancelled before the answer comes, this task waits for
/// it for another `LATE_TIME`, and aborts the upload.
async fn ask(
    store: Arc<Store>,
    place: Place,
    create: CreateMultipartUploadFluentBuilder,
    mut to_call: oneshot::Sender<Result<Upload, Error>>,
) {
    let mut asked = pin!(begin(store, place, create));
    let answer = tokio::select! {
        answer = &mut asked => Some(answer),
        () = to_call.closed() => timeout(LATE_TIME, asked).await.ok(),
    };
    let Some(answer) = answer else {
        tracing::warn!("a server did not say within {LATE_TIME:?} whether it has begun an upload in parts");
        return;
    };
    if let Err(Ok(upload)) = to_call.send(answer)
        && timeout(LATE_TIME, upload.abort()).await.is_err()
    {
        tracing::warn!("an upload in parts was not aborted within {LATE_TIME:?}");
    }
}

async fn begin(store: Arc<Store>, place: Place, create: CreateMultipartUploadFluentBuilder) -> Result<Upload, Error> {
    let answer = request(&store, Effect::Write, || create.clone().send()).await?;
    let id = answer.upload_id.ok_or_else(|| protocol("the upload has no id"))?;
    Ok(Upload { store, place, id })
}

impl Begun {
    /// Aborts the upload, as soon as its id is known.
    async fn end(self) {
        let (mut answer, task) = match self {
            Self::Known(upload) => return upload.abort().await,
            Self::Asked { answer, task } => (answer, task),
        };
        // If the answer has arrived, it is taken here; otherwise the task aborts the upload.
        answer.close();
        match answer.try_recv() {
            Ok(Ok(upload)) => upload.abort().await,
            Ok(Err(_)) => {}
            Err(_) => {
                if let Err(error) = task.await {
                    tracing::warn!("the request to begin an upload in parts ended early: {error}");
                }
            }
        }
    }
}

impl Upload {
    async fn send<F>(&self, parts: impl Iterator<Item = Part>, send: impl Fn(Part, String) -> F) -> Result<(), Error>
    where
        F: Future<Output = Result<CompletedPart, Error>>,
    {
        let sent = stream::iter(parts.map(|part| send(part, self.id.clone()))).buffer_unordered(PARALLEL);
        let mut sent: Vec<CompletedPart> = sent.try_collect().await?;
        sent.sort_unstable_by_key(CompletedPart::part_number);
        self.complete(sent).await
    }

    async fn complete(&self, parts: Vec<CompletedPart>) -> Result<(), Error> {
        let Self { store, place: Place { bucket, key }, id } = self;
        let parts = CompletedMultipartUpload::builder().set_parts(Some(parts)).build();
        request(store, Effect::Write, || {
            let complete = store.client.complete_multipart_upload().bucket(bucket).key(key).upload_id(id);
            complete.multipart_upload(parts.clone()).customize().config_override(without_stall_limit()).send()
        })
        .await?;
        Ok(())
    }

    /// Aborts the upload: the server removes its parts.
    async fn abort(&self) {
        let Self { store, place: Place { bucket, key }, id } = self;
        // A part that the server was still storing may recreate the upload, even after an abort was answered with "no
        // such upload" (versitygw creates the upload's folder again). So every abort is sent, whatever the previous one
        // returned.
        for delay in ABORT_DELAYS {
            sleep(delay).await;
            let aborted = attempt(store, Effect::Repeatable, || {
                store.client.abort_multipart_upload().bucket(bucket).key(key).upload_id(id).send()
            });
            match aborted.await {
                Ok(_) => {}
                Err(failure) if failure.status() == 404 || failure.code() == "NoSuchUpload" => {}
                Err(failure) => tracing::warn!(code = failure.code(), "an upload in parts was not aborted"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_an_object_without_a_gap() {
        for (length, least) in [(1, 1), (10, 3), (9, 3), (16 << 20, 8 << 20), ((5 << 40) - 1, 8 << 20), (100_001, 1)] {
            let parts: Vec<_> = parts(length, least).collect();
            assert!(parts.len() as u64 <= MAX_PARTS, "{length}: {}", parts.len());
            let mut end = 0;
            for (part, number) in parts.iter().zip(1..) {
                assert_eq!((part.number, part.offset), (number, end));
                assert!(part.length >= least || number as usize == parts.len(), "{part:?}");
                end += part.length;
            }
            assert_eq!(end, length);
        }
    }
}
