//! Stand-ins for the namespaces that a host does not offer.
//!
//! A component that imports an interface can't start without it, and the JavaScript engine imports all of its world. The stand-ins
//! are therefore made from the engine's own type: each function of the interface exists, and fails with `blocked`. A component in
//! another language gets the same ones; Wasmtime checks its types at each call.

use wasmtime::{
    StoreContextMut,
    component::{
        Component, Linker, LinkerInstance, ResourceType, Val,
        types::{ComponentInstance, ComponentItem},
    },
};

use super::Namespace;
use crate::run::State;

/// A resource of a namespace that is not offered. No function creates one.
enum NeverCreated {}

/// Links stand-ins for namespaces, from the type of the engine of the world.
pub(crate) fn link(linker: &mut Linker<State>, engine: &Component, not_offered: &[Namespace]) -> wasmtime::Result<()> {
    let config = linker.engine().clone();
    for (name, import) in engine.component_type().imports(&config) {
        let namespace = Namespace::of_interface(name).filter(|namespace| not_offered.contains(namespace));
        if let (Some(namespace), ComponentItem::ComponentInstance(interface)) = (namespace, import.ty) {
            link_interface(&mut linker.instance(name)?, &config, &interface, &refusal(namespace))?;
        }
    }
    Ok(())
}

fn link_interface(
    linker: &mut LinkerInstance<'_, State>,
    config: &wasmtime::Engine,
    interface: &ComponentInstance,
    refusal: &Val,
) -> wasmtime::Result<()> {
    for (name, export) in interface.exports(config) {
        let refusal = refusal.clone();
        match export.ty {
            ComponentItem::ComponentFunc(function) if function.async_() => {
                linker.func_new_concurrent(name, move |accessor, _, arguments, results| {
                    let refused = accessor.with(|mut access| {
                        access.get().count_call();
                        close_streams(&mut access, arguments)
                    });
                    results.fill(refusal.clone());
                    Box::pin(std::future::ready(refused))
                })?;
            }
            ComponentItem::ComponentFunc(_) => {
                linker.func_new(name, move |mut store: StoreContextMut<'_, State>, _, _, results| {
                    store.data_mut().count_call();
                    results.fill(refusal.clone());
                    Ok(())
                })?;
            }
            ComponentItem::Resource(_) => linker.resource(name, ResourceType::host::<NeverCreated>(), |_, _| Ok(()))?,
            // The other exports of an interface are types, which need no definition.
            _ => {}
        }
    }
    Ok(())
}

/// Closes the streams in the arguments of a call, so that their writers do not wait for a reader.
fn close_streams(mut store: impl wasmtime::AsContextMut, arguments: &[Val]) -> wasmtime::Result<()> {
    for argument in arguments {
        if let Val::Stream(stream) = argument {
            stream.clone().close(&mut store)?;
        }
    }
    Ok(())
}

/// The result of each function: the record `error` of `types.wit`.
fn refusal(namespace: Namespace) -> Val {
    let field = |name: &str, value| (name.to_owned(), value);
    let error = vec![
        field("code", Val::Enum("blocked".to_owned())),
        field("message", Val::String(message(namespace))),
        field("details", Val::Option(None)),
    ];
    Val::Result(Err(Some(Box::new(Val::Record(error)))))
}

fn message(namespace: Namespace) -> String {
    let reason = if namespace.is_built_in() { "it is switched off" } else { "ghost was built without it" };
    format!("this host does not offer g.{}: {reason}", namespace.name())
}
