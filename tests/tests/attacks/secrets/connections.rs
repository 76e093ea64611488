//! Hostile connection strings.

use std::time::Duration;

use anyhow::{Result, ensure};
use ghost_tests::{
    canary,
    folder::{Finished, Folder},
};

use super::make;
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

/// Runs every command that could show a part of a connection string.
fn look(connection: &str) -> Result<Seen> {
    let folder = Folder::new();
    let flags = ["--verbose", "--timeout", "4s", "--max-memory", "64M"];
    let run = folder
        .script(flags, LOOK)
        .env("GHOST_SECRET_DB", connection)
        .env("RUST_LOG", "trace")
        .env("GHOST_LOG", "trace");
    let contract = Contract::exits(&[0, 1, 3]).within(Duration::from_secs(5)).with_memory(64 << 20);
    let finished = run.finish();
    let seen = without_reference(&contract, &finished)?;
    let failed = finished.stdout.trim().parse::<u32>().unwrap_or_default();
    ensure!(failed > 0 || finished.status.code() != Some(0), "no call failed, so no error was looked at\n{finished}");
    let checked = folder.ghost(["secret", "check", "db"]).env("GHOST_SECRET_DB", connection).env("RUST_LOG", "trace");
    // Connecting may take 10 s.
    let contract = Contract::exits(&[0, 1, 2]).within(Duration::from_secs(12));
    Ok(seen.and(without_reference(&contract, &canary::without_addresses(checked.finish()))?))
}

/// The declarations name the code of a fault: that a script shows it is none.
fn without_reference(contract: &Contract, finished: &Finished) -> Result<Seen> {
    contract.check(finished)
}

fn shown_nowhere(name: &'static str, connection: String) -> Attack {
    Attack::new("secrets", name, move || look(&connection))
}

pub(super) fn connections() -> Vec<Attack> {
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
