//! Files and contents that a script can't make: media types, bytes, large files, the folder of the run.

use std::{fs, process::Command, time::Duration};

use ghost_tests::{
    folder::Folder,
    servers::{
        self,
        objectstore::{self, Objectstore},
    },
};
use serde_json::json;

use super::caller::Caller;

/// Both servers, each with a new bucket.
async fn each(bucket: &str) -> Vec<(&'static Objectstore, Caller)> {
    let mut callers = Vec::new();
    for server in [objectstore::minio(), objectstore::versitygw()] {
        let Some(server) = servers::or_skip(server) else { continue };
        let caller = Caller::new(server.connection()).await;
        caller.does("createBucket", json!([bucket])).await;
        callers.push((server, caller));
    }
    callers
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_has_the_media_type_of_the_files_extension_or_the_one_given() {
    for (server, caller) in each("media-types").await {
        caller.folder.write("page.html", "<p>");
        caller.folder.write("UPPER.JSON", "{}");
        caller.folder.write("none", "");
        caller.folder.write("unknown.case", "");
        for (file, given, expected) in [
            ("page.html", None, "text/html"),
            ("UPPER.JSON", None, "application/json"),
            ("none", None, "application/octet-stream"),
            ("unknown.case", None, "application/octet-stream"),
            ("page.html", Some("text/x-case; a=b"), "text/x-case; a=b"),
        ] {
            caller.does("putObject", json!(["media-types", file, file, given])).await;
            assert_eq!(content_type(server, "media-types", file).await, expected, "{file}");
        }
        caller.does("putObjectText", json!(["media-types", "text", "x"])).await;
        assert_eq!(content_type(server, "media-types", "text").await, "text/plain; charset=utf-8");
        caller.does("putObjectText", json!(["media-types", "text", "x", "text/csv"])).await;
        assert_eq!(content_type(server, "media-types", "text").await, "text/csv");
        caller.does("copyObject", json!(["media-types", "text", "media-types", "copy"])).await;
        assert_eq!(content_type(server, "media-types", "copy").await, "text/csv", "a copy keeps it");
    }
}

async fn content_type(server: &Objectstore, bucket: &str, key: &str) -> String {
    let head = server.client().head_object().bucket(bucket).key(key).send().await.expect("the object exists");
    head.content_type.unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_of_every_length_go_up_and_down_unchanged() {
    for (_, caller) in each("bytes").await {
        let mut random = fastrand::Rng::with_seed(16);
        // Around the steps of reading and writing, and around the parts.
        for length in [0, 1, 255, 256 << 10, (256 << 10) + 1, (1 << 20) - 1, (16 << 20) - 1, 16 << 20, (24 << 20) + 5] {
            let bytes: Vec<u8> = std::iter::repeat_with(|| random.u8(..)).take(length).collect();
            caller.folder.write("up", &bytes);
            caller.does("putObject", json!(["bytes", "key", "up"])).await;
            caller.does("getObject", json!(["bytes", "key", "down/file"])).await;
            let down = fs::read(caller.folder.path().join("down/file")).expect("it was downloaded");
            assert!(down == bytes, "{length} bytes came back as {}", down.len());
            let listed = caller.does("listObjects", json!(["bytes"])).await;
            assert_eq!(listed[0]["size"], length);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_utf8_is_no_text() {
    for (_, caller) in each("not-utf8").await {
        caller.folder.write("file", b"text\xff\xfe");
        caller.does("putObject", json!(["not-utf8", "key", "file"])).await;
        let reported = caller.call("getObjectText", json!(["not-utf8", "key"])).await;
        assert_eq!(reported.code(), "DATA", "{reported:?}");
        let message = reported.outcome.unwrap_err()["message"].clone();
        assert_eq!(message, "the object is not UTF-8: the byte at 4 is not valid; use getObject");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_without_a_folder_has_no_files() {
    let Some(server) = servers::or_skip(objectstore::minio()) else { return };
    let caller = Caller::new(server.connection()).await;
    for method in ["getObject", "putObject"] {
        let reported = caller.call_in(None, method, json!(["bucket", "key", "file"])).await;
        assert_eq!(reported.code(), "PATH_DENIED", "{reported:?}");
        let message = reported.outcome.unwrap_err()["message"].clone();
        assert_eq!(message, "this run has no folder in which a script may name files");
    }
}

#[test]
fn dir_names_the_folder_of_a_run() {
    let Some(server) = servers::or_skip(objectstore::minio()) else { return };
    let folder = Folder::new();
    fs::create_dir(folder.path().join("files")).expect("a folder");
    let source = "export async function main(path) {
      await g.objectstore.createBucket('db', 'dir');
      await g.objectstore.putObjectText('db', 'dir', 'key', 'text');
      await g.objectstore.getObject('db', 'dir', 'key', path);
    }";
    folder.write("script.js", source);
    let run = |arguments: &[&str]| {
        folder.ghost([&["run"], arguments].concat()).env("GHOST_SECRET_DB", server.connection()).finish()
    };
    run(&["--dir", "files", "script.js", "down"]).exits(0);
    assert_eq!(fs::read_to_string(folder.path().join("files/down")).expect("it was downloaded"), "text");
    run(&["--dir", "files", "script.js", "../down"]).exits(1).says("PATH_DENIED");
    run(&["script.js", "down"]).exits(0);
    assert_eq!(fs::read_to_string(folder.path().join("down")).expect("it was downloaded"), "text");
    run(&["--dir", "none", "script.js", "down"]).fails_clearly(2).says("--dir none: the folder does not exist");
    run(&["--dir", "script.js", "script.js", "down"]).fails_clearly(2).says("--dir script.js: this is not a folder");
}

#[test]
fn curl_uses_a_presigned_url() {
    for server in [objectstore::minio(), objectstore::versitygw()] {
        let Some(server) = servers::or_skip(server) else { continue };
        let folder = Folder::new();
        let source = "export async function main() {
          await g.objectstore.createBucket('db', 'curl');
          const of = (options) => g.objectstore.getPresignedUrl('db', 'curl', 'a b/ä+c', options);
          return [await of({ method: 'PUT' }), await of(), await of({ expiry: 1 })];
        }";
        let run = folder.script(["--verbose"], source).env("GHOST_SECRET_DB", server.connection());
        let finished = run.finish().exits(0).never_says("X-Amz-Signature");
        let [put, get, short]: [String; 3] = serde_json::from_str(&finished.stdout).expect("three URLs");
        folder.write("up", "content\n");
        let curl = |arguments: &[&str]| {
            let output = Command::new("curl")
                .args(["-sS", "--fail-with-body"])
                .args(arguments)
                .current_dir(folder.path())
                .output();
            let output = output.expect("curl runs");
            (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
        };
        assert_eq!(curl(&["-T", "up", &put]), (true, String::new()));
        assert_eq!(curl(&[&get]), (true, "content\n".to_owned()));
        assert!(!curl(&["-T", "up", &get]).0, "a URL is for one method");
        std::thread::sleep(Duration::from_millis(2_500));
        let (succeeded, answer) = curl(&[&short]);
        assert!(!succeeded && answer.contains("expired"), "{answer}");
    }
}

/// The memory that `ghost` takes for a file that goes up and down, in bytes.
fn peak(server: &Objectstore, mebibytes: u64) -> u64 {
    let folder = Folder::new();
    let file = fs::File::create(folder.path().join("up")).expect("a file");
    file.set_len(mebibytes << 20).expect("a sparse file");
    let source = "export async function main() {
      await g.objectstore.createBucket('db', 'memory');
      await g.objectstore.putObject('db', 'memory', 'key', 'up');
      await g.objectstore.getObject('db', 'memory', 'key', 'down');
      await g.objectstore.deleteObject('db', 'memory', 'key');
    }";
    let finished = folder.script([], source).env("GHOST_SECRET_DB", server.connection()).finish().exits(0);
    let down = fs::metadata(folder.path().join("down")).expect("it was downloaded");
    assert_eq!(down.len(), mebibytes << 20);
    finished.peak_memory
}

#[test]
fn a_large_object_takes_no_more_memory_than_a_small_one() {
    let Some(server) = servers::or_skip(objectstore::minio()) else { return };
    let (nothing, large) = (peak(server, 0), peak(server, 1024));
    println!("peak memory: {} MiB without a content, {} MiB for 1 GiB", nothing >> 20, large >> 20);
    assert!(large.saturating_sub(nothing) < 64 << 20, "{nothing} and {large} bytes");
}
