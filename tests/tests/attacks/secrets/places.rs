//! Places where a secret may show: the command line, the environment, memory, files.

use std::{fs, os::unix::fs::PermissionsExt, process::Command, time::Duration};

use anyhow::{Context, ensure};
use ghost::{Host, RunOptions, Script, secrets::Secrets};
use ghost_tests::{folder::Folder, program, root};

use super::set;
use crate::attack::{Attack, CANARY, Contract, Seen};

/// Of `ghost` in an empty folder.
fn reported(
    name: &'static str,
    exits: &'static [i32],
    arguments: &'static [&'static str],
    stdin: fn() -> Vec<u8>,
) -> Attack {
    Attack::new("secrets", name, move || {
        let folder = Folder::new();
        let finished = folder.ghost(arguments.iter().copied()).stdin(stdin()).env("GHOST_SECRET_DB", CANARY).finish();
        let mut contract = Contract::exits(exits);
        contract.memory = 150 << 20;
        contract.check(&finished)
    })
}

pub(super) fn places() -> Vec<Attack> {
    vec![
        reported(
            "a secret on the command line is refused and not repeated",
            &[2],
            &["secret", "set", "db", CANARY],
            Vec::new,
        ),
        reported(
            "a secret as the value of an invented flag is refused and not repeated",
            &[2],
            &["secret", "set", "db", "--value=canary7f3a"],
            Vec::new,
        ),
        reported("a secret of 200 MB is refused without being read", &[1, 2], &["secret", "set", "db"], || {
            vec![b'x'; 200 << 20]
        }),
        reported("a secret with NUL in it", &[0, 1, 2], &["secret", "set", "db"], || {
            b"host=x\0password=canary7f3a".to_vec()
        }),
        reported(
            "a script asks for conn as objects, numbers and names that lead elsewhere",
            &[0],
            &[
                "run",
                "-e",
                "export const main = async () => { for (const conn of [{ toString: () => 'db' }, ['db'], 5, null, new String('db'), '', '../db', 'db\\0', 'd'.repeat(65), '__proto__', 'db ', 'ＤＢ', '/etc/passwd', 'GHOST_SECRET_DB']) { try { await g.sqldb.query(conn, 'select 1'); throw 1; } catch (error) { if (!error.code) throw error; console.error(error); } } }",
            ],
            Vec::new,
        ),
        reported(
            "a script of MCP origin asks for a secret that is there",
            &[1],
            &["run", "--origin", "mcp", "-e", "export const main = () => g.sqldb.query('db', 'select 1')"],
            Vec::new,
        ),
        reported(
            "a script looks for the environment in every global",
            &[0],
            &[
                "run",
                "-e",
                "export const main = () => { const seen = new Set(); const look = (v) => { if ((typeof v !== 'object' && typeof v !== 'function') || v === null || seen.has(v)) return; seen.add(v); for (const k of Reflect.ownKeys(v)) { try { const d = Object.getOwnPropertyDescriptor(v, k); if (typeof d.value === 'string') console.log(d.value); look(d.value); look(d.get); } catch {} } look(Object.getPrototypeOf(v)); }; look(globalThis); look(g); }",
            ],
            Vec::new,
        ),
        reported(
            "two names that share a variable of the environment",
            &[0],
            &[
                "run",
                "-e",
                "export const main = async () => { for (const conn of ['db', 'DB', 'Db']) { try { await g.sqldb.query(conn, 'select 1'); } catch (error) { console.error(error); } } }",
            ],
            Vec::new,
        ),
        Attack::new(
            "secrets",
            "the environment and the memory of a run are closed to other programs of the user",
            || {
                root::is_available();
                let folder = Folder::new();
                fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777))?;
                let source = "export async function main() { try { await g.sqldb.query('db', 'select 1'); } catch {} console.log('begun'); await new Promise((go) => setTimeout(go, 1500)); }";
                let run = root::ghost_as_nobody(&folder, ["run", "--no-workspace", "-e", source]);
                let mut running =
                    run.env("GHOST_SECRET_DB", &format!("host=127.0.0.1 port=1 password={CANARY}")).start();
                running.until_it_says("begun");
                let script = format!(
                    "cat /proc/{id}/environ /proc/{id}/maps; head -c 1 /proc/{id}/mem; true",
                    id = running.id()
                );
                let nobody = root::NOBODY.to_string();
                let mut spy = Command::new("setpriv");
                spy.args(["--reuid", &nobody, "--regid", &nobody, "--clear-groups", "sh", "-c", &script]);
                let spied = spy.output()?;
                let seen = Contract::exits(&[0]).check(&running.finish())?;
                ensure!(spied.stdout.is_empty(), "another program read {} bytes", spied.stdout.len());
                let refused = String::from_utf8_lossy(&spied.stderr).matches("ermission denied").count();
                ensure!(refused == 3, "the other program was not refused: {spied:?}");
                Ok(seen)
            },
        ),
        Attack::new("secrets", "a run that is killed by SIGABRT leaves no core with a secret in it", || {
            let folder = Folder::new();
            let mut shell = Command::new("sh");
            let source = "export async function main() { try { await g.sqldb.query('db', 'select 1'); } catch {} console.log('begun'); await new Promise((go) => setTimeout(go, 5000)); }";
            shell
                .args(["-c", "ulimit -c unlimited; exec \"$0\" run --no-workspace -e \"$1\""])
                .arg(program::binary())
                .arg(source);
            let mut running = folder
                .command(shell)
                .env("GHOST_SECRET_DB", &format!("host=127.0.0.1 port=1 password={CANARY}"))
                .start();
            running.until_it_says("begun");
            running.signal(libc::SIGABRT);
            let finished = running.finish();
            let left: Vec<_> = fs::read_dir(folder.path())?.filter_map(|entry| Some(entry.ok()?.file_name())).collect();
            ensure!(left.is_empty(), "{left:?}\n{finished}");
            Ok(Seen::default())
        }),
        Attack::new("secrets", "nothing on the disk has a secret in it, a backup neither", || {
            let folder = Folder::new();
            set(&folder, &format!("postgres://u:{CANARY}@127.0.0.1:1/d"))?;
            let run = folder.ghost(["run", "-e", "export const main = async () => { g.store.put('c', 'k', 1); try { await g.sqldb.query('db', 'select 1'); } catch (error) { g.store.put('c', 'error', { ...error, message: error.message, stack: error.stack }); g.queue.enqueue('q', 1); g.queue.abort(g.queue.dequeue('q').id, error); } }"]).finish();
            let seen = Contract::exits(&[0]).within(Duration::from_secs(12)).check(&run)?;
            let copied = folder.ghost(["workspace", "backup", "copy"]).finish();
            ensure!(copied.status.code() == Some(0), "{copied}");
            let found =
                Command::new("grep").args(["-r", "-l", "-a", CANARY, "."]).current_dir(folder.path()).output()?;
            ensure!(found.stdout.is_empty(), "{}", String::from_utf8_lossy(&found.stdout));
            Ok(seen)
        }),
        Attack::new("secrets", "a secret that is being set is killed and leaves nothing in plain text", || {
            let folder = Folder::new();
            for _ in 0..10 {
                let running = folder.ghost(["secret", "set", "db"]).stdin(format!("host=x password={CANARY}")).start();
                std::thread::sleep(Duration::from_millis(fastrand::u64(1..12)));
                running.signal(libc::SIGKILL);
                running.finish();
            }
            let found =
                Command::new("grep").args(["-r", "-l", "-a", CANARY, "."]).current_dir(folder.path()).output()?;
            ensure!(found.stdout.is_empty(), "{}", String::from_utf8_lossy(&found.stdout));
            let list = folder.ghost(["secret", "list"]).finish();
            Contract::exits(&[0]).check(&list)
        }),
        Attack::new("secrets", "a variable of the environment that is no UTF-8", || {
            let folder = Folder::new();
            let mut shell = Command::new("sh");
            let script = "GHOST_SECRET_DB=$(printf 'canary7f3a\\377\\376'); export GHOST_SECRET_DB; exec \"$0\" run -e \"export const main = () => g.sqldb.query('db', 'select 1')\"";
            shell.args(["-c", script]).arg(program::binary());
            Contract::exits(&[1]).check(&folder.command(shell).finish())
        }),
        Attack::new("secrets", "homes and folders of configuration that are none", || {
            let mut seen = Seen::default();
            for (name, value) in [
                ("HOME", ""),
                ("HOME", "/nonexistent"),
                ("HOME", "relative"),
                ("XDG_CONFIG_HOME", "relative"),
                ("XDG_CONFIG_HOME", "\n\x1b[31m"),
                ("XDG_CONFIG_HOME", "/dev/null"),
                ("XDG_CONFIG_HOME", "/proc/self/fd"),
            ] {
                let folder = Folder::new();
                let finished = folder.ghost(["secret", "set", "db"]).stdin(CANARY).env(name, value).finish();
                seen = seen
                    .and(Contract::exits(&[0, 1, 2]).check(&finished).with_context(|| format!("{name}={value:?}"))?);
            }
            Ok(seen)
        }),
        Attack::new("secrets", "the library's own Debug output shows none", || {
            let runtime = tokio::runtime::Runtime::new()?;
            let shown = runtime.block_on(async {
                let secrets =
                    Secrets::new(|_| Ok(Some(format!("host=127.0.0.1 port=1 user=u password={CANARY}").into())));
                let mut shown = format!("{secrets:?}");
                let host = Host::new()?;
                let script = Script::from_source(
                    &host,
                    "script.js",
                    "export const main = () => g.sqldb.query('db', 'select 1')",
                )
                .await?;
                let options = RunOptions { secrets: Some(secrets), ..RunOptions::default() };
                shown += &format!("{options:?} {host:?}");
                let outcome = host.run(&script, options).await;
                shown += &format!("{outcome:?} {:?} {:#?}", outcome.result, script);
                anyhow::Ok(shown)
            })?;
            ensure!(!shown.contains(CANARY), "{shown}");
            Ok(Seen::default())
        }),
    ]
}
