//! A host without a namespace: each of its functions fails with `BLOCKED`, whatever calls it, and the other namespaces work.

use anyhow::Result;
use ghost::{
    Host, Namespace, Origin, Outcome, RunOptions, Script,
    bundle::{self, World},
    secrets::Secret,
    workspace::{Create, Workspace},
};
use ghost_tests::{
    component::{Imports, Parts, component, wit},
    folder::Folder,
};
use wasm_encoder::{InstructionSink, MemArg};
use wit_parser::{Function, Resolve, SizeAlign, Type, TypeDefKind, abi::AbiVariant};

/// Calls of each namespace, in all forms that the glue has, each with what a refusal of it does.
const CALLS: [(Namespace, &[(&str, &str)]); 7] = [
    (
        Namespace::Store,
        &[
            ("g.store.put('c', 'k', 1)", "throws"),
            ("g.store.list('c')", "throws"),
            ("[...g.store.all('c')]", "throws"),
            ("g.store.update('c', 'k', () => count.callbacks++)", "throws"),
            ("g.store.search('c', 'one')", "throws"),
            ("g.store.count('c')", "throws"),
        ],
    ),
    (
        Namespace::Queue,
        &[
            ("g.queue.enqueue('q', 1)", "throws"),
            ("g.queue.commit(1)", "throws"),
            ("g.queue.queues()", "throws"),
            ("g.queue.waitForItem('q')", "rejects"),
        ],
    ),
    (
        Namespace::Search,
        &[
            ("g.search.index({ _collection: 'c', _key: 'k', a: 'one' })", "throws"),
            ("g.search.query('one')", "throws"),
            ("g.search.clear()", "throws"),
        ],
    ),
    (
        Namespace::Objectstore,
        &[
            ("g.objectstore.listBuckets('conn')", "rejects"),
            ("g.objectstore.putObject('conn', 'bucket', 'key', 'file')", "rejects"),
        ],
    ),
    (
        Namespace::Documentdb,
        &[
            ("g.documentdb.find('conn', 'd', 'c', { a: 1 })", "rejects"),
            ("g.documentdb.insertMany('conn', 'd', 'c', [{ a: 1 }, { a: 2 }])", "rejects"),
        ],
    ),
    (
        Namespace::Sqldb,
        &[
            ("g.sqldb.query('conn', 'select $1', [1])", "rejects"),
            ("g.sqldb.transaction('conn', () => count.callbacks++)", "rejects"),
            // A stream, which nobody reads.
            ("g.sqldb.copyFrom('conn', 't', Array.from({ length: 200_000 }, (_, n) => [n, 'text']))", "rejects"),
        ],
    ),
    (
        Namespace::Clustersearch,
        &[
            ("g.clustersearch.ping('conn')", "rejects"),
            ("g.clustersearch.bulk('conn', 'i', [{ a: 1 }, { a: 2 }])", "rejects"),
        ],
    ),
];

/// A script that makes the calls of a namespace, and returns what each did: how it ended, and its error.
fn script(namespace: Namespace, calls: &[(&str, &str)]) -> String {
    let calls: String = calls.iter().map(|(call, _)| format!("() => {call}, ")).collect();
    format!(
        "export async function main() {{
  const ended = [];
  const count = {{ callbacks: 0 }};
  for (const call of [{calls}]) {{
    let how = 'throws';
    try {{
      const returned = call();
      how = 'rejects';
      await returned;
      ended.push(['returns', '']);
    }} catch (error) {{
      const isRefusal = error instanceof GError && error.code === 'BLOCKED' && error.namespace === '{}';
      ended.push(isRefusal ? [how, error.message] : ['fails', String(error)]);
    }}
  }}
  return [ended, count.callbacks];
}}",
        namespace.name()
    )
}

/// Runs a script in a new workspace.
async fn run(host: &Host, script: &Script, origin: Origin) -> Outcome {
    let folder = Folder::new();
    let workspace = Some(Workspace::at(folder.path(), Create::AtFirstUse));
    host.run(script, RunOptions { workspace, ..RunOptions::of(origin) }).await
}

/// Checks that each call ended as it should, with a message that contains this.
fn check(outcome: &Outcome, calls: &[(&str, &str)], message: &str) -> Result<()> {
    let (ended, callbacks): (Vec<(String, String)>, u32) = outcome.value()?;
    assert_eq!(ended.len(), calls.len());
    for ((call, how), (was, said)) in calls.iter().zip(&ended) {
        assert!(was == how && said.contains(message), "{call} {was}: {said}");
    }
    assert_eq!(callbacks, 0, "a callback was called");
    Ok(())
}

/// How the refusals of a namespace that is switched off begin.
fn refusal(namespace: Namespace) -> String {
    format!("this host does not offer g.{}: it is switched off", namespace.name())
}

fn bundle(script: &Script, source: &str, world: World) -> Result<Vec<u8>> {
    Ok(script.to_bundle(&bundle::Options { world, name: "script.js", source, with_source: false })?)
}

#[tokio::test]
async fn a_namespace_that_is_switched_off_refuses_each_call_of_a_script_and_of_its_bundle() -> Result<()> {
    for (namespace, calls) in CALLS {
        let host = Host::builder().without(namespace).build()?;
        let source = script(namespace, calls);
        let compiled = Script::from_source(&host, "script.js", &source).await?;
        let whole = Script::from_component(&host, bundle(&compiled, &source, World::Script)?).await?;
        for script in [&compiled, &whole] {
            let outcome = run(&host, script, Origin::Local).await;
            check(&outcome, calls, &refusal(namespace))?;
            assert_eq!(outcome.figures.host_calls, calls.len() as u64, "{namespace:?}");
        }
        // For MCP origin, an external namespace is refused because of the origin.
        let message = if namespace.is_external() { "MCP origin".to_owned() } else { refusal(namespace) };
        let local = Script::from_component(&host, bundle(&compiled, &source, World::LocalScript)?).await?;
        for script in [&compiled, &local] {
            check(&run(&host, script, Origin::Mcp).await, calls, &message)?;
        }
    }
    Ok(())
}

/// A use of each local namespace that succeeds, and of an external one as far as it comes without a secret.
const USES: [(Namespace, &str); 4] = [
    (Namespace::Store, "g.store.put('c', 'k', 'one') ?? g.store.search('c', 'one').length"),
    (Namespace::Queue, "g.queue.enqueue('q', 1) ?? g.queue.count('q')"),
    (Namespace::Search, "g.search.index({ _collection: 'c', _key: 'k', a: 'one' }) ?? g.search.query('one').length"),
    (Namespace::Sqldb, "await g.sqldb.scalar('none', 'select 1').catch((e) => e.code === 'SECRET_NOT_FOUND' ? 1 : e)"),
];

#[tokio::test]
async fn the_other_namespaces_of_the_host_work() -> Result<()> {
    for (off, _) in CALLS {
        let uses: String =
            USES.iter().filter(|(namespace, _)| *namespace != off).map(|(_, call)| format!("{call}, ")).collect();
        let host = Host::builder().without(off).build()?;
        let script =
            Script::from_source(&host, "script.js", &format!("export const main = async () => [{uses}];")).await?;
        let done: Vec<u32> = run(&host, &script, Origin::Local).await.value()?;
        assert!(done.len() >= 3 && done.iter().all(|count| *count == 1), "without {off:?}: {done:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_host_may_be_without_any_namespace() -> Result<()> {
    let host = Namespace::ALL.iter().fold(Host::builder(), |builder, namespace| builder.without(*namespace)).build()?;
    for (namespace, calls) in CALLS {
        let script = Script::from_source(&host, "script.js", &script(namespace, calls)).await?;
        check(&run(&host, &script, Origin::Local).await, calls, &refusal(namespace))?;
    }
    let sum = Script::from_source(&host, "sum.js", "export const main = () => 1 + 1;").await?;
    for origin in [Origin::Local, Origin::Mcp] {
        assert_eq!(run(&host, &sum, origin).await.value::<u32>()?, 2);
    }
    Ok(())
}

/// A namespace that is added to the WIT is missing in the enum, until it is added there.
#[test]
fn the_namespaces_are_those_of_the_wit() {
    let (resolve, package) = wit();
    let imports = |world| resolve.worlds[ghost_tests::component::world(&resolve, package, world)].imports.keys();
    let names = |world| imports(world).map(|key| resolve.name_world_key(key)).collect::<Vec<_>>();
    let (local, all) = (names("local-script"), names("script"));
    for namespace in Namespace::ALL {
        let interface = format!("ghost:g/{}@0.1.0", namespace.name());
        assert!(all.contains(&interface), "{all:?} has {interface}");
        assert_eq!(local.contains(&interface), !namespace.is_external(), "{interface}");
        assert!(namespace.is_built_in());
    }
    let others = ["types", "console", "runtime", "functions"].map(|name| format!("ghost:g/{name}@0.1.0"));
    let interfaces = all.iter().filter(|name| name.starts_with("ghost:g/"));
    assert_eq!(interfaces.filter(|name| !others.contains(name)).count(), Namespace::ALL.len(), "{all:?}");
}

/// Calls every function of an interface that needs no handle, and returns the JSON `1` if each failed with `blocked`.
fn caller(interface: &str) -> Vec<u8> {
    let (resolve, package) = wit();
    let functions = &resolve.interfaces[resolve.packages[package].interfaces[interface]].functions;
    let functions: Vec<_> = functions.values().filter(|function| !takes_handle(&resolve, function)).collect();
    assert!(functions.len() >= 6, "{interface} has {} functions", functions.len());
    let name = format!("ghost:g/{interface}@0.1.0");
    let parts = Parts { packages: &[], imports: &[&name], pages: 1, locals: &[] };
    component(&parts, |code, imports| {
        functions.iter().for_each(|function| expect_blocked(code, imports, &resolve, (&name, function)));
        return_one(code);
    })
}

fn takes_handle(resolve: &Resolve, function: &Function) -> bool {
    let is_handle = |ty: &Type| match ty {
        Type::Id(id) => matches!(resolve.types[*id].kind, TypeDefKind::Handle(_) | TypeDefKind::Stream(_)),
        _ => false,
    };
    function.params.iter().any(|parameter| is_handle(&parameter.ty))
}

/// Where a function writes its result, and from where it reads many parameters, which are all 0.
const RESULT: i32 = 1 << 10;
const PARAMETERS: i32 = 4 << 10;

/// Calls a function with parameters of which each is 0, and traps unless it fails with `blocked`.
fn expect_blocked(
    code: &mut InstructionSink<'_>,
    imports: &Imports,
    resolve: &Resolve,
    (interface, function): (&str, &Function),
) {
    let signature = resolve.wasm_signature(AbiVariant::GuestImport, function);
    assert!(signature.retptr && signature.results.is_empty(), "{} returns a record", function.name);
    let (_, parameters) = signature.params.split_last().expect("the last one is where to put the result");
    for parameter in parameters {
        match parameter {
            _ if signature.indirect_params => code.i32_const(PARAMETERS),
            wit_parser::abi::WasmType::I64 | wit_parser::abi::WasmType::PointerOrI64 => code.i64_const(0),
            wit_parser::abi::WasmType::F32 => code.f32_const(0.0.into()),
            wit_parser::abi::WasmType::F64 => code.f64_const(0.0.into()),
            _ => code.i32_const(0),
        };
    }
    code.i32_const(RESULT).call(imports[&format!("{interface}#{}", function.name)]);
    let (is_error, code_at) = (0, code_offset(resolve, function));
    for (offset, expected) in [(is_error, 1), (code_at, blocked(resolve))] {
        code.i32_const(RESULT).i32_load8_u(MemArg { offset, align: 0, memory_index: 0 }).i32_const(expected).i32_ne();
        code.if_(wasm_encoder::BlockType::Empty).unreachable().end();
    }
}

/// Where the code of the error is in the result of a function.
fn code_offset(resolve: &Resolve, function: &Function) -> u64 {
    let mut sizes = SizeAlign::default();
    sizes.fill(resolve);
    let Some(Type::Id(result)) = function.result else { panic!("{} returns a result", function.name) };
    let TypeDefKind::Result(result) = &resolve.types[result].kind else { panic!("{} may fail", function.name) };
    let aligned = [result.ok, result.err].into_iter().flatten().map(|ty| sizes.align(&ty).align_wasm32());
    aligned.max().expect("the error has an alignment") as u64
}

/// The number of the code.
fn blocked(resolve: &Resolve) -> i32 {
    let codes =
        resolve.types.iter().find(|(_, ty)| ty.name.as_deref() == Some("error-code")).expect("the WIT has it").1;
    let TypeDefKind::Enum(codes) = &codes.kind else { panic!("it is an enum") };
    let position = codes.cases.iter().position(|case| case.name == "blocked").expect("it is one of the codes");
    i32::try_from(position).expect("there are few")
}

/// Returns `ok(some("1"))` from `run`: the text is at 0, the result behind it.
fn return_one(code: &mut InstructionSink<'_>) {
    const PLACE: MemArg = MemArg { offset: 0, align: 0, memory_index: 0 };
    for (address, value) in [(0, i32::from(b'1')), (16, 0), (20, 1), (24, 0), (28, 1)] {
        code.i32_const(address).i32_const(value).i32_store(PLACE);
    }
    code.i32_const(16).return_();
}

#[tokio::test]
async fn a_component_in_another_language_gets_the_same_refusals() -> Result<()> {
    for namespace in Namespace::ALL.iter().copied() {
        let host = Host::builder().without(namespace).build()?;
        let script = Script::from_component(&host, caller(namespace.name())).await?;
        assert_eq!(run(&host, &script, Origin::Local).await.value::<u32>()?, 1, "{namespace:?}");
        let for_mcp = run(&host, &script, Origin::Mcp).await;
        match namespace.is_external() {
            true => assert!(for_mcp.result.unwrap_err().to_string().contains("MCP origin"), "{namespace:?}"),
            false => assert_eq!(for_mcp.value::<u32>()?, 1, "{namespace:?}"),
        }
        // Where the namespace exists, the calls fail in another way, or not at all.
        let host = Host::new()?;
        let script = Script::from_component(&host, caller(namespace.name())).await?;
        assert_ne!(run(&host, &script, Origin::Local).await.result, Ok(Some("1".to_owned())), "{namespace:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_function_that_the_wit_does_not_have_is_not_there_either() -> Result<()> {
    let text = "package ghost:g@0.1.0; interface sqldb { invented: async func(conn: string) -> string; }
        world probe { import sqldb; export run: async func(arguments: list<string>) -> result<option<string>>; }";
    let component = ghost_tests::component::made(Resolve::default(), text, &ghost_tests::component::trapping());
    let host = Host::builder().without(Namespace::Sqldb).build()?;
    let refused = Script::from_component(&host, component).await.map(drop).unwrap_err();
    assert!(refused.to_string().contains("ghost:g/sqldb@0.1.0"), "{refused}");
    Ok(())
}

#[tokio::test]
async fn a_secret_is_not_checked_for_a_namespace_that_is_switched_off() -> Result<()> {
    // Nothing listens on port 1.
    let secret = Secret::from("postgres://user:password@127.0.0.1:1/database?sslmode=disable".to_owned());
    let checked =
        async |host: Host| host.check_secret(&secret).await.iter().map(|one| one.namespace).collect::<Vec<_>>();
    assert_eq!(checked(Host::new()?).await, ["sqldb"]);
    assert!(checked(Host::builder().without(Namespace::Sqldb).build()?).await.is_empty());
    Ok(())
}
