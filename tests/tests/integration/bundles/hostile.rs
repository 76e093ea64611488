//! Bundles and components with random changes: an error or a stopped run each, and the host goes on.
//!
//! `GHOST_MUTATIONS` is the number of each, `GHOST_SEED` repeats one.

use std::{env, ops::Range, time::Duration};

use ghost::{
    Failure, Host, Limits, Origin, Outcome, RunOptions, Script,
    bundle::{Options, World},
    workspace::{Create, Workspace},
};
use ghost_tests::{
    component::{Parts, component},
    folder::Folder,
};

const JOB: &str = "export async function main(name) {
  const { map } = { map: [1, 2, 3].map((n) => n * 2) };
  g.store.put('mutated', String(name), { map, text: `t${map}`, nested: { a: [null, true, 1.5] } });
  for await (const part of (async function* () { yield* map; })()) console.log(part);
  try { g.queue.enqueue('work', { part: 1 }); null.member; } catch (error) { console.error(error.message); }
  const found = /(?<word>[a-z]+)/u.exec('hello');
  return { word: found.groups.word, keys: g.store.count('mutated'), at: new Date(0).toISOString() };
}";

fn count() -> usize {
    env::var("GHOST_MUTATIONS").map_or(10_000, |count| count.parse().expect("a number of mutations"))
}

fn random() -> fastrand::Rng {
    let seed = env::var("GHOST_SEED").map_or_else(|_| fastrand::u64(..), |seed| seed.parse().expect("a seed"));
    println!("GHOST_SEED={seed}");
    fastrand::Rng::with_seed(seed)
}

/// Changes up to eight bytes of a range.
fn mutate(bytes: &mut [u8], range: Range<usize>, random: &mut fastrand::Rng) {
    for _ in 0..random.usize(1..=8) {
        let at = random.usize(range.clone());
        bytes[at] = match random.u8(..4) {
            0 => random.u8(..),
            1 => bytes[at].wrapping_add(1),
            2 => bytes[at] ^ 1 << random.u8(..8),
            _ => [0, 0x7f, 0x80, 0xff][random.usize(..4)],
        };
    }
}

/// A workspace with a document that no script touches.
struct Bench {
    host: Host,
    workspace: Workspace,
    _folder: Folder,
}

impl Bench {
    async fn new() -> Self {
        let folder = Folder::new();
        let workspace = Workspace::at(folder.path(), Create::AtFirstUse);
        let bench = Self { host: Host::new().expect("a host"), workspace, _folder: folder };
        let made = bench.script("export const main = () => (g.store.put('kept', 'k', { n: 1 }), 'k')").await;
        assert_eq!(made.result, Ok(Some("\"k\"".to_owned())));
        bench
    }

    async fn script(&self, source: &str) -> Outcome {
        let script = Script::from_source(&self.host, "script.js", source).await.expect("it compiles");
        self.run(&script, Duration::from_secs(10)).await
    }

    async fn run(&self, script: &Script, time: Duration) -> Outcome {
        let limits = Limits { time, memory: 64 << 20, disk: Some(64 << 20), ..Limits::of(Origin::Local) };
        let options = RunOptions {
            workspace: Some(self.workspace.clone()),
            limits,
            arguments: vec!["1".to_owned()],
            ..RunOptions::of(Origin::Local)
        };
        self.host.run(script, options).await
    }

    /// Runs what is left of a script. What the host does for it must end with it.
    async fn attack(&self, component: &[u8], ends: &mut Ends) {
        match Script::from_component(&self.host, component).await {
            Ok(script) => ends.count(&self.run(&script, Duration::from_millis(200)).await.result),
            Err(failure) => ends.count(&Err(failure)),
        }
    }

    /// The host and the workspace are as they were.
    async fn is_whole(&self) {
        let kept =
            self.script("export const main = () => [g.store.get('kept', 'k').data, g.store.count('kept')]").await;
        assert_eq!(kept.result, Ok(Some("[{\"n\":1},1]".to_owned())));
    }
}

/// How many runs ended how.
#[derive(Debug, Default)]
struct Ends {
    returned: usize,
    refused: usize,
    failed: usize,
    stopped: usize,
}

impl Ends {
    fn count(&mut self, result: &Result<Option<String>, Failure>) {
        *match result {
            Ok(_) => &mut self.returned,
            Err(Failure::NotStarted(_)) => &mut self.refused,
            Err(
                Failure::Time { .. } | Failure::Memory { .. } | Failure::Compiler { .. } | Failure::WasmTables { .. },
            ) => &mut self.stopped,
            Err(_) => &mut self.failed,
        } += 1;
    }
}

/// Where a bundle has its bytecode: after its address, its length and zeros (`host/src/bundle/program.rs`).
fn bytecode(bundle: &[u8]) -> Range<usize> {
    let header = |at: usize| {
        let length = u32::from_le_bytes(bundle[at + 4..at + 8].try_into().ok()?) as usize;
        let is_header = bundle[at..].starts_with(&16_u32.to_le_bytes()) && bundle[at + 8..at + 16] == [0; 8];
        (is_header && (200..10_000).contains(&length)).then(|| at + 16..at + 16 + length)
    };
    (0..bundle.len() - 16).find_map(header).expect("the bundle has bytecode")
}

#[tokio::test]
async fn bundles_with_changed_bytecode_harm_nothing() {
    let (bench, mut random, mut ends) = (Bench::new().await, random(), Ends::default());
    let script = Script::from_source(&bench.host, "script.js", JOB).await.expect("it compiles");
    let options = Options { world: World::LocalScript, name: "script.js", source: JOB, with_source: false };
    let bundle = script.to_bundle(&options).expect("it was JavaScript");
    let range = bytecode(&bundle);
    assert!(bundle[range.clone()].windows(7).any(|window| window == b"mutated"), "this is not the bytecode");
    for _ in 0..count() {
        let mut changed = bundle.clone();
        mutate(&mut changed, range.clone(), &mut random);
        bench.attack(&changed, &mut ends).await;
    }
    println!("{ends:?}");
    assert_eq!(ends.refused, 0, "a changed bundle was compiled");
    assert!(ends.failed > 0 && ends.returned > 0, "{ends:?}");
    bench.is_whole().await;
}

#[tokio::test]
async fn components_with_changed_bytes_harm_nothing() {
    let (bench, mut random, mut ends) = (Bench::new().await, random(), Ends::default());
    let parts = Parts {
        packages: &[],
        imports: &["ghost:g/store@0.1.0", "ghost:g/queue@0.1.0", "ghost:g/search@0.1.0", "ghost:g/console@0.1.0"],
        pages: 1,
        locals: &[],
    };
    let whole = component(&parts, |code, imports| {
        let write = imports["ghost:g/console@0.1.0#write"];
        code.i32_const(1).i32_const(0).i32_const(100).call(write);
    });
    for _ in 0..count() {
        let mut changed = whole.clone();
        match random.u8(..10) {
            0 => changed.truncate(random.usize(..whole.len())),
            1 => _ = changed.drain(random_range(&whole, &mut random)),
            2 => {
                let again = whole[random_range(&whole, &mut random)].to_vec();
                let at = random.usize(..whole.len());
                changed.splice(at..at, again);
            }
            _ => mutate(&mut changed, 8..whole.len(), &mut random),
        }
        bench.attack(&changed, &mut ends).await;
    }
    println!("{ends:?}");
    assert!(ends.refused > 0 && ends.failed > 0, "{ends:?}");
    bench.is_whole().await;
}

fn random_range(bytes: &[u8], random: &mut fastrand::Rng) -> Range<usize> {
    let start = random.usize(..bytes.len());
    start..bytes.len().min(start + random.usize(1..200))
}
