//! What a namespace that reaches another system consists of, in addition to the methods of its WIT.

use std::{future::Future, pin::Pin, sync::Arc};

use wasmtime::component::{Accessor, HasSelf, Linker};

use super::{Link, Namespace};
use crate::{
    Error, Timeouts,
    gate::{Arguments, Call, Pool},
    run::State,
    secrets::Secret,
};

/// A namespace that reaches another system.
pub(crate) trait External {
    const NAMESPACE: Namespace;

    /// The connections that the calls with one secret share.
    type Pool: Pool;

    /// Links its interface.
    fn link(linker: &mut Linker<State>) -> wasmtime::Result<()>;

    /// Returns whether a secret has the form of its connection strings. Nothing is connected.
    fn fits(secret: &Secret) -> bool;

    /// Connects to the system, and describes it in a few words.
    fn connect(call: &Call<'_>, pool: Arc<Self::Pool>) -> impl Future<Output = Result<String, Error>> + Send;
}

/// An [`External`] as a value, for the list of them.
pub(crate) struct AnyExternal {
    pub(crate) namespace: Namespace,
    pub(super) link: Link,
    pub(crate) fits: fn(&Secret) -> bool,
    /// Reads a secret as the namespace does, and returns where its servers are. Nothing is connected.
    pub(crate) read: fn(&Secret) -> Result<String, Error>,
    /// Connects with a secret, and describes the system.
    pub(crate) connect: Connect,
}

type Connect = for<'a> fn(&'a Call<'a>, &'a Secret) -> Pin<Box<dyn Future<Output = Result<String, Error>> + Send + 'a>>;

impl AnyExternal {
    pub(super) const fn of<E: External>() -> Self {
        Self { namespace: E::NAMESPACE, link: E::link, fits: E::fits, read: read::<E>, connect: connect::<E> }
    }
}

fn read<E: External>(secret: &Secret) -> Result<String, Error> {
    E::Pool::from_secret(secret, &Timeouts::default()).map(|pool| pool.address())
}

fn connect<'a, E: External>(
    call: &'a Call<'a>,
    secret: &'a Secret,
) -> Pin<Box<dyn Future<Output = Result<String, Error>> + Send + 'a>> {
    Box::pin(async move { E::connect(call, call.pool::<E::Pool>(secret)?).await })
}

/// Makes one call of a script, with all that the script gave it.
pub(super) async fn call<T: Send, A: Arguments, R>(
    accessor: &Accessor<T, HasSelf<State>>,
    arguments: A,
    work: impl AsyncFnOnce(&Call<'_>, &A) -> Result<R, Error>,
) -> Result<R, Error> {
    let gate = accessor.with(|mut access| access.get().gate());
    gate.call(arguments, work).await
}
