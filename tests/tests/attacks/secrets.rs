//! Secrets: hostile connection strings, names, keys and places. What every check of an attack looks for first is the canary.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    process::Command,
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use ghost::{Host, RunOptions, secrets::Secrets};
use ghost_tests::{
    folder::{Finished, Folder},
    program, root,
};

use crate::attack::{Attack, CANARY, Contract, Seen};

/// Calls every method of `g.sqldb`, and shows all that can be seen of each error: what it owns, what it inherits, what is
/// hidden behind getters.
const LOOK: &str = "export async function main() {
  const seen = new Set(), texts = [];
  const look = (value) => {
    if (typeof value === 'string') texts.push(value);
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value) || seen.size > 2000) return;
    seen.add(value);
    for (const key of Reflect.ownKeys(value)) { texts.push(String(key)); try { look(value[key]); } catch {} }
    look(Object.getPrototypeOf(value));
  };
  let failed = 0;
  for (const [method, call] of Object.entries(g.sqldb)) {
    const given = { transaction: [(t) => t.query('select 1')], executeBatch: [[{ sql: 'select 1' }]], copyFrom: ['t', [[1]]], describeTable: ['t'], listIndexes: ['t'], listConstraints: ['t'] }[method] ?? (/^list/.test(method) ? [] : ['select 1']);
    try { await call('db', ...given); } catch (error) { failed++; look(error); console.error(error, `${error}`, error.stack, JSON.stringify(error), structuredClone(error)); }
    if (method === 'copyTo' && failed === 0) break;
  }
  console.log(texts.join('\\n').slice(0, 200000));
  return failed;
}";

/// Runs all that shows something with a connection string.
fn look(connection: &str) -> Result<Seen> {
    let folder = Folder::new();
    let flags = ["--verbose", "--timeout", "4s", "--max-memory", "64M"];
    let run = folder
        .script(flags, LOOK)
        .env("GHOST_SECRET_DB", connection)
        .env("RUST_LOG", "trace")
        .env("GHOST_LOG", "trace");
    let contract = Contract::exits(&[0, 1, 3]).within(Duration::from_secs(5)).with_memory(64 << 20);
    let seen = without_reference(&contract, &run.finish())?;
    let checked = folder.ghost(["secret", "check", "db"]).env("GHOST_SECRET_DB", connection).env("RUST_LOG", "trace");
    // Connecting may take 10 s.
    let contract = Contract::exits(&[0, 1, 2]).within(Duration::from_secs(12));
    Ok(seen.and(without_reference(&contract, &checked.finish())?))
}

/// The declarations name the code of a fault: that a script shows it is none.
fn without_reference(contract: &Contract, finished: &Finished) -> Result<Seen> {
    contract.check(finished)
}

fn shown_nowhere(name: &'static str, connection: String) -> Attack {
    Attack::new("secrets", name, move || look(&connection))
}

fn connections() -> Vec<Attack> {
    let c = CANARY;
    let at = "127.0.0.1:1";
    vec![
        shown_nowhere(
            "a password with every special character of an address",
            format!("postgres://u:{c}%40%3A%2F%3F%23%5B%5D%20@{at}/d"),
        ),
        shown_nowhere(
            "a password that is percent-encoded letter by letter",
            format!("postgres://u:{}@{at}/d", c.bytes().map(|b| format!("%{b:02x}")).collect::<String>()),
        ),
        shown_nowhere(
            "a user, a host, a database and every option that is a canary",
            format!("postgres://{c}:{c}@{c}.invalid/{c}?application_name={c}&options=-c%20{c}%3D{c}"),
        ),
        shown_nowhere(
            "quotes and backslashes around a canary in pairs of key and value",
            format!(r"host=127.0.0.1 port=1 user='{c}\'s' password='a\\{c}\' ' dbname='{c}'"),
        ),
        shown_nowhere("a quote that does not end", format!("host=127.0.0.1 password='{c}")),
        shown_nowhere("a key without a value at the end", format!("host=127.0.0.1 port=1 password={c} {c}=")),
        shown_nowhere("an option that is a canary", format!("host=127.0.0.1 port=1 {c}={c}")),
        shown_nowhere("an option that is nearly one of libpq's", format!("postgres://u:{c}@{at}/d?sslmod={c}")),
        shown_nowhere("sslmode is a canary", format!("postgres://u:{c}@{at}/d?sslmode={c}")),
        shown_nowhere("the port is a canary", format!("postgres://u:p@127.0.0.1:{c}/d")),
        shown_nowhere("the port is beyond all ports", format!("postgres://u:{c}@127.0.0.1:99999999999/d")),
        shown_nowhere("the address of the host is a canary", format!("host=h hostaddr={c} user=u")),
        shown_nowhere("an address of IPv6 that does not end", format!("postgres://u:{c}@[::1/{c}")),
        shown_nowhere("two @ and three colons", format!("postgres://u:{c}:{c}@{c}@{at}/d")),
        shown_nowhere("percent signs that encode nothing", format!("postgres://u:{c}%zz%@{at}/d")),
        shown_nowhere(
            "percent signs that encode what is no UTF-8, and NUL",
            format!("postgres://u:{c}%ff%fe%00@{at}/d"),
        ),
        shown_nowhere("an address of another system", format!("mongodb://u:{c}@127.0.0.1:1/d")),
        shown_nowhere("an address of a store of objects", format!("s3://{c}:{c}@127.0.0.1:1?region={c}")),
        shown_nowhere("JSON of a search cluster", format!("{{\"url\":\"http://127.0.0.1:1\",\"apiKey\":\"{c}\"}}")),
        shown_nowhere(
            "JSON that is cut in the middle of a canary",
            format!("{{\"url\":\"http://127.0.0.1:1\",\"password\":\"{c}"),
        ),
        shown_nowhere("a scheme in capitals with spaces around", format!("  POSTGRES://u:{c}@{at}/d  ")),
        shown_nowhere(
            "a secret with line breaks and escapes",
            format!("host=127.0.0.1\nport=1\r\npassword={c}\x1b[31m\u{202e}"),
        ),
        shown_nowhere("a secret of 64 KB of one option", format!("host=127.0.0.1 port=1 password={}", c.repeat(6000))),
        shown_nowhere(
            "ten thousand options",
            format!("host=127.0.0.1 port=1 {}", format!("password={c} ").repeat(3000)),
        ),
        shown_nowhere(
            "two hundred hosts that refuse",
            format!("host={} port=1 user=u password={c}", vec!["127.0.0.1"; 200].join(",")),
        ),
        shown_nowhere(
            "as many ports as hosts, but for one",
            format!("host=127.0.0.1,127.0.0.1,{c} port=1,1 password={c}"),
        ),
        shown_nowhere("a host that is a socket of the machine", format!("host=/tmp/{c} user=u password={c}")),
        shown_nowhere(
            "a file of passwords, a service and a key of a client",
            format!("host=127.0.0.1 port=1 passfile=/{c} service={c} sslkey=/{c} sslcert=/{c} sslpassword={c}"),
        ),
        shown_nowhere(
            "a certificate that is not there",
            format!("postgres://u:{c}@{at}/d?sslmode=verify-full&sslrootcert=/{c}/{c}.pem"),
        ),
        shown_nowhere(
            "a certificate that is an endless device",
            format!("postgres://u:{c}@{at}/d?sslmode=verify-full&sslrootcert=/dev/zero"),
        ),
        shown_nowhere(
            "a certificate that is a folder",
            format!("postgres://u:{c}@{at}/d?sslmode=verify-full&sslrootcert=/etc"),
        ),
        shown_nowhere(
            "a certificate that is a file of passwords",
            format!("postgres://u:{c}@{at}/d?sslmode=verify-full&sslrootcert=/etc/shadow"),
        ),
        shown_nowhere(
            "a certificate that is the program's own memory",
            format!("postgres://u:{c}@{at}/d?sslmode=verify-full&sslrootcert=/proc/self/environ"),
        ),
        Attack::new("secrets", "a certificate that is a FIFO which nobody writes to", || {
            let folder = Folder::new();
            make(&folder, "mkfifo fifo")?;
            look(&format!(
                "postgres://u:{CANARY}@127.0.0.1:1/d?sslmode=verify-full&sslrootcert={}/fifo",
                folder.path().display()
            ))
        }),
        Attack::new("secrets", "a certificate of 10 GB of nothing", || {
            let folder = Folder::new();
            make(&folder, "truncate -s 10G huge")?;
            look(&format!(
                "postgres://u:{CANARY}@127.0.0.1:1/d?sslmode=verify-full&sslrootcert={}/huge",
                folder.path().display()
            ))
        }),
        Attack::new("secrets", "a certificate of a million certificates that are none", || {
            let folder = Folder::new();
            folder.write("many.pem", "-----BEGIN CERTIFICATE-----\nTm8=\n-----END CERTIFICATE-----\n".repeat(300_000));
            look(&format!(
                "postgres://u:{CANARY}@127.0.0.1:1/d?sslmode=verify-full&sslrootcert={}/many.pem",
                folder.path().display()
            ))
        }),
    ]
}

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

/// Of `ghost` in an empty folder.
fn told(
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

fn places() -> Vec<Attack> {
    vec![
        told(
            "a secret on the command line is refused and not repeated",
            &[2],
            &["secret", "set", "db", CANARY],
            Vec::new,
        ),
        told(
            "a secret as the value of an invented flag is refused and not repeated",
            &[2],
            &["secret", "set", "db", "--value=canary7f3a"],
            Vec::new,
        ),
        told("a secret of 200 MB is refused without being read", &[1, 2], &["secret", "set", "db"], || {
            vec![b'x'; 200 << 20]
        }),
        told("a secret with NUL in it", &[0, 1, 2], &["secret", "set", "db"], || {
            b"host=x\0password=canary7f3a".to_vec()
        }),
        told(
            "a script asks for conn as objects, numbers and names that lead elsewhere",
            &[0],
            &[
                "run",
                "-e",
                "export const main = async () => { for (const conn of [{ toString: () => 'db' }, ['db'], 5, null, new String('db'), '', '../db', 'db\\0', 'd'.repeat(65), '__proto__', 'db ', 'ＤＢ', '/etc/passwd', 'GHOST_SECRET_DB']) { try { await g.sqldb.query(conn, 'select 1'); throw 1; } catch (error) { if (!error.code) throw error; console.error(error); } } }",
            ],
            Vec::new,
        ),
        told(
            "a script of MCP origin asks for a secret that is there",
            &[1],
            &["run", "--origin", "mcp", "-e", "export const main = () => g.sqldb.query('db', 'select 1')"],
            Vec::new,
        ),
        told(
            "a script looks for the environment in every global",
            &[0],
            &[
                "run",
                "-e",
                "export const main = () => { const seen = new Set(); const look = (v) => { if ((typeof v !== 'object' && typeof v !== 'function') || v === null || seen.has(v)) return; seen.add(v); for (const k of Reflect.ownKeys(v)) { try { const d = Object.getOwnPropertyDescriptor(v, k); if (typeof d.value === 'string') console.log(d.value); look(d.value); look(d.get); } catch {} } look(Object.getPrototypeOf(v)); }; look(globalThis); look(g); }",
            ],
            Vec::new,
        ),
        told(
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
            folder.ghost(["workspace", "backup", "copy"]).finish();
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
                let script =
                    host.compile("script.js", "export const main = () => g.sqldb.query('db', 'select 1')").await?;
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

pub fn all() -> Vec<Attack> {
    [connections(), keys(), places()].into_iter().flatten().collect()
}
