//! `g.objectstore` compared with a plain program on aws-sdk-s3, on the MinIO of the tests, in the same run. Prints rows for the
//! README.
//!
//! `cargo bench -p ghost-tests --bench objects`

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Error, Result};
use aws_sdk_s3::{Client, primitives::ByteStream};
use ghost_tests::{
    folder::Folder,
    machine,
    servers::{
        objectstore::{self, Objectstore},
        proxy::{Fault, Proxy},
    },
};
use serde_json::Value;
use tokio::{io::AsyncWriteExt, task::JoinSet};

/// How often everything is measured, one after the other; what is shown is the median.
const ROUNDS: usize = 5;
const BYTES: u64 = 1_000_000_000;
const ANSWER_TIME: Duration = Duration::from_millis(100);

fn main() -> Result<()> {
    let server = objectstore::minio().map_err(Error::msg)?;
    let proxy = Proxy::before(server.port);
    proxy.set(Fault::Slow(ANSWER_TIME));
    let folder = Folder::new();
    let mut random = fastrand::Rng::with_seed(1);
    let block: Vec<u8> = std::iter::repeat_with(|| random.u8(..)).take(1_000_000).collect();
    fs::write(folder.path().join("up"), block.repeat(usize::try_from(BYTES)? / block.len()))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        server.client().create_bucket().bucket("bench").send().await?;
        let small = ByteStream::from_static(b"small");
        server.client().put_object().bucket("bench").key("small").body(small).send().await?;
        Ok::<_, Error>(())
    })?;
    println!("{}; median of {ROUNDS} rounds\n", machine::description()?);
    let through = server.client_through(proxy.port);
    let (mut ghost, mut plain, mut plain_calls, mut memory) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for _ in 0..ROUNDS {
        let (figures, peak) = self::ghost(&folder, server, proxy.port)?;
        ghost.push(figures);
        memory = memory.max(peak);
        plain.push(runtime.block_on(self::plain(&server.client(), folder.path()))?);
        plain_calls.push(runtime.block_on(calls(&through))?);
    }
    let of = |name: &str| median(ghost.iter().filter_map(|round| round[name].as_f64()).collect());
    let (up, down) = (of("up"), of("down"));
    let (plain_up, plain_down) = plain.into_iter().unzip();
    let (plain_up, plain_down) = (median(plain_up), median(plain_down));
    println!("| What | ghost | aws-sdk-s3 | Ratio, wanted |\n|---|---|---|---|");
    println!("| upload of 1 GB | {up:.0} ms | {plain_up:.0} ms | {:.2}, 1.1 |", up / plain_up);
    println!("| download of 1 GB | {down:.0} ms | {plain_down:.0} ms | {:.2}, 1.1 |", down / plain_down);
    println!("| 100 calls of 100 ms at once | {:.0} ms | {:.0} ms | 130 ms |", of("calls"), median(plain_calls));
    println!("\nPeak memory of ghost: {} MiB", memory >> 20);
    Ok(())
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

fn ghost(folder: &Folder, server: &Objectstore, slow: u16) -> Result<(Value, u64)> {
    let run = folder.script([], include_str!("ghost.js")).env("GHOST_SECRET_DB", server.connection());
    let finished = run.env("GHOST_SECRET_SLOW", &server.connection_through(slow)).finish().exits(0);
    Ok((serde_json::from_str(&finished.stdout)?, finished.peak_memory))
}

/// The times of the upload and of the download, in milliseconds. The file is on disk at the end, as that of ghost is.
async fn plain(client: &Client, folder: &Path) -> Result<(f64, f64)> {
    let start = Instant::now();
    let body = ByteStream::from_path(folder.join("up")).await?;
    client.put_object().bucket("bench").key("plain").body(body).send().await?;
    let up = start.elapsed();
    let start = Instant::now();
    let mut body = client.get_object().bucket("bench").key("plain").send().await?.body;
    let mut file = tokio::fs::File::create(folder.join("plain")).await?;
    while let Some(bytes) = body.next().await {
        file.write_all(&bytes?).await?;
    }
    file.sync_all().await?;
    Ok((up.as_secs_f64() * 1_000.0, start.elapsed().as_secs_f64() * 1_000.0))
}

/// The time of 100 calls at once, in milliseconds, when there is a connection for each.
async fn calls(client: &Client) -> Result<f64> {
    let mut time = Duration::ZERO;
    for _ in 0..9 {
        let start = Instant::now();
        let mut calls = JoinSet::new();
        for _ in 0..100 {
            let client = client.clone();
            calls.spawn(async move {
                let answer = client.get_object().bucket("bench").key("small").send().await?;
                answer.body.collect().await.map_err(Error::from)
            });
        }
        while let Some(ended) = calls.join_next().await {
            ended??;
        }
        time = start.elapsed();
    }
    Ok(time.as_secs_f64() * 1_000.0)
}
