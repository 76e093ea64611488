//! Tests of the access to files: what it opens, and what it leaves unchanged.

use std::{
    fs,
    io::Write,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
};

use tempfile::{TempDir, tempdir};

use super::*;

fn folder() -> (TempDir, Folder) {
    let path = tempdir().unwrap();
    let folder = Location::new(path.path(), ".ghost", Trust::Found).open().unwrap();
    (path, folder)
}

fn refused(opened: io::Result<impl Sized>) -> String {
    let error = opened.err().expect("it is refused");
    refusal(&error).unwrap_or_else(|| panic!("{error}")).to_string()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_path_is_not_a_name() {
    let (path, folder) = folder();
    fs::create_dir(path.path().join("inside")).unwrap();
    fs::write(path.path().join("inside/file"), "x").unwrap();
    for name in ["", ".", "..", "inside/file", "/etc/passwd", "../x", "inside/"] {
        assert_eq!(folder.read(name).unwrap_err().kind(), ErrorKind::InvalidInput, "{name}");
        assert_eq!(folder.folder(name).unwrap_err().kind(), ErrorKind::InvalidInput, "{name}");
        assert_eq!(folder.remove_all(name).unwrap_err().kind(), ErrorKind::InvalidInput, "{name}");
        assert_eq!(folder.rename("inside", name).unwrap_err().kind(), ErrorKind::InvalidInput, "{name}");
    }
}

#[test]
fn no_way_to_open_follows_a_link() {
    let (path, folder) = folder();
    fs::write(path.path().join("letter"), "dear diary").unwrap();
    symlink("letter", path.path().join("link")).unwrap();
    let link = ".ghost/link is a link, which ghost does not follow";
    assert_eq!(refused(folder.read("link")), link);
    assert_eq!(refused(folder.change("link")), link);
    assert_eq!(refused(folder.change_or_make("link")), link);
    assert_eq!(refused(folder.append("link")), link);
    assert_eq!(refused(folder.make_empty("link")), link);
    assert_eq!(refused(folder.has_file("link")), link);
    assert_eq!(refused(folder.names_of_own(&[])), link);
    assert_eq!(refused(folder.folder("link")), link);
    assert_eq!(refused(folder.make_folder("link")), link);
    assert_eq!(folder.make("link").unwrap_err().kind(), ErrorKind::AlreadyExists);
    assert_eq!(fs::read(path.path().join("letter")).unwrap(), b"dear diary");
    folder.remove_all("link").unwrap();
    assert_eq!(folder.names().unwrap(), ["letter"]);
}

#[test]
fn a_file_with_two_names_is_not_emptied() {
    let (path, folder) = folder();
    fs::write(path.path().join("letter"), "dear diary").unwrap();
    fs::hard_link(path.path().join("letter"), path.path().join("lock")).unwrap();
    assert_eq!(refused(folder.make_empty("lock")), ".ghost/lock has several hard links");
    assert_eq!(fs::read(path.path().join("letter")).unwrap(), b"dear diary");
}

#[test]
fn created_and_opened_entries_are_private() {
    let (path, folder) = folder();
    folder.make("made").unwrap();
    folder.make_folder("inside").unwrap();
    assert_eq!([mode(&path.path().join("made")), mode(&path.path().join("inside"))], [0o600, 0o700]);
    fs::write(path.path().join("open"), "").unwrap();
    for name in ["open", "inside"] {
        fs::set_permissions(path.path().join(name), fs::Permissions::from_mode(0o777)).unwrap();
    }
    folder.read_keeping_mode("open").unwrap();
    assert_eq!(mode(&path.path().join("open")), 0o777);
    folder.read("open").unwrap();
    folder.folder("inside").unwrap();
    assert_eq!([mode(&path.path().join("open")), mode(&path.path().join("inside"))], [0o700, 0o700]);
}

#[test]
fn a_folder_is_removed_with_its_links_and_not_what_they_lead_to() {
    let (path, folder) = folder();
    let letters = tempdir().unwrap();
    fs::write(letters.path().join("letter"), "dear diary").unwrap();
    fs::create_dir_all(path.path().join("index/a/b")).unwrap();
    symlink(letters.path(), path.path().join("index/a/b/link")).unwrap();
    folder.remove_all("index").unwrap();
    folder.remove_all("index").unwrap();
    assert!(folder.names().unwrap().is_empty());
    assert!(letters.path().join("letter").exists());
    // Deeper than anybody needs it: refused, not an overflow of the stack.
    fs::create_dir_all(path.path().join("x/".repeat(200))).unwrap();
    assert_eq!(folder.remove_all("x").unwrap_err().kind(), ErrorKind::DirectoryNotEmpty);
}

#[test]
fn a_handle_stays_where_its_folder_went() {
    let (path, folder) = folder();
    fs::create_dir(path.path().join("index")).unwrap();
    let index = folder.folder("index").unwrap();
    fs::rename(path.path().join("index"), path.path().join("moved")).unwrap();
    let elsewhere = tempdir().unwrap();
    symlink(elsewhere.path(), path.path().join("index")).unwrap();
    index.make("file").unwrap().write_all(b"x").unwrap();
    assert!(path.path().join("moved/file").exists());
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    assert!(index.is(&folder.folder("moved").unwrap()).unwrap());
}

#[test]
fn unfinished_entries_are_removed() {
    let (path, folder) = folder();
    drop(folder.unfinished().unwrap());
    drop(UnfinishedFolder::make_in(&Location::around(path.path()), ".ghost").unwrap());
    assert!(folder.names().unwrap().is_empty());

    let (one, two) = (folder.unfinished().unwrap(), folder.unfinished().unwrap());
    assert!(one.finish_new("key").unwrap());
    assert!(!two.finish_new("key").unwrap());
    assert_eq!(folder.names().unwrap(), ["key"]);

    let new = UnfinishedFolder::make_in(&Location::around(path.path()), ".ghost").unwrap();
    new.folder().make("data").unwrap();
    assert!(new.finish(".ghost").unwrap());
    let late = UnfinishedFolder::make_in(&Location::around(path.path()), ".ghost").unwrap();
    assert!(!late.finish(".ghost").unwrap(), "one that holds something is not replaced");
    assert_eq!(folder.folder(".ghost").unwrap().names().unwrap(), ["data"]);
}
