//! Damaged files of ghost, and files of impossible sizes.

use std::{fs, path::Path};

use anyhow::Result;

use super::{laid, shell, take_away};
use crate::attack::Attack;

pub fn attacks() -> Vec<Attack> {
    vec![
        laid("the database is empty", None, |folder, _| Ok(fs::write(folder.join(".ghost/data.redb"), "")?)),
        laid("the database is a page of zeroes", None, |folder, _| {
            Ok(fs::write(folder.join(".ghost/data.redb"), vec![0; 4096])?)
        }),
        laid("the database is 1 TB of nothing", None, |folder, _| shell(folder, "truncate -s 1T .ghost/data.redb")),
        laid("the database is 2 TB of nothing", Some("the limit is 1099511627776"), |folder, _| {
            shell(folder, "truncate -s 2T .ghost/data.redb")
        }),
        laid("the database lost its second half", None, |folder, _| {
            shell(folder, "truncate -s 600000 .ghost/data.redb")
        }),
        laid("the database lost its last byte", None, |folder, _| shell(folder, "truncate -s -1 .ghost/data.redb")),
        laid("the database is another program's", None, |folder, _| {
            Ok(fs::write(folder.join(".ghost/data.redb"), [b"SQLite format 3\0".to_vec(), vec![1; 8192]].concat())?)
        }),
        laid("the head of the database is noise behind its magic number", None, |folder, _| {
            spoil(&folder.join(".ghost/data.redb"), 9, 311)
        }),
        laid("every 4,096th byte of the database is turned", None, |folder, _| {
            let path = folder.join(".ghost/data.redb");
            let mut bytes = fs::read(&path)?;
            bytes.iter_mut().skip(4100).step_by(4096).for_each(|byte| *byte ^= 0x40);
            Ok(fs::write(path, bytes)?)
        }),
        laid("the second half of the database is random", None, |folder, _| {
            let path = folder.join(".ghost/data.redb");
            let length = fs::metadata(&path)?.len() as usize;
            spoil(&path, length / 2, length - 1)
        }),
        laid("the database was taken away", None, |folder, _| take_away(&folder.join(".ghost/data.redb"))),
        laid("what tells of news is 10 GB of nothing", None, |folder, _| {
            shell(folder, "truncate -s 10G .ghost/notify")
        }),
        laid("the lock is 10 GB of nothing", None, |folder, _| shell(folder, "truncate -s 10G .ghost/lock")),
        laid("the files of the index are swapped", None, |folder, _| {
            shell(folder, "cd .ghost/index; mv search x; mv store search; mv x store")
        }),
        laid("every file of the index is noise", None, |folder, _| {
            shell(folder, "cd .ghost/index; for f in */*; do test -f $f && head -c 5000 /dev/urandom > $f; done; true")
        }),
        laid("every file of the index is empty", None, |folder, _| {
            shell(folder, "cd .ghost/index; for f in s*/*; do test -f $f && : > $f; done; true")
        }),
        laid("every file of the index is 1 TB of nothing", None, |folder, _| {
            shell(folder, "cd .ghost/index; for f in s*/*; do test -f $f && truncate -s 1T $f; done; true")
        }),
        laid("the index names files of the user", None, |folder, victim| {
            let victim = victim.path().display().to_string();
            for index in ["search", "store"] {
                let meta = folder.join(".ghost/index").join(index).join("meta.json");
                let text = fs::read_to_string(&meta)?
                    .replace("segment_id\":\"", &format!("segment_id\":\"../../../../../..{victim}"));
                fs::write(meta, text)?;
            }
            Ok(())
        }),
        laid("the index's own description is nested 100,000 deep", None, |folder, _| {
            Ok(fs::write(folder.join(".ghost/index/search/meta.json"), "[".repeat(100_000))?)
        }),
        laid("the index's own description is 1 GB of nothing", None, |folder, _| {
            shell(folder, "truncate -s 1G .ghost/index/search/meta.json .ghost/index/store/mark")
        }),
        laid("the mark of the index says that numbers are beyond all bounds", None, |folder, _| {
            let path = folder.join(".ghost/index/search/mark");
            let text = String::from_utf8_lossy(&fs::read(&path)?).replace(|c: char| c.is_ascii_digit(), "9");
            Ok(fs::write(path, text)?)
        }),
    ]
}

/// Overwrites a range of a file with random bytes.
fn spoil(path: &Path, from: usize, to: usize) -> Result<()> {
    let mut bytes = fs::read(path)?;
    let mut random = fastrand::Rng::with_seed(14);
    let to = to.min(bytes.len());
    bytes[from..to].iter_mut().for_each(|byte| *byte = random.u8(..));
    Ok(fs::write(path, bytes)?)
}
