//! A `.ghost` prepared by an attacker: links, other users, devices, unfinished workspaces, invalid secrets.

use std::{fs, os::unix::fs::symlink};

use ghost_tests::root;

use super::{go, laid, shell, take_away, used};
use crate::attack::Attack;

pub fn attacks() -> Vec<Attack> {
    vec![
        laid("a workspace that is a link is refused when it was found", Some(".ghost"), |folder, _| {
            fs::rename(folder.join(".ghost"), folder.join("elsewhere"))?;
            Ok(symlink("elsewhere", folder.join(".ghost"))?)
        }),
        laid("a workspace of another user is refused when it was found", Some("another user"), |folder, _| {
            root::is_available();
            shell(folder, "chown 65534 .ghost")
        }),
        laid("a database of another user in a folder of one's own", Some("data.redb"), |folder, _| {
            root::is_available();
            shell(folder, "chown 65534 .ghost/data.redb")
        }),
        laid("secrets of another user", Some("secrets"), |folder, _| {
            root::is_available();
            shell(folder, "chown -R 65534 .ghost/secrets")
        }),
        laid("an index of another user", None, |folder, _| {
            root::is_available();
            shell(folder, "chown -R 65534 .ghost/index")
        }),
        laid("devices stand for the lock and what waits", None, |folder, _| {
            root::is_available();
            shell(folder, "cd .ghost; rm -f lock waiting; mknod lock c 1 3; mknod waiting c 1 5")
        }),
        laid("an endless device stands for the database", None, |folder, _| {
            root::is_available();
            shell(folder, "cd .ghost; rm data.redb; mknod data.redb c 1 5")
        }),
        laid("an endless device stands for a secret", None, |folder, _| {
            root::is_available();
            shell(folder, "cd .ghost; rm secrets/db.age; mknod secrets/db.age c 1 5")
        }),
        laid("a socket stands for the database", None, |folder, _| {
            take_away(&folder.join(".ghost/data.redb"))?;
            // A name of a socket has to be short.
            shell(
                folder,
                "cd .ghost; perl -MSocket -e 'socket(S,AF_UNIX,SOCK_STREAM,0); bind(S,sockaddr_un(\"data.redb\")) or die'",
            )
        }),
        laid("the workspace is a file", None, |folder, _| {
            take_away(&folder.join(".ghost"))?;
            Ok(fs::write(folder.join(".ghost"), "x")?)
        }),
        laid("the workspace is a FIFO", None, |folder, _| {
            take_away(&folder.join(".ghost"))?;
            shell(folder, "mkfifo .ghost")
        }),
        laid("the workspace is a link to itself", None, |folder, _| {
            take_away(&folder.join(".ghost"))?;
            Ok(symlink(".ghost", folder.join(".ghost"))?)
        }),
        laid("an unfinished workspace of an attacker is not taken over", None, |folder, victim| {
            take_away(&folder.join(".ghost"))?;
            shell(folder, "mkdir -m 0777 .ghost.new; echo x > .ghost.new/data.redb; chmod 666 .ghost.new/data.redb")?;
            Ok(symlink(victim.path(), folder.join(".ghost.new/lock"))?)
        }),
        laid("an unfinished workspace that is a link", None, |folder, victim| {
            take_away(&folder.join(".ghost"))?;
            Ok(symlink(victim.folder.path(), folder.join(".ghost.new"))?)
        }),
        laid("an unfinished workspace that is a FIFO", None, |folder, _| {
            take_away(&folder.join(".ghost"))?;
            shell(folder, "mkfifo .ghost.new")
        }),
        laid("names of files with newlines, escapes and no UTF-8", None, |folder, _| {
            shell(
                folder,
                "cd .ghost; touch \"$(printf 'a\\nerror: forged')\" \"$(printf '\\033[2J\\342\\200\\256')\" \"$(printf '\\377\\376')\"; cd secrets; touch \"$(printf '\\033[2J.age')\" '..age' '.age' 'a b.age' \"$(printf '\\377.age')\"; cd ../index; mkdir \"$(printf '\\033[31m')\"",
            )
        }),
        laid("a thousand strange files in every folder", None, |folder, _| {
            shell(
                folder,
                "cd .ghost; for d in . index index/search index/store secrets; do (cd $d; seq 1000 | xargs touch); done",
            )
        }),
        laid("a secret of 1 GB", None, |folder, _| shell(folder, "truncate -s 1G .ghost/secrets/db.age")),
        laid("a secret that asks for a scrypt of an hour", None, |folder, _| {
            let text = "age-encryption.org/v1\n-> scrypt bBjlhJVYZeE4aqUdmtRHfw 62\nZV/AhotwSGqaPCU43cepl4WYUouAa17a3xpu4G2yi5k\n--- fgMiVLJHMlg9fW7CVG/hPS5EAU4Zeg19LyCP7SoH5nA\nx";
            Ok(fs::write(folder.join(".ghost/secrets/db.age"), text)?)
        }),
        laid("a secret with a million recipients", None, |folder, _| {
            let text = format!(
                "age-encryption.org/v1\n{}---\n",
                "-> X25519 8hWaIUmk67IuRZ41zMk2V9f/w3f5qUnXLL7MGPA+zE8\nxx\n".repeat(300_000)
            );
            Ok(fs::write(folder.join(".ghost/secrets/db.age"), text)?)
        }),
        laid("a secret that is a link to the key", None, |folder, _| {
            take_away(&folder.join(".ghost/secrets/db.age"))?;
            Ok(symlink(folder.join(".config/ghost/key"), folder.join(".ghost/secrets/db.age"))?)
        }),
        laid("the key and a secret are swapped", None, |folder, _| {
            shell(
                folder,
                "mv .config/ghost/key x; mv .ghost/secrets/db.age .config/ghost/key; mv x .ghost/secrets/db.age; chmod 600 .config/ghost/key",
            )
        }),
        laid("the key is a FIFO", None, |folder, _| {
            shell(folder, "rm .config/ghost/key; mkfifo -m 600 .config/ghost/key")
        }),
        laid("the key is 1 GB of nothing", None, |folder, _| shell(folder, "truncate -s 1G .config/ghost/key")),
        laid("a hundred workspaces are nested in each other", None, |folder, _| {
            shell(folder, "d=.ghost; for i in $(seq 40); do d=$d/.ghost; done; mkdir -p $d")
        }),
        Attack::new("folders", "config files of git, editors and shells are not run", || {
            let folder = used()?;
            shell(
                folder.path(),
                "printf '#!/bin/sh\\ntouch ran\\n' > .ghost/hooks; chmod 755 .ghost/hooks; echo 'touch ran' > .ghost/config; echo '{}' > package.json",
            )?;
            let seen = go(&folder, None)?;
            shell(folder.path(), "test ! -e ran && test ! -e .ghost/ran")?;
            Ok(seen)
        }),
    ]
}
