//! The functions of the embedder, as one run calls them.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread,
};

use futures_util::FutureExt;

use super::{Body, Call, Output, Table, arguments::tree_bytes};
use crate::{
    Context, Error,
    gate::{self, ByteCounter},
};

/// The functions of the embedder, with the context of a run. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct RunFunctions {
    table: Arc<Table>,
    context: Option<Context>,
}

/// Namespace and name of a function.
pub(crate) type Name = (String, String);

impl RunFunctions {
    pub(crate) fn new(table: Arc<Table>, context: Option<Context>) -> Self {
        Self { table, context }
    }

    pub(crate) fn table(&self) -> &Table {
        &self.table
    }

    /// Calls a synchronous function.
    pub(crate) fn call(
        &self,
        gate_call: &gate::Call<'_>,
        name: &Name,
        arguments: &Arc<Vec<String>>,
    ) -> Result<String, Error> {
        let Body::Synchronous(function) = self.table.find(&name.0, &name.1)? else {
            return Err(Error::invalid("the function is asynchronous: call it with call-async"));
        };
        let (_counted, call, output) = self.prepare(gate_call, arguments)?;
        ended(name, catch_unwind(AssertUnwindSafe(|| function(call, output))))
    }

    /// Calls an asynchronous function.
    pub(crate) async fn call_async(
        &self,
        gate_call: &gate::Call<'_>,
        name: &Name,
        arguments: &Arc<Vec<String>>,
    ) -> Result<String, Error> {
        let Body::Asynchronous(function) = self.table.find(&name.0, &name.1)? else {
            return Err(Error::invalid("the function is not asynchronous: call it with call"));
        };
        let (_counted, call, output) = self.prepare(gate_call, arguments)?;
        ended(name, AssertUnwindSafe(function(call, output)).catch_unwind().await)
    }

    /// Returns what a function receives, and counts the memory that it needs to read its arguments.
    fn prepare(
        &self,
        gate_call: &gate::Call<'_>,
        arguments: &Arc<Vec<String>>,
    ) -> Result<(ByteCounter, Call, Output), Error> {
        let mut counted = gate_call.argument_counter();
        counted.grow(arguments.iter().map(|json| tree_bytes(json)).sum())?;
        let call = Call::new(Arc::clone(arguments), self.context.clone());
        Ok((counted, call, Output::new(gate_call.answer_counter())))
    }
}

/// Returns the result of a function. A panic becomes an internal error of the call. So does an error that would end the run: the
/// function may have got it from a workspace that it uses itself, which does not concern this run.
fn ended(name: &Name, returned: thread::Result<Result<String, Error>>) -> Result<String, Error> {
    let result = returned.unwrap_or_else(|panic| Err(panicked(name, &*panic)));
    result.map_err(|error| if error.ends_run() { Error::internal(error) } else { error })
}

fn panicked((namespace, name): &Name, panic: &(dyn Any + Send)) -> Error {
    let message = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    Error::internal(format!("the function {namespace}.{name} panicked: {}", message.unwrap_or("no message")))
}
