//! Replacements of each file and folder that ghost opens in a workspace.

use std::{fs, os::unix::fs::symlink, path::Path};

use super::{Lay, Victim, go, shell, state, take_away, used};
use crate::attack::Attack;

pub fn attacks() -> Vec<Attack> {
    [of_files(), of_folders()].into_iter().flatten().collect()
}

/// Entries that ghost opens in a workspace; only some commands open those of the second list.
const FILES: [&str; 8] = [
    "data.redb",
    "lock",
    "waiting",
    "notify",
    "index/search.lock",
    "secrets/db.age",
    "index/store/mark",
    "index/search/meta.json",
];

/// Replacements for each.
const FORMS: [(&str, Lay); 5] = [
    ("a link to a file of the user", |path, victim| Ok(symlink(victim.path(), path)?)),
    ("a second name of a file of the user", |path, victim| Ok(fs::hard_link(victim.path(), path)?)),
    ("a link to what is not there yet", |path, victim| Ok(symlink(victim.folder.path().join("new"), path)?)),
    ("a FIFO that nobody reads", |path, _| shell(Path::new("/"), &format!("mkfifo '{}'", path.display()))),
    ("a folder", |path, _| Ok(fs::create_dir(path)?)),
];

fn of_files() -> Vec<Attack> {
    let mut attacks = Vec::new();
    for file in FILES {
        for (form, put) in FORMS {
            if form == "a folder" && file.ends_with(".lock") {
                continue;
            }
            attacks.push(Attack::new("folders", format!("{form} stands for .ghost/{file}"), move || {
                let (folder, mut victim) = (used()?, Victim::new()?);
                let path = folder.path().join(".ghost").join(file);
                take_away(&path)?;
                put(&path, &victim)?;
                // A second name changes the number of names, which is no change by ghost.
                victim.state = state(&victim.path())?;
                let seen = go(&folder, None);
                victim.is_untouched()?;
                seen
            }));
        }
    }
    attacks
}

fn of_folders() -> Vec<Attack> {
    let mut attacks = Vec::new();
    for name in ["index", "index/search", "index/store", "secrets"] {
        attacks.push(Attack::new(
            "folders",
            format!("a link to a folder of the user stands for .ghost/{name}"),
            move || {
                let (folder, victim) = (used()?, Victim::new()?);
                let path = folder.path().join(".ghost").join(name);
                take_away(&path)?;
                symlink(victim.folder.path(), &path)?;
                let seen = go(&folder, None);
                victim.is_untouched()?;
                seen
            },
        ));
    }
    attacks
}
