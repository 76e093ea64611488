//! Paths of every kind: what a script gives never leads out of the folder, and never blocks.

use std::{
    fs,
    io::Read,
    os::unix::{fs::symlink, net::UnixListener},
    path::Path,
    process::Command,
};

use bytes::Bytes;

use super::*;

/// A folder `in`, with links and other entries, next to what no script may touch.
struct Place(tempfile::TempDir);

const INSIDE: &str = "inside";
const OUTSIDE: &str = "outside";

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(place.path("in/folder/deep")).unwrap();
        fs::create_dir_all(place.path("out/folder")).unwrap();
        for file in ["in/file", "in/folder/file", "in/folder/deep/file", "in/ä", "in/ a ", "in/a\nb", "in/...", "in/-f"]
        {
            fs::write(place.path(file), INSIDE).unwrap();
        }
        for file in ["out/file", "out/folder/file", "file", "in2"] {
            fs::write(place.path(file), OUTSIDE).unwrap();
        }
        place.links();
        assert!(Command::new("mkfifo").arg(place.path("in/fifo")).status().unwrap().success());
        drop(UnixListener::bind(place.path("in/socket")).unwrap());
        place
    }

    fn links(&self) {
        let out = self.path("out");
        let absolute = |below: &str| out.join(below).display().to_string();
        let (file, folder, this) = (absolute("file"), absolute("folder"), self.path("in/file").display().to_string());
        for (name, target) in [
            ("to-file", "file"),
            ("to-folder", "folder"),
            ("folder/to-file", "../file"),
            ("to-parent", ".."),
            ("to-self", "."),
            ("to-out", "../out"),
            ("to-out-file", "../out/file"),
            ("to-out-absolute", &file),
            ("to-out-folder", &folder),
            ("to-in-absolute", &this),
            ("to-root", "/"),
            ("to-etc", "/etc"),
            ("to-passwd", "/etc/passwd"),
            ("to-null", "/dev/null"),
            ("to-zero", "/dev/zero"),
            ("to-proc", "/proc/self/root/etc/passwd"),
            ("to-nothing", "nothing"),
            ("to-new-out", "../out/new"),
            ("to-fifo", "fifo"),
            ("loop", "loop"),
            ("ping", "pong"),
            ("pong", "ping"),
            ("chain", "to-out-file"),
            ("folder/up", "../../out"),
            ("to-in-again", "../in/file"),
        ] {
            symlink(target, self.path("in").join(name)).unwrap();
        }
    }

    fn path(&self, below: &str) -> PathBuf {
        self.0.path().join(below)
    }

    fn directory(&self) -> Directory {
        Directory::of(Some(self.path("in")))
    }

    /// All that is outside of the folder, with its content.
    fn outside(&self) -> Vec<(PathBuf, Option<String>)> {
        let mut found = Vec::new();
        for folder in ["", "out", "out/folder"] {
            for entry in fs::read_dir(self.path(folder)).unwrap() {
                let path = entry.unwrap().path();
                found.push((path.clone(), fs::read_to_string(&path).ok()));
            }
        }
        found.sort();
        found
    }
}

/// What a file contains that may be read.
fn read(directory: &Directory, path: &str) -> Result<String, Error> {
    let (mut file, length) = directory.open(path)?;
    let mut text = String::new();
    file.read_to_string(&mut text).unwrap();
    assert_eq!(length, text.len() as u64);
    Ok(text)
}

/// Writes a file, to its end.
fn write(directory: &Directory, path: &str) -> Result<(), Error> {
    let mut file = directory.create(path, &Draft::default())?;
    file.write(&[Bytes::from_static(b"new"), Bytes::new(), Bytes::from_static(b"ly written")])?;
    file.sync()?;
    file.commit()
}

/// The kinds of what is expected: of reading a path, and of writing it.
const FINE: &str = "fine";
const DENIED: &str = "PathDenied";
const MISSING: &str = "NotFound";
const INVALID: &str = "InvalidArgument";

fn kind<T>(result: &Result<T, Error>) -> String {
    result.as_ref().map_or_else(|error| format!("{:?}", error.code).replace("ErrorCode::", ""), |_| FINE.to_owned())
}

/// Paths, with the kinds of reading and writing them.
fn cases() -> Vec<(String, &'static str, &'static str)> {
    let mut cases: Vec<(String, &str, &str)> = Vec::new();
    let mut add = |paths: &[&str], read: &'static str, write: &'static str| {
        cases.extend(paths.iter().map(|path| ((*path).to_owned(), read, write)));
    };
    add(
        &[
            "file",
            "./file",
            "folder/file",
            "folder//file",
            "folder/./file",
            "folder/../file",
            "./folder/../folder/file",
        ],
        FINE,
        FINE,
    );
    add(
        &["folder/deep/file", "folder/deep/../file", "folder/deep/../../file", "ä", " a ", "a\nb", "...", "-f"],
        FINE,
        FINE,
    );
    add(
        &["./././file", "folder/deep/./../deep/file", "to-self/file", "to-self/to-self/folder/file", "to-folder/file"],
        FINE,
        FINE,
    );
    add(&["to-folder/../file", "to-folder/deep/file"], FINE, FINE);
    // A target that is a link is not replaced.
    add(&["to-file", "folder/to-file", "to-self/to-file", "to-folder/to-file"], FINE, DENIED);
    add(
        &[
            "new",
            "folder/new",
            "new-folder/new",
            "new/deep/er/new",
            "ö",
            "a\u{308}",
            "A\u{30a}ngstro\u{308}m",
            "\u{212b}",
        ],
        MISSING,
        FINE,
    );
    add(
        &[
            "~",
            "~/file2",
            "$HOME",
            "C:\\file",
            "\\file",
            "..\\file",
            "folder\\..\\..\\file",
            "%2e%2e/file2",
            "..%2ffile",
        ],
        MISSING,
        FINE,
    );
    add(
        &[
            "\u{202e}txt",
            "\u{200b}",
            "a\u{7f}",
            "\u{1}",
            "\t",
            "*",
            "?",
            "con",
            "aux.txt",
            "nul",
            ". ",
            ".. ",
            " ..",
            "....",
        ],
        MISSING,
        FINE,
    );
    add(&["\u{ff0e}\u{ff0e}/file2", "\u{2024}\u{2024}/file2", "．．", "..\u{2215}file", "x/\u{301}x"], MISSING, FINE);
    add(
        &[
            "..",
            ".",
            "./",
            "/",
            "//",
            "../",
            "../.",
            "./..",
            "folder/..",
            "folder/.",
            "folder",
            "folder/",
            "folder/deep/..",
            "folder/deep/",
        ],
        DENIED,
        DENIED,
    );
    add(
        &[
            "../file",
            "../out/file",
            "../in2",
            "../new",
            "folder/../../file",
            "folder/../../out/file",
            "./../file",
            "folder/deep/../../../file",
        ],
        DENIED,
        DENIED,
    );
    add(
        &["../../../../../../etc/passwd", "folder/../../../../../../../etc/passwd", "../in/../out/file", "../in/file"],
        DENIED,
        DENIED,
    );
    add(
        &[
            "/etc/passwd",
            "/etc/shadow",
            "//etc/passwd",
            "///etc/passwd",
            "/proc/self/environ",
            "/proc/self/mem",
            "/dev/zero",
            "/dev/null",
            "/dev/stdin",
        ],
        DENIED,
        DENIED,
    );
    add(
        &[
            "/file",
            "/./file",
            "/../file",
            "/proc/self/cwd/file",
            "/proc/self/fd/0",
            "/dev/fd/0",
            "/tmp/new",
            "/root/new",
        ],
        DENIED,
        DENIED,
    );
    add(
        &[
            "to-parent/file",
            "to-parent/in/file",
            "to-out/file",
            "to-out/folder/file",
            "to-out-folder/file",
            "to-root/etc/passwd",
            "to-etc/passwd",
        ],
        DENIED,
        DENIED,
    );
    add(
        &[
            "to-out-file",
            "to-out-absolute",
            "to-in-absolute",
            "to-passwd",
            "to-null",
            "to-zero",
            "to-proc",
            "chain",
            "to-in-again",
        ],
        DENIED,
        DENIED,
    );
    add(
        &[
            "to-root",
            "to-etc",
            "to-parent",
            "to-out",
            "to-out-folder",
            "to-self",
            "to-folder",
            "to-self/.",
            "to-folder/.",
        ],
        DENIED,
        DENIED,
    );
    add(
        &[
            "folder/up/file",
            "folder/up/new",
            "to-folder/up/file",
            "to-self/to-out/file",
            "to-new-out",
            "to-root/tmp/new",
            "to-parent/new",
        ],
        DENIED,
        DENIED,
    );
    add(
        &["loop", "loop/file", "ping", "ping/file", "fifo", "to-fifo", "socket", "./fifo", "to-self/fifo"],
        DENIED,
        DENIED,
    );
    add(
        &["file/", "file/.", "file/..", "file/x", "file/../file2", "file/x/y", "folder/file/", "to-file/"],
        DENIED,
        DENIED,
    );
    add(
        &[
            ".ghost",
            ".ghost/data.redb",
            "folder/.ghost/new",
            "./.ghost/secrets/db.age",
            ".ghost/../file",
            ".GHOST/data.redb",
            ".Ghost/new",
        ],
        DENIED,
        DENIED,
    );
    add(&["to-nothing", "....//../../file"], MISSING, DENIED);
    add(&["", "\0", "file\0", "\0file", "fi\0le", "folder/\0/file", "../\0", "/etc/passwd\0.txt"], INVALID, INVALID);
    cases.push(("a/".repeat(3000), INVALID, INVALID));
    cases.push(("../".repeat(2000), INVALID, INVALID));
    cases.push(("x".repeat(100_000), INVALID, INVALID));
    cases.push(("x".repeat(256), DENIED, DENIED));
    cases.push((format!("{}file", "../".repeat(1000)), DENIED, DENIED));
    cases.push((format!("{}file", "./".repeat(2000)), FINE, FINE));
    cases.push((format!("{}file", "folder/../".repeat(400)), FINE, FINE));
    cases.push((format!("folder/{}", "ä".repeat(127)), MISSING, FINE));
    cases
}

#[test]
fn no_path_leads_out_of_the_folder() {
    let cases = cases();
    assert!(cases.len() >= 150, "{}", cases.len());
    let mut wrong = Vec::new();
    for (path, reading, writing) in cases {
        let place = Place::new();
        let (directory, before) = (place.directory(), place.outside());
        let found = read(&directory, &path);
        if let Ok(text) = &found {
            assert_eq!(text, INSIDE, "{path:?}");
        }
        let written = write(&directory, &path);
        assert_eq!(place.outside(), before, "{path:?}");
        for error in [found.as_ref().err(), written.as_ref().err()].into_iter().flatten() {
            let shown = error.message.contains(&*place.0.path().to_string_lossy());
            assert!(!shown, "{path:?}: {error}");
        }
        if written.is_ok() {
            assert_eq!(read(&directory, &path).unwrap(), "newly written", "{path:?}");
        }
        let kinds = (kind(&found), kind(&written));
        if kinds != (reading.to_owned(), writing.to_owned()) {
            let messages = (found.err().map(|error| error.message), written.err().map(|error| error.message));
            let path: String = path.chars().take(80).collect();
            wrong.push(format!("{path:?}: {kinds:?} {messages:?}, not {reading} and {writing}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_link_leads_into_a_workspace() {
    let place = Place::new();
    for workspace in ["in/.ghost", "in/folder/.GHOST"] {
        fs::create_dir_all(place.path(workspace).join("secrets")).unwrap();
        fs::write(place.path(workspace).join("secrets/db.age"), OUTSIDE).unwrap();
    }
    symlink(".ghost", place.path("in/link")).unwrap();
    symlink("folder/.GHOST/secrets", place.path("in/deep-link")).unwrap();
    symlink(".ghost/secrets/db.age", place.path("in/file-link")).unwrap();
    let before = entries(&place.path("in"));
    for path in ["link/secrets/db.age", "link/new", "link/new/new", "deep-link/db.age", "deep-link/new"] {
        let written = write(&place.directory(), path).unwrap_err();
        assert!(written.code == ErrorCode::PathDenied && written.message.contains("workspace"), "{path}: {written}");
        assert_eq!(entries(&place.path("in")), before, "{path}");
    }
    for path in ["link/secrets/db.age", "deep-link/db.age", "file-link"] {
        let found = read(&place.directory(), path).unwrap_err();
        assert!(found.code == ErrorCode::PathDenied && found.message.contains("workspace"), "{path}: {found}");
    }
    // A link that is passed by leads nowhere.
    assert_eq!(read(&place.directory(), "link/../file").unwrap(), INSIDE);
    for folder in ["in/.ghost", "in/.ghost/secrets", "in/link", "in/folder/.GHOST"] {
        let directory = Directory::of(Some(place.path(folder)));
        assert_eq!(kind(&read(&directory, "db.age")), DENIED, "{folder}");
        assert_eq!(kind(&write(&directory, "new")), DENIED, "{folder}");
    }
    assert_eq!(entries(&place.path("in")), before);
}

/// Names of everything in a folder and below.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            found.extend(entries(&entry.path()));
        }
        found.push(entry.path());
    }
    found.sort();
    found
}

#[test]
fn a_file_that_is_not_committed_leaves_nothing() {
    let place = Place::new();
    let before = entries(&place.path("in"));
    for path in ["file", "new", "folder/new", "new/deep/er/new", "new2/new"] {
        let mut file = place.directory().create(path, &Draft::default()).unwrap();
        file.write(&[Bytes::from(vec![b'x'; 1 << 20])]).unwrap();
        assert!(entries(&place.path("in")).len() > before.len());
        drop(file);
        assert_eq!(entries(&place.path("in")), before, "{path}");
        assert_eq!(read(&place.directory(), "file").unwrap(), INSIDE);
    }
    // Another's file in a new folder stays.
    let file = place.directory().create("new/a/b", &Draft::default()).unwrap();
    fs::write(place.path("in/new/other"), "").unwrap();
    drop(file);
    assert!(place.path("in/new/other").exists() && !place.path("in/new/a").exists());
}

#[test]
fn a_file_of_a_cancelled_call_is_removed_and_not_committed() {
    let place = Place::new();
    let before = entries(&place.path("in"));
    for path in ["file", "new/deep/new"] {
        let draft = Draft::default();
        let mut file = place.directory().create(path, &draft).unwrap();
        file.write(&[Bytes::from_static(b"x")]).unwrap();
        draft.cancel();
        draft.remove();
        // While the thread that writes it goes on.
        assert_eq!(entries(&place.path("in")), before, "{path}");
        file.write(&[Bytes::from_static(b"x")]).unwrap();
        assert_eq!(file.commit().unwrap_err().code, ErrorCode::Timeout);
        assert_eq!(place.directory().create(path, &draft).err().unwrap().code, ErrorCode::Timeout);
        assert_eq!(entries(&place.path("in")), before, "{path}");
    }
    assert_eq!(read(&place.directory(), "file").unwrap(), INSIDE);
}

#[test]
fn a_target_that_becomes_a_link_or_a_folder_is_not_followed() {
    let place = Place::new();
    let mut file = place.directory().create("new", &Draft::default()).unwrap();
    file.write(&[Bytes::from_static(b"x")]).unwrap();
    symlink("../out/file", place.path("in/new")).unwrap();
    file.commit().unwrap();
    assert_eq!(fs::read_to_string(place.path("out/file")).unwrap(), OUTSIDE);
    assert_eq!(fs::read_to_string(place.path("in/new")).unwrap(), "x");
    let file = place.directory().create("other", &Draft::default()).unwrap();
    fs::create_dir(place.path("in/other")).unwrap();
    assert_eq!(file.commit().unwrap_err().code, ErrorCode::PathDenied);
    assert_eq!(entries(&place.path("in")).iter().filter(|path| path.ends_with(".part")).count(), 0);
}

#[test]
fn without_a_folder_every_path_is_denied() {
    for directory in [Directory::default(), Directory::of(Some("/no/such/folder".into()))] {
        assert_eq!(kind(&read(&directory, "file")), DENIED);
        assert_eq!(kind(&write(&directory, "file")), DENIED);
    }
}
