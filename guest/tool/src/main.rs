//! Builds an engine from its core module: converts it to a component without names. With `--initialize`, it runs `init` of
//! the component, and stores the resulting state as its initial state (wizer). Clocks and random numbers are fixed, so the
//! output is reproducible.
//!
//! `ghost-engine-tool [--initialize] CORE.wasm ENGINE.wasm`

use std::{env, fs, mem, time::Duration};

use anyhow::{Context, Result, bail};
use wasm_encoder::{ComponentSectionId, Encode, RawSection, Section};
use wasmparser::{Encoding, Parser, Payload};
use wasmtime::{
    Config, Engine, Store,
    component::{Component, Instance, Lift, Linker, ResourceTable, ResourceType, WasmList, types::ComponentItem},
};
use wasmtime_wasi::{Deterministic, HostMonotonicClock, HostWallClock, WasiCtx, WasiCtxView, WasiView};
use wasmtime_wizer::{ComponentInstanceState, Wizer};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().collect();
    let (core, engine, is_initialized) = match &arguments[..] {
        [_, core, engine] => (core, engine, false),
        [_, flag, core, engine] if flag == "--initialize" => (core, engine, true),
        _ => bail!("usage: ghost-engine-tool [--initialize] CORE.wasm ENGINE.wasm"),
    };
    let core = fs::read(core).with_context(|| core.clone())?;
    let mut component = wit_component::ComponentEncoder::default()
        .module(&core)?
        .adapter(
            "wasi_snapshot_preview1",
            wasi_preview1_component_adapter_provider::WASI_SNAPSHOT_PREVIEW1_PROXY_ADAPTER,
        )?
        .validate(true)
        .encode()?;
    if is_initialized {
        component = initialise(&component).await?;
    }
    fs::write(engine, without_names(&component)?)?;
    Ok(())
}

/// Copies a component without its custom sections, which contain names for debuggers.
fn without_names(component: &[u8]) -> Result<Vec<u8>> {
    let (mut copy, mut outer) = (Vec::new(), Vec::new());
    for payload in Parser::new(0).parse_all(component) {
        let payload = payload?;
        match &payload {
            Payload::Version { encoding: Encoding::Component, .. } => copy.extend(wasm_encoder::Component::HEADER),
            Payload::Version { encoding: Encoding::Module, .. } => copy.extend(wasm_encoder::Module::HEADER),
            Payload::ModuleSection { .. } => outer.push((ComponentSectionId::CoreModule, mem::take(&mut copy))),
            Payload::ComponentSection { .. } => outer.push((ComponentSectionId::Component, mem::take(&mut copy))),
            Payload::End(_) => {
                let Some((id, mut whole)) = outer.pop() else { break };
                whole.push(id.into());
                copy.encode(&mut whole);
                copy = whole;
            }
            Payload::CustomSection(_) => {}
            _ => {
                if let Some((id, range)) = payload.as_section() {
                    RawSection { id, data: &component[range] }.append_to(&mut copy);
                }
            }
        }
    }
    Ok(copy)
}

/// Returns the component with the state after its `init`.
///
/// These are the steps of `Wizer::run_component`, which would require features of Wasmtime that the program does not
/// use.
async fn initialise(component: &[u8]) -> wasmtime::Result<Vec<u8>> {
    let mut wizer = Wizer::new();
    wizer.init_func("init").keep_init_func(true);
    let (context, instrumented) = wizer.instrument_component(component)?;

    let mut config = Config::new();
    config.wasm_component_model_async(true);
    let engine = Engine::new(&config)?;
    let instrumented = Component::new(&engine, &instrumented)?;
    let mut store = Store::new(&engine, State::new());
    let mut linker = Linker::new(&engine);
    wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
    reject_host_calls(&mut linker, &instrumented)?;
    let instance = linker.instantiate_async(&mut store, &instrumented).await?;
    instance.get_typed_func::<(), ()>(&mut store, "init")?.call_async(&mut store, ()).await?;
    wizer.snapshot_component(&context, &mut Access { store, instance }).await
}

/// Makes `init` fail when it calls the host, because the answer would be part of every run.
fn reject_host_calls(linker: &mut Linker<State>, component: &Component) -> wasmtime::Result<()> {
    let engine = linker.engine().clone();
    for (name, item) in component.component_type().imports(&engine) {
        let ComponentItem::ComponentInstance(instance) = item.ty else { continue };
        if name.starts_with("wasi:") {
            continue;
        }
        let mut linker = linker.instance(name)?;
        for (export, item) in instance.exports(&engine) {
            match item.ty {
                ComponentItem::ComponentFunc(kind) if kind.async_() => {
                    linker.func_new_concurrent(export, |_, _, _, _| {
                        Box::pin(async { wasmtime::bail!("init called the host") })
                    })?;
                }
                ComponentItem::ComponentFunc(_) => {
                    linker.func_new(export, |_, _, _, _| wasmtime::bail!("init called the host"))?;
                }
                ComponentItem::Resource(_) => linker.resource(export, ResourceType::host::<()>(), |_, _| Ok(()))?,
                _ => {}
            }
        }
    }
    Ok(())
}

struct State {
    wasi: WasiCtx,
    resources: ResourceTable,
}

impl State {
    fn new() -> Self {
        let random = || Deterministic::new(vec![0x5a]);
        let wasi = WasiCtx::builder()
            .secure_random(random())
            .insecure_random(random())
            .insecure_random_seed(0)
            .wall_clock(StoppedClock)
            .monotonic_clock(StoppedClock)
            .build();
        Self { wasi, resources: ResourceTable::new() }
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.resources }
    }
}

/// A clock that does not advance.
struct StoppedClock;

impl HostWallClock for StoppedClock {
    fn resolution(&self) -> Duration {
        Duration::from_nanos(1)
    }

    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

impl HostMonotonicClock for StoppedClock {
    fn resolution(&self) -> u64 {
        1
    }

    fn now(&self) -> u64 {
        0
    }
}

/// Reads the state of the instance through the functions that wizer has added.
struct Access {
    store: Store<State>,
    instance: Instance,
}

impl Access {
    async fn call<R: Lift + Send + Sync + 'static>(&mut self, interface: &str, function: &str) -> R {
        let get = async {
            let interface = self.instance.get_export_index(&mut self.store, None, interface)?;
            let function = self.instance.get_export_index(&mut self.store, Some(&interface), function)?;
            let function = self.instance.get_typed_func::<(), (R,)>(&mut self.store, function).ok()?;
            Some(function.call_async(&mut self.store, ()).await.ok()?.0)
        };
        get.await.expect("wizer has added this function")
    }
}

impl ComponentInstanceState for Access {
    async fn call_func_ret_list_u8(&mut self, interface: &str, function: &str, take: impl FnOnce(&[u8]) + Send) {
        let list: WasmList<u8> = self.call(interface, function).await;
        take(list.as_le_slice(&self.store));
    }

    async fn call_func_ret_s32(&mut self, interface: &str, function: &str) -> i32 {
        self.call(interface, function).await
    }

    async fn call_func_ret_s64(&mut self, interface: &str, function: &str) -> i64 {
        self.call(interface, function).await
    }

    async fn call_func_ret_f32(&mut self, interface: &str, function: &str) -> u32 {
        self.call::<f32>(interface, function).await.to_bits()
    }

    async fn call_func_ret_f64(&mut self, interface: &str, function: &str) -> u64 {
        self.call::<f64>(interface, function).await.to_bits()
    }
}
