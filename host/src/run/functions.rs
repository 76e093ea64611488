//! Serves `functions.wit`.

use std::sync::Arc;

use wasmtime::component::{Accessor, HasSelf};

use super::State;
use crate::{
    Error,
    bindings::ghost::g::functions::{self, FunctionInfo},
    gate::Call,
};

impl functions::Host for State {
    fn list(&mut self) -> wasmtime::Result<Vec<FunctionInfo>> {
        Ok(self.functions().table().list().to_vec())
    }

    async fn call(&mut self, namespace: String, name: String, arguments: Vec<String>) -> Result<String, Error> {
        let (gate, functions, function) = (self.gate(), self.functions(), (namespace, name));
        gate.call_synchronous(Arc::new(arguments), |call, arguments| functions.call(call, &function, arguments)).await
    }
}

impl<T: Send> functions::HostWithStore<T> for HasSelf<State> {
    async fn call_async(
        accessor: &Accessor<T, Self>,
        namespace: String,
        name: String,
        arguments: Vec<String>,
    ) -> Result<String, Error> {
        let (gate, functions) = accessor.with(|mut access| {
            let state = access.get();
            (state.gate(), state.functions())
        });
        let function = (namespace, name);
        let work = async |call: &Call<'_>, arguments: &Arc<Vec<String>>| {
            functions.call_async(call, &function, arguments).await
        };
        gate.call(Arc::new(arguments), work).await
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;
    use crate::{
        ErrorCode, Limits, Origin,
        console::Console,
        functions::{Functions, RunFunctions, Table},
        gate::{Connections, Gate},
    };

    fn state() -> State {
        let functions = Functions::new("billing")
            .function("rate", |call| call.arguments::<(u8,)>())
            .async_function("charge", |_| async { Ok(()) });
        let table = Arc::new(Table::new(vec![functions], &[]).unwrap());
        let limits = Limits::of(Origin::Local);
        let connections = Arc::new(Connections::new(1));
        let gate = Gate::new(&limits, Instant::now() + limits.time, None, connections);
        let mut state = State::new(Console::collecting(0, None), &limits, Arc::new([]), gate);
        state.set_functions(RunFunctions::new(table, None));
        state
    }

    /// The glue of the engine makes no such call; a component in another language can.
    #[tokio::test]
    async fn a_call_that_the_engine_would_not_make_is_refused() {
        let mut state = state();
        let mut call = async |namespace: &str, name: &str, arguments: &[&str]| {
            let arguments = arguments.iter().map(|&json| json.to_owned()).collect();
            functions::Host::call(&mut state, namespace.to_owned(), name.to_owned(), arguments).await
        };
        assert_eq!(call("billing", "rate", &["7"]).await.unwrap(), "[7]");
        for (namespace, name) in [("billing", "rat"), ("billing", ""), ("", "rate"), ("store", "put")] {
            assert_eq!(call(namespace, name, &["7"]).await.unwrap_err().code, ErrorCode::NotFound);
        }
        let message = call("billing", "charge", &[]).await.unwrap_err().message;
        assert_eq!(message, "the function is asynchronous: call it with call-async");
        for json in ["", "{", "7 7", "\u{0}", "[7", "NaN"] {
            let error = call("billing", "rate", &[json]).await.unwrap_err();
            assert!(error.code == ErrorCode::WrongKind && error.message.starts_with("arguments[0]: "), "{error}");
        }
    }
}
