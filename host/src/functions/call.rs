//! One call of a function by a script.

use std::{
    any::{Any, type_name},
    fmt,
    sync::Arc,
};

use serde::de::DeserializeOwned;

use super::arguments;
use crate::{Context, Error};

/// One call of a function by a script.
pub struct Call {
    /// The arguments, each as JSON.
    arguments: Arc<Vec<String>>,
    context: Option<Context>,
}

impl Call {
    pub(super) fn new(arguments: Arc<Vec<String>>, context: Option<Context>) -> Self {
        Self { arguments, context }
    }

    /// Reads the arguments into a tuple, for example `(String, Option<u32>)`, or a `Vec`. A missing argument is read as `null`, so
    /// it may be an `Option`.
    ///
    /// Fails with `wrong-kind`, which names the argument, when one has another type or a member that its type refuses, and when
    /// the script passed more arguments than the tuple has. JSON that is nested in more than 127 levels is refused.
    pub fn arguments<T: DeserializeOwned>(&self) -> Result<T, Error> {
        arguments::read(&self.arguments)
    }

    /// Returns the [context](crate::RunOptions::context) of the run.
    ///
    /// Fails with `internal` when the run has none, or one of another type.
    pub fn context<T: Any + Send + Sync>(&self) -> Result<&T, Error> {
        let context = self.context.as_deref().and_then(|context| context.downcast_ref());
        context.ok_or_else(|| {
            let expected = type_name::<T>();
            Error::internal(format!("the options of the run have no context of the type {expected}"))
        })
    }
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("arguments", &self.arguments.len()).finish_non_exhaustive()
    }
}
