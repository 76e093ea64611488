//! Random operations on the real thing and on a map, compared after each query; the workspace is closed and killed in
//! between, and the index removed or damaged.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    time::{Duration, Instant},
};

use fastrand::Rng;

use super::{Options, query};
use crate::{
    data::search::{delete, delete_by_collection, index},
    workspace::{Create, Session, Workspace},
};

const WORDS: [&str; 6] = ["tea", "pot", "green", "roam", "foam", "x"];

type Model = BTreeMap<(String, String), Vec<&'static str>>;

fn session(workspace: &Workspace) -> Session {
    workspace.session(Instant::now() + Duration::from_secs(60), Box::new(|_| {}))
}

/// Among so many collections, and so many keys in each.
fn change(rng: &mut Rng, session: &mut Session, model: &mut Model, (collections, keys): (u8, u8)) {
    let (collection, key) = (format!("c{}", rng.u8(..collections)), format!("k{}", rng.u8(..keys)));
    match rng.u8(..10) {
        0..6 => {
            let words: Vec<_> = (0..rng.usize(1..4)).map(|_| WORDS[rng.usize(..WORDS.len())]).collect();
            let fields = format!(r#"{{"_collection":"{collection}","_key":"{key}","text":"{}"}}"#, words.join(" "));
            session.call(|t| index(t, &fields)).unwrap();
            model.insert((collection, key), words);
        }
        6..9 => {
            session.call(|t| delete(t, &collection, &key)).unwrap();
            model.remove(&(collection, key));
        }
        _ => {
            let count = session.call(|t| delete_by_collection(t, &collection)).unwrap();
            let before = model.len();
            model.retain(|(name, _), _| *name != collection);
            assert_eq!(count as usize, before - model.len());
        }
    }
}

fn compare(session: &mut Session, model: &Model, word: &str) {
    let options = Options { limit: 1_000, ..Options::default() };
    let mut found: Vec<_> =
        query(session, word, &options).unwrap().into_iter().map(|f| (f.collection, f.key)).collect();
    found.sort();
    let expected = model.iter().filter(|(_, words)| words.contains(&word)).map(|(names, _)| names.clone());
    assert_eq!(found, expected.collect::<Vec<_>>(), "{word}");
}

/// Cuts a file of the index in half, or fills it with zeros.
fn damage(rng: &mut Rng, index: &Path) {
    let Ok(files) = fs::read_dir(index) else { return };
    let files: Vec<_> = files.map(|file| file.unwrap().path()).filter(|file| file.is_file()).collect();
    let Some(file) = rng.choice(&files) else { return };
    let length = fs::metadata(file).unwrap().len() as usize;
    fs::write(file, vec![0; if rng.bool() { length } else { length / 2 }]).unwrap();
}

#[test]
fn a_query_finds_what_a_model_says_whatever_happens_to_the_index() {
    let seed = std::env::var("GHOST_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(|| fastrand::u64(..));
    eprintln!("GHOST_SEED={seed}");
    let mut rng = Rng::with_seed(seed);
    // With one name there is often no document at all.
    for names in [(3, 20), (1, 1), (2, 2)] {
        follow(&mut rng, names);
    }
}

fn follow(rng: &mut Rng, names: (u8, u8)) {
    let folder = tempfile::tempdir().unwrap();
    let index_folder = folder.path().join(".ghost/index/search");
    let (mut workspace, mut model) = (Workspace::at(folder.path(), Create::AtFirstUse), Model::new());
    for _ in 0..40 {
        let mut session = session(&workspace);
        for _ in 0..rng.usize(1..30) {
            change(rng, &mut session, &mut model, names);
            if rng.u8(..4) == 0 {
                compare(&mut session, &model, WORDS[rng.usize(..WORDS.len())]);
            }
        }
        session.save().unwrap();
        drop(session);
        if rng.bool() {
            workspace.crash();
        }
        drop(workspace);
        match rng.u8(..4) {
            0 => fs::remove_dir_all(&index_folder).unwrap_or_default(),
            1 => damage(rng, &index_folder),
            _ => {}
        }
        workspace = Workspace::at(folder.path(), Create::Never);
        compare(&mut self::session(&workspace), &model, WORDS[rng.usize(..WORDS.len())]);
    }
}

#[test]
fn what_a_crash_took_back_is_not_found() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::at(folder.path(), Create::AtFirstUse).without_hurry();
    let mut session = session(&workspace);
    session.call(|t| index(t, r#"{"_collection":"c","_key":"kept","text":"tea"}"#)).unwrap();
    let find = |session: &mut Session| query(session, "tea", &Options::default()).unwrap().len();
    assert_eq!(find(&mut session), 1);
    session.call(|t| index(t, r#"{"_collection":"c","_key":"lost","text":"tea"}"#)).unwrap();
    workspace.crash();
    drop((session, workspace));
    let workspace = Workspace::at(folder.path(), Create::Never);
    assert_eq!(find(&mut self::session(&workspace)), 1);
}
