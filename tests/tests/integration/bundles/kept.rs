//! The bundles of earlier versions, in `tests/bundles`. Each was made by `ghost compile` of `job.js` there, and is kept: a ghost
//! with the same version of the WIT runs it.

use std::fs;

use ghost_tests::{folder::Folder, program::repository};

#[test]
fn the_bundles_of_earlier_versions_run() {
    let kept = fs::read_dir(repository().join("tests/bundles")).expect("the folder is there").flatten();
    let bundles: Vec<_> =
        kept.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|ending| ending == "wasm")).collect();
    assert!(!bundles.is_empty(), "no bundle is kept");
    for bundle in bundles {
        let folder = Folder::new();
        fs::copy(&bundle, folder.path().join("job.wasm")).expect("the bundle is copied");
        let finished = folder.ghost(["run", "job.wasm", "Ada"]).finish().exits(0);
        finished
            .prints("{\"name\":\"Ada\",\"documents\":1,\"item\":{\"n\":1},\"found\":[\"ada\"]}\n")
            .says("hello Ada");
    }
}
