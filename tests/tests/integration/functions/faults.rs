//! Functions that panic, and names that are not allowed.

use anyhow::Result;
use ghost::{ErrorCode, Host, Instances, RunOptions, Script, functions::Functions};
use ghost_tests::component::wit;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use tokio::task::{JoinSet, yield_now};

use super::caught;

/// A result that can't be serialized.
struct Hostile;

impl Serialize for Hostile {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        panic!("while it is serialized")
    }
}

/// A result whose keys are no strings.
#[derive(Serialize)]
struct NoJson {
    map: std::collections::BTreeMap<Vec<u8>, u8>,
}

fn panics() -> Functions {
    Functions::new("panics")
        .function("now", |_| -> Result<(), _> { panic!("on purpose") })
        .async_function("first", |_| {
            panic!("before there is a future");
            #[allow(unreachable_code)] // It gives the closure its type.
            async {
                Ok(())
            }
        })
        .async_function("later", |_| async {
            yield_now().await;
            if true {
                panic!("on {}", "purpose");
            }
            Ok(())
        })
        .function("result", |_| Ok(Hostile))
        .async_function("resultLater", |_| async { Ok(Hostile) })
        .function("noJson", |_| Ok(NoJson { map: [(vec![1], 1)].into() }))
        .function("fine", |_| Ok(1))
}

const NAMES: [&str; 6] = ["now", "first", "later", "result", "resultLater", "noJson"];

/// Calls each function that panics, and then one that does not.
fn source() -> String {
    let calls: String = NAMES.iter().map(|name| format!("seen.push(await call(() => g.panics.{name}()));\n")).collect();
    let caught = caught("f()");
    format!(
        "async function call(f) {{ {caught} }}
export async function main() {{ const seen = []; {calls} return [seen, g.panics.fine()]; }}"
    )
}

fn check(json: &str) -> Result<()> {
    let value: Value = serde_json::from_str(json)?;
    assert_eq!(value[1], 1, "the run continues: {value}");
    for (error, name) in value[0].as_array().into_iter().flatten().zip(NAMES) {
        assert_eq!((&error[0], &error[1], &error[3]), (&json!("GError"), &json!("INTERNAL"), &json!(name)));
        assert!(error[4].as_str().is_some_and(|text| text.starts_with("internal error (reference ")), "{error}");
    }
    assert_eq!(value[0].as_array().map(Vec::len), Some(NAMES.len()));
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_panic_is_an_internal_error_and_leaves_everything_usable() -> Result<()> {
    for instances in [Instances::OnDemand, Instances::Pool(2)] {
        let host = Host::builder().instances(instances).functions(panics()).build()?;
        let script = Script::from_source(&host, "panics.js", &source()).await?;
        let mut runs = JoinSet::new();
        for _ in 0..20 {
            let (host, script) = (host.clone(), script.clone());
            runs.spawn(async move { host.run(&script, RunOptions::default()).await.result });
        }
        while let Some(ended) = runs.join_next().await {
            check(&ended??.unwrap_or_default())?;
        }
    }
    Ok(())
}

/// Each interface of the worlds that is a namespace keeps its name.
#[test]
fn names_that_g_has_are_refused() -> Result<()> {
    let (resolve, package) = wit();
    let mut namespaces = 0;
    for name in resolve.packages[package].interfaces.keys() {
        // What is none in JavaScript is free, for example `functions`.
        let is_free = ["types", "console", "functions", "program", "runtime"].contains(&name.as_str());
        let built = Host::builder().functions(Functions::new(name)).build();
        assert_eq!(
            built.as_ref().err().map(|error| error.code),
            (!is_free).then_some(ErrorCode::InvalidArgument),
            "{name}"
        );
        namespaces += usize::from(!is_free);
    }
    assert_eq!(namespaces, 7);
    for name in ["__proto__", "constructor", "then", "a-b", ""] {
        let added = Functions::new("ok").function(name, |_| Ok(()));
        let refused = Host::builder().functions(added).build().expect_err(name);
        assert_eq!(refused.code, ErrorCode::InvalidArgument);
        assert!(refused.message.contains("a function of g.ok"), "{refused}");
    }
    let twice = Host::builder().functions(Functions::new("a")).functions(Functions::new("a")).build();
    assert_eq!(twice.expect_err("it exists").message, "g.a exists already");
    Ok(())
}
