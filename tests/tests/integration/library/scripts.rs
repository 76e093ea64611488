//! Scripts from text and from files, their arguments and results.

use std::collections::BTreeMap;

use anyhow::Result;
use ghost::{
    ErrorCode, Failure, Host, HostBuilder, Limits, RunOptions, Script, ValueError, bundle, workspace::Workspace,
};
use ghost_tests::folder::Folder;
use serde::{Deserialize, Serialize};

use super::run;

#[test]
fn hosts_scripts_and_workspaces_are_shared_between_threads() {
    fn shared<T: Clone + Send + Sync + 'static>() {}
    fn sent<T: Send + 'static>(_: T) {}
    shared::<Host>();
    shared::<HostBuilder>();
    shared::<Script>();
    shared::<Workspace>();
    sent(RunOptions::default());
    sent(async {
        let host = Host::new()?;
        let script = Script::from_source(&host, "a.js", "").await?;
        Ok::<_, anyhow::Error>(host.run(&script, RunOptions::default()).await)
    });
}

#[derive(Debug, Deserialize, PartialEq, Serialize)]
struct Order {
    id: u64,
    tags: Vec<String>,
}

#[tokio::test]
async fn arguments_and_results_are_values_of_the_program() -> Result<()> {
    let host = Host::new()?;
    let order = Order { id: 7, tags: vec!["new".into()] };
    let options = RunOptions::default().with_argument(&order)?.with_argument("rush")?;
    let source = "export const main = (order, tag) => ({ ...order, tags: [...order.tags, tag] });";
    let outcome = run(&host, source, options).await;
    assert_eq!(outcome.value::<Order>()?, Order { id: 7, tags: vec!["new".into(), "rush".into()] });
    let other = outcome.value::<u8>();
    assert!(matches!(other, Err(ValueError::OtherType(_))), "{other:?}");

    let nothing = run(&host, "export const main = () => {};", RunOptions::default()).await;
    assert_eq!(nothing.value::<Option<Order>>()?, None);
    nothing.value::<()>()?;

    let failed = run(&host, "export const main = () => { throw new RangeError('no'); };", RunOptions::default()).await;
    let failed = failed.value::<()>();
    assert!(matches!(failed, Err(ValueError::Failed(Failure::Exception(_)))), "{failed:?}");
    assert_eq!(failed.map_err(|error| error.to_string()), Err("RangeError: no".into()));

    let keys = BTreeMap::from([(vec![1], 1)]);
    let refused = RunOptions::default().with_argument(&keys).map(drop).map_err(|error| error.code);
    assert_eq!(refused, Err(ErrorCode::InvalidArgument));
    Ok(())
}

#[tokio::test]
async fn a_script_is_loaded_from_a_file_of_either_kind() -> Result<()> {
    let (host, folder) = (Host::new()?, Folder::new());
    let source = "export const main = () => new Error('where').stack.includes('job.js:1') ? 'here' : 'lost';";
    let path = folder.write("job.js", source);
    let script = Script::from_file(&host, &path).await?;
    assert_eq!(host.run(&script, RunOptions::default()).await.value::<String>()?, "here");

    let options = bundle::Options { world: bundle::World::LocalScript, name: "job.js", source, with_source: false };
    let path = folder.write("job.wasm", script.to_bundle(&options)?);
    let script = Script::from_file(&host, &path).await?;
    assert_eq!(host.run(&script, RunOptions::default()).await.value::<String>()?, "here");

    let refused = async |name: &str| match Script::from_file(&host, folder.path().join(name)).await {
        Err(Failure::NotStarted(message)) => message,
        other => panic!("{name}: {other:?}"),
    };
    folder.write("latin.js", b"// caf\xe9");
    assert_eq!(refused("latin.js").await, "latin.js: it is neither UTF-8 text nor a component");
    assert!(refused("none.js").await.starts_with("none.js: "));
    folder.write("half.wasm", b"\0asm");
    refused("half.wasm").await;
    let large = std::fs::File::create(folder.path().join("large.js"))?;
    large.set_len((64 << 20) + 1)?;
    assert_eq!(refused("large.js").await, "large.js: it is larger than 67108864 bytes");
    Ok(())
}

#[tokio::test]
async fn a_run_has_at_most_what_its_host_allows() -> Result<()> {
    let most = Limits { memory: 64 << 20, result: 100, disk: Some(1_000), ..Limits::default() };
    let host = Host::builder().max_limits(most).build()?;
    let size = |limits: Limits| RunOptions { limits, ..RunOptions::default() };
    let text = "export const main = () => 'x'.repeat(200);";
    for (asked, limit) in [(1_000, 100), (50, 50)] {
        let outcome = run(&host, text, size(Limits { result: asked, ..Limits::default() })).await;
        assert_eq!(outcome.result, Err(Failure::ResultSize { size: 202, limit }));
    }
    let memory = "export const main = () => { const kept = []; for (;;) kept.push(new Uint8Array(1 << 20)); };";
    let outcome = run(&host, memory, RunOptions::default()).await;
    assert_eq!(outcome.result, Err(Failure::Memory { limit: 64 << 20 }));
    Ok(())
}
