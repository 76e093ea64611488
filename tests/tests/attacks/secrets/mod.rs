//! Secrets: hostile connection strings, names, keys and places. Every check of an attack looks for the canary first.

mod connections;
mod places;

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    process::Command,
    time::Duration,
};

use anyhow::{Result, ensure};
use ghost_tests::folder::Folder;

use crate::attack::{Attack, CANARY, Contract, Seen};

fn make(folder: &Folder, script: &str) -> Result<()> {
    let ended = Command::new("sh").args(["-ec", script]).current_dir(folder.path()).output()?;
    ensure!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    Ok(())
}

fn set(folder: &Folder, value: &str) -> Result<()> {
    let finished = folder.ghost(["secret", "set", "db"]).stdin(value).finish();
    ensure!(finished.status.code() == Some(0), "{finished}");
    Ok(())
}

fn stored(name: &'static str, change: fn(&Path) -> Result<()>) -> Attack {
    Attack::new("secrets", name, move || {
        let folder = Folder::new();
        set(&folder, &format!("postgres://u:{CANARY}@127.0.0.1:1/d"))?;
        change(folder.path())?;
        let mut seen = Seen::default();
        for command in [
            ["secret", "check", "db"].as_slice(),
            &["secret", "list"],
            &["run", "-e", "export const main = () => g.sqldb.query('db', 'select 1')"],
            &["secret", "set", "db2"],
        ] {
            let finished = folder.ghost(command.iter().copied()).stdin(format!("host=x password={CANARY}")).finish();
            seen = seen.and(Contract::exits(&[0, 1, 2]).within(Duration::from_secs(12)).check(&finished)?);
        }
        Ok(seen)
    })
}

fn keys() -> Vec<Attack> {
    vec![
        stored("a key that everybody can read", |folder| {
            Ok(fs::set_permissions(folder.join(".config/ghost/key"), fs::Permissions::from_mode(0o666))?)
        }),
        stored("a key that is a link", |folder| {
            let key = folder.join(".config/ghost/key");
            fs::rename(&key, folder.join("key"))?;
            Ok(symlink(folder.join("key"), key)?)
        }),
        stored("a key that is empty", |folder| Ok(fs::write(folder.join(".config/ghost/key"), "")?)),
        stored("a key that is a secret in plain text", |folder| {
            Ok(fs::write(folder.join(".config/ghost/key"), CANARY)?)
        }),
        stored("a key of two lines, of which one is another's", |folder| {
            let key = folder.join(".config/ghost/key");
            let text = fs::read_to_string(&key)?;
            Ok(fs::write(&key, format!("AGE-SECRET-KEY-1{}\n{text}", "Q".repeat(58)))?)
        }),
        stored("a folder of the key that everybody can write to", |folder| {
            Ok(fs::set_permissions(folder.join(".config/ghost"), fs::Permissions::from_mode(0o777))?)
        }),
        stored("a folder of the configuration that is a file", |folder| {
            fs::remove_dir_all(folder.join(".config"))?;
            Ok(fs::write(folder.join(".config"), "")?)
        }),
        stored("a secret in plain text lies among the encrypted ones", |folder| {
            Ok(fs::write(folder.join(".ghost/secrets/db.age"), CANARY)?)
        }),
        stored("a secret that another key encrypted", |folder| {
            fs::remove_file(folder.join(".config/ghost/key"))?;
            Ok(())
        }),
        stored("names of secrets that lead out of their folder", |folder| {
            fs::write(folder.join(".ghost/secrets/..age"), CANARY)?;
            fs::write(folder.join(".ghost/secrets/-rf.age"), CANARY)?;
            Ok(fs::write(folder.join(".ghost/secrets/a.age.age"), CANARY)?)
        }),
    ]
}

pub fn all() -> Vec<Attack> {
    [connections::connections(), keys(), places::places()].into_iter().flatten().collect()
}
