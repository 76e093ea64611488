//! The examples of the crate, run as programs.

use std::{
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
};

use anyhow::{Context, Result};
use ghost_tests::{folder::Folder, program};

use crate::mcp::http_client::Request;

/// An example, which Cargo builds beside the program.
fn example(name: &str) -> PathBuf {
    program::binary().with_file_name("examples").join(name)
}

#[test]
fn a_pool_of_workers_runs_one_script_for_many_inputs() -> Result<()> {
    let output = Command::new(example("workers")).output().context("the example can't be started")?;
    let (stdout, stderr) = (String::from_utf8(output.stdout)?, String::from_utf8(output.stderr)?);
    assert!(output.status.success(), "{stderr}");
    assert_eq!(stdout, "900 invoices, 6750 in total\n");
    assert_eq!(stderr.lines().count(), 100, "{stderr}");
    assert!(stderr.lines().all(|line| line.starts_with("RangeError: order ")), "{stderr}");
    Ok(())
}

#[test]
fn scripts_call_functions_of_their_host() -> Result<()> {
    let output = Command::new(example("functions")).output().context("the example can't be started")?;
    assert!(output.status.success(), "{}", String::from_utf8(output.stderr)?);
    let expected = "\"Ada paid 12.5, and has 87.5 left\"\nZoe: GError: the order costs 12.5, and 5 is left\n";
    assert_eq!(String::from_utf8(output.stdout)?, expected);
    Ok(())
}

/// The server of the example. It is killed at the end.
struct Server {
    process: Child,
    port: u16,
    _data: Folder,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _gone = self.process.kill().and_then(|()| self.process.wait());
    }
}

impl Server {
    fn start() -> Result<Self> {
        let data = Folder::new();
        let mut process = Command::new(example("server"))
            .args(["127.0.0.1:0".as_ref(), data.path().as_os_str()])
            .stdout(Stdio::piped())
            .spawn()
            .context("the example can't be started")?;
        let mut line = String::new();
        BufReader::new(process.stdout.take().context("a pipe")?).read_line(&mut line)?;
        let port =
            line.trim().strip_prefix("listening on http://127.0.0.1:").context("it says where it listens")?.parse()?;
        Ok(Self { process, port, _data: data })
    }

    fn request(&self, tenant: &str, script: &str) -> Request {
        Request::to(self.port, "POST", "/").header("X-Tenant", tenant).body(script)
    }

    /// The status and the body of an answer.
    fn post(&self, tenant: &str, script: &str) -> (u16, String) {
        let answer = self.request(tenant, script).send();
        (answer.status, answer.body)
    }
}

#[test]
fn a_server_runs_the_scripts_of_its_tenants() -> Result<()> {
    let server = Server::start()?;
    let put = "export const main = () => (g.store.put('notes', 'a', 1), g.store.count('notes'));";
    let count = "export const main = () => g.store.count('notes');";
    assert_eq!(server.post("acme", put), (200, "1".into()));
    assert_eq!(server.post("acme", count), (200, "1".into()));
    assert_eq!(server.post("other", count), (200, "0".into()));
    let (status, body) = server.post("acme", "export const main = () => nothing;");
    assert_eq!((status, body.contains("ReferenceError")), (422, true), "{body}");
    assert_eq!(server.post("../acme", count).0, 400);

    // All slots of the pool are taken by clients that go away; their scripts are stopped, so others have their turn at once.
    let endless = "export const main = () => { for (;;); };";
    let clients: Vec<_> = (0..16).map(|_| server.request("acme", endless).begin()).collect();
    drop(clients);
    let others: Vec<_> = thread::scope(|scope| {
        let posts: Vec<_> = (0..8).map(|_| scope.spawn(|| server.post("other", count))).collect();
        posts.into_iter().map(|post| post.join().expect("no panic")).collect()
    });
    assert!(others.iter().all(|answer| *answer == (200, "0".into())), "{others:?}");
    Ok(())
}
