//! The folder of compiled components: what is in it is loaded only if it can be trusted.

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::{Path, PathBuf},
};

use ghost_tests::{
    component::{made, trapping, wit},
    folder::Folder,
};

const CACHE: &str = ".cache/ghost/components";

/// A folder with a component that traps, and its entry in the cache.
fn cached() -> (Folder, PathBuf) {
    let folder = Folder::new();
    let text = "package test:probe; world probe { use ghost:g/types@0.1.0.{json, failure};
                export run: async func(arguments: list<json>) -> result<option<json>, failure>; }";
    folder.write("probe.wasm", made(wit().0, text, &trapping()));
    traps(&folder);
    let entries: Vec<_> = fs::read_dir(folder.path().join(CACHE)).expect("the cache").flatten().collect();
    assert_eq!(entries.len(), 1, "{entries:?}");
    let entry = entries[0].path();
    (folder, entry)
}

#[track_caller]
fn traps(folder: &Folder) {
    folder.ghost(["run", "probe.wasm"]).finish().exits(1).says("trapped").never_says("internal error");
}

/// Runs it with the log, which says if the entry was refused.
#[track_caller]
fn is_refused(folder: &Folder, why: &str) {
    let finished = folder.ghost(["run", "--verbose", "probe.wasm"]).finish().exits(1).says("trapped");
    finished.says("a cached component is not loaded").says(why);
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("it is there").mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("its mode is set");
}

#[test]
fn an_entry_is_for_the_user_alone_and_is_used_again() {
    let (folder, entry) = cached();
    assert_eq!((mode(&folder.path().join(CACHE)), mode(&entry)), (0o700, 0o600));
    let before = fs::metadata(&entry).expect("the entry");
    traps(&folder);
    let after = fs::metadata(&entry).expect("the entry");
    assert_eq!((before.ino(), before.mtime_nsec()), (after.ino(), after.mtime_nsec()), "it was compiled again");
}

#[test]
fn a_damaged_entry_is_not_loaded() {
    let (folder, entry) = cached();
    let whole = fs::read(&entry).expect("the entry");
    let flip = |at: usize| {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        damaged
    };
    let last = whole.len() - 1;
    for damaged in [flip(0), flip(40), flip(whole.len() / 2), flip(last), whole[..last].to_vec(), whole[..10].to_vec()]
    {
        fs::write(&entry, damaged).expect("the entry is damaged");
        is_refused(&folder, "");
        assert_eq!(fs::read(&entry).expect("the entry"), whole, "it was made again");
    }
}

#[test]
fn an_entry_that_others_could_write_is_not_loaded() {
    let (folder, entry) = cached();
    set_mode(&entry, 0o620);
    is_refused(&folder, "other users have access to it");
    let cache = folder.path().join(CACHE);
    set_mode(&cache, 0o770);
    is_refused(&folder, "other users have access to the folder");
}

#[test]
fn a_link_in_the_place_of_an_entry_or_of_the_folder_is_not_followed() {
    let (folder, entry) = cached();
    let elsewhere = folder.path().join("elsewhere");
    fs::rename(&entry, &elsewhere).expect("the entry is moved");
    symlink(&elsewhere, &entry).expect("a link");
    is_refused(&folder, "");
    let (folder, _) = cached();
    let cache = folder.path().join(CACHE);
    fs::rename(&cache, elsewhere_of(&folder)).expect("the folder is moved");
    symlink(elsewhere_of(&folder), &cache).expect("a link");
    is_refused(&folder, "");
}

fn elsewhere_of(folder: &Folder) -> PathBuf {
    folder.path().join("elsewhere")
}

#[test]
fn an_entry_of_another_user_is_not_loaded() {
    if !ghost_tests::root::is_available() {
        return;
    }
    let (folder, entry) = cached();
    std::os::unix::fs::chown(&entry, Some(65_534), None).expect("another owner");
    is_refused(&folder, "");
}

#[test]
fn a_component_runs_without_a_cache() {
    let (folder, _) = cached();
    let cache = folder.path().join(".cache");
    fs::remove_dir_all(&cache).expect("the cache is removed");
    fs::write(&cache, "a file").expect("a file in its place");
    traps(&folder);
}
