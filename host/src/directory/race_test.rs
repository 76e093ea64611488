//! A link that another process swaps while a path is resolved: no attempt may see what is outside.

use std::{
    fs,
    io::Read,
    os::unix::fs::symlink,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use bytes::Bytes;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::*;

const SWAPS: u64 = 100_000;
const TIME: Duration = Duration::from_secs(100);

/// Swaps a folder inside with a link to one outside, until enough attempts were made.
fn swapping(root: &Path, swaps: &AtomicU64, over: &AtomicBool) {
    let (swapped, link) = (root.join("in/swapped"), root.join("in/link"));
    while !over.load(Ordering::Relaxed) {
        renameat_with(CWD, &swapped, CWD, &link, RenameFlags::EXCHANGE).unwrap();
        swaps.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_link_that_is_swapped_100_000_times_leads_nowhere() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    fs::create_dir_all(root.join("in/swapped")).unwrap();
    fs::create_dir_all(root.join("out")).unwrap();
    fs::write(root.join("in/swapped/file"), "inside").unwrap();
    fs::write(root.join("out/file"), "outside").unwrap();
    symlink("../out", root.join("in/link")).unwrap();
    let directory = Directory::of(Some(root.join("in")));
    let (swaps, over, start) = (AtomicU64::new(0), AtomicBool::new(false), Instant::now());
    let (mut read, mut written, mut refused) = (0, 0, 0);
    thread::scope(|scope| {
        scope.spawn(|| swapping(root, &swaps, &over));
        while swaps.load(Ordering::Relaxed) < SWAPS && start.elapsed() < TIME {
            match directory.open("swapped/file") {
                Ok((mut file, _)) => {
                    let mut text = String::new();
                    file.read_to_string(&mut text).unwrap();
                    assert!(matches!(text.as_str(), "inside" | "new"), "{text}");
                    read += 1;
                }
                Err(error) => {
                    assert!(matches!(error.code, ErrorCode::PathDenied | ErrorCode::NotFound), "{error}");
                    refused += 1;
                }
            }
            let file = directory.create("swapped/file", &Draft::default()).and_then(|mut file| {
                file.write(&[Bytes::from_static(b"new")])?;
                file.commit()
            });
            written += u32::from(file.is_ok());
        }
        over.store(true, Ordering::Relaxed);
    });
    let swaps = swaps.load(Ordering::Relaxed);
    println!("{swaps} swaps in {:?}: {read} reads, {written} writes, {refused} refusals", start.elapsed());
    assert!(swaps >= SWAPS, "only {swaps} swaps within {TIME:?}");
    assert!(read > 0 && written > 0 && refused > 0, "{read} {written} {refused}");
    assert_eq!(fs::read_to_string(root.join("out/file")).unwrap(), "outside");
    assert_eq!(fs::read_dir(root.join("out")).unwrap().count(), 1);
}
