//! A script of MCP origin reaches nothing external: not by its engine, and not by a component that was made by hand.

use ghost_tests::{
    component::{made, trapping, wit, world},
    folder::Folder,
    program::repository,
};
use wit_parser::Resolve;

/// The interfaces of `script` that `local-script` lacks.
fn external() -> Vec<String> {
    let (resolve, package) = wit();
    let imports = |name| resolve.worlds[world(&resolve, package, name)].imports.keys().cloned().collect::<Vec<_>>();
    let local = imports("local-script");
    let external = imports("script").into_iter().filter(|key| !local.contains(key));
    let external: Vec<_> = external.map(|key| resolve.name_world_key(&key)).collect();
    assert!(!external.is_empty(), "there is nothing that the tests could look at");
    external
}

/// A component that imports this and exports what scripts export; its code only traps.
fn importing(interface: &str) -> Vec<u8> {
    let text = format!(
        "package test:probe; world probe {{ import {interface}; use ghost:g/types@0.1.0.{{json, failure}};
         export run: async func(arguments: list<json>) -> result<option<json>, failure>; }}"
    );
    made(wit().0, &text, &trapping())
}

fn run(folder: &Folder, component: &[u8], origin: &str) -> ghost_tests::folder::Finished {
    folder.write("probe.wasm", component);
    folder.ghost(["run", "--origin", origin, "probe.wasm"]).finish()
}

#[test]
fn a_component_that_imports_an_external_interface_does_not_start_for_mcp() {
    for interface in external() {
        let (folder, component) = (Folder::new(), importing(&interface));
        // It fits the full world: there its code runs, and traps.
        run(&folder, &component, "local").exits(1).says("trapped");
        let refused = run(&folder, &component, "mcp").fails_clearly(2);
        refused.says(&format!("the component imports {interface}")).says("MCP origin").says("ghost run");
    }
}

#[test]
fn a_component_that_imports_local_interfaces_alone_starts_for_mcp() {
    let (folder, component) = (Folder::new(), importing("ghost:g/store@0.1.0"));
    for origin in ["local", "mcp"] {
        run(&folder, &component, origin).exits(1).says("trapped");
    }
}

#[test]
fn the_local_engine_imports_nothing_external() {
    let imports = |name: &str| {
        let bytes = std::fs::read(repository().join("guest/engine").join(name)).expect("the engine is committed");
        let decoded = wit_component::decode(&bytes).expect("the engine is a component");
        let resolve = decoded.resolve();
        let worlds = resolve.worlds.iter();
        let imports = worlds.flat_map(|(_, world)| world.imports.keys()).map(|key| resolve.name_world_key(key));
        imports.filter(|name| name.starts_with("ghost:g/")).collect::<Vec<_>>()
    };
    let (resolve, package) = wit();
    let world = &resolve.worlds[world(&resolve, package, "local-engine")];
    let mut allowed: Vec<_> = world.imports.keys().map(|key| resolve.name_world_key(key)).collect();
    allowed.retain(|name| name.starts_with("ghost:g/"));
    allowed.sort();
    for (local, full) in [("local-engine.wasm", "engine.wasm"), ("bundle-local-engine.wasm", "bundle-engine.wasm")] {
        let (mut local, full) = (imports(local), imports(full));
        local.sort();
        assert_eq!(local, allowed);
        for interface in external() {
            assert!(full.contains(&interface) && !local.contains(&interface), "{interface}: {full:?} {local:?}");
        }
    }
}

/// A component that was made against another WIT: with an interface that ghost does not have, or has in another form.
#[test]
fn a_component_that_imports_an_invented_interface_starts_nowhere() {
    let text = "package ghost:g@0.1.0; interface sqldb { invented: async func(conn: string) -> string; }
        world probe { import sqldb; export run: async func(arguments: list<string>) -> result<option<string>>; }";
    let component = made(Resolve::default(), text, &trapping());
    for origin in ["local", "mcp"] {
        run(&Folder::new(), &component, origin).fails_clearly(2).says("ghost:g/sqldb@0.1.0");
    }
}

#[test]
fn every_external_method_refuses_a_script_of_mcp_origin_whatever_its_arguments() {
    let (resolve, package) = wit();
    for name in external() {
        let short = name.trim_start_matches("ghost:g/").split('@').next().unwrap_or_default().to_owned();
        let interface = resolve.packages[package].interfaces[&short];
        assert!(!resolve.interfaces[interface].functions.is_empty());
        let source = format!(
            "export async function main() {{
  const seen = [];
  for (const method of Object.keys(g.{short}).filter((name) => /^[a-z]/.test(name))) {{
    for (const given of [[], ['conn'], ['conn', 'x', null, 1], [Symbol('x'), {{}}, () => 1], [new Proxy({{}}, {{ get() {{ throw 1; }} }})]]) {{
      const error = await g.{short}[method](...given).then(() => null, (error) => error);
      if (!(error instanceof GError) || error.code !== 'BLOCKED' || error.namespace !== '{short}' || error.method !== method) return [method, String(error)];
      if (!/MCP origin/.test(error.message) || !/ghost run/.test(error.message)) return error.message;
    }}
    seen.push(method);
  }}
  return seen.length > 0;
}}"
        );
        Folder::new().script(["--origin", "mcp"], &source).finish().exits(0).prints("true\n");
    }
}
