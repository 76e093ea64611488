//! Functions that a program adds to `g` in the scripts of its host.
//!
//! ```
//! use ghost::{Error, Host, functions::Functions};
//!
//! # fn main() -> Result<(), Error> {
//! let billing = Functions::new("billing")
//!     .function("rate", |call| {
//!         let (currency,): (String,) = call.arguments()?;
//!         match currency.as_str() {
//!             "EUR" => Ok(1.08),
//!             _ => Err(Error::invalid(format!("there is no rate for {currency:?}"))),
//!         }
//!     })
//!     .types("rate(currency: string): number;");
//! // Scripts of this host can call g.billing.rate("EUR").
//! let host = Host::builder().functions(billing).build()?;
//! # Ok(())
//! # }
//! ```

mod arguments;
mod call;
mod declarations;
mod names;
mod output;
mod run_functions;
mod table;
#[cfg(test)]
mod tests;

use std::{fmt, future::Future, pin::Pin, sync::Arc};

use serde::Serialize;

use crate::Error;
pub use call::Call;
pub use declarations::DECLARATIONS;
use output::Output;
pub(crate) use run_functions::RunFunctions;
pub(crate) use table::Table;

/// A namespace of functions. Scripts of every origin can call them, also in a run that may only read its workspace: the
/// embedder alone decides what they do for which run.
///
/// What a run wrote is on disk before a function is called. An error that a function returns reaches the script with its code,
/// message and details; the message of one with the code `internal` goes to the log instead. A panic in a function
/// becomes an error with the code `internal`, and the run continues.
#[derive(Clone)]
#[must_use]
pub struct Functions {
    namespace: String,
    functions: Vec<(String, Body)>,
    types: Option<String>,
}

/// What a function executes. The result is JSON, which [`Output`] counts.
#[derive(Clone)]
enum Body {
    Synchronous(Arc<dyn Fn(Call, Output) -> Result<String, Error> + Send + Sync>),
    Asynchronous(Arc<dyn Fn(Call, Output) -> Answer + Send + Sync>),
}

type Answer = Pin<Box<dyn Future<Output = Result<String, Error>> + Send>>;

impl Functions {
    /// Creates an empty namespace.
    ///
    /// The names of the namespace and of its functions have at most 64 characters: ASCII letters, digits, `_` and `$`. They don't
    /// begin with a digit or with `__`, and are none of a few names with a meaning in JavaScript, such as `then` or `toString`.
    /// No two namespaces of `g` have the same name, and no two functions of a namespace.
    /// [`HostBuilder::build`](crate::HostBuilder::build) refuses other names.
    pub fn new(namespace: impl Into<String>) -> Self {
        Self { namespace: namespace.into(), functions: Vec::new(), types: None }
    }

    /// Adds a function that returns its result directly. What it returns is serialized as JSON; `()` becomes `null`.
    ///
    /// It runs on a thread of the runtime, with a stack of 1 MiB, and can't be interrupted. A function that takes longer than a
    /// few milliseconds should be an [asynchronous](Self::async_function) one.
    pub fn function<R: Serialize>(
        mut self,
        name: impl Into<String>,
        function: impl Fn(Call) -> Result<R, Error> + Send + Sync + 'static,
    ) -> Self {
        let body = move |call: Call, output: Output| output.serialize(&function(call)?);
        self.functions.push((name.into(), Body::Synchronous(Arc::new(body))));
        self
    }

    /// Adds a function that returns a promise. Its calls count as calls to external systems: at most
    /// [`Limits::calls`](crate::Limits::calls) of both together are in progress at a time, and further ones wait. The future is
    /// dropped when the time of the run is over, or the run is dropped.
    pub fn async_function<R: Serialize, F: Future<Output = Result<R, Error>> + Send + 'static>(
        mut self,
        name: impl Into<String>,
        function: impl Fn(Call) -> F + Send + Sync + 'static,
    ) -> Self {
        let function = Arc::new(function);
        let body = move |call: Call, output: Output| -> Answer {
            let function = Arc::clone(&function);
            // A panic before the first `await` is then one of the future.
            Box::pin(async move { output.serialize(&function(call).await?) })
        };
        self.functions.push((name.into(), Body::Asynchronous(Arc::new(body))));
        self
    }

    /// Sets the declarations of the functions in TypeScript: the members of an object type, such as
    /// `rate(currency: string): number;`. [`Host::declarations`](crate::Host::declarations) contains them; without them, the
    /// functions take and return anything.
    pub fn types(mut self, members: impl Into<String>) -> Self {
        self.types = Some(members.into());
        self
    }
}

impl fmt::Debug for Functions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.functions.iter().map(|(name, _)| name).collect();
        f.debug_struct("Functions")
            .field("namespace", &self.namespace)
            .field("functions", &names)
            .finish_non_exhaustive()
    }
}
