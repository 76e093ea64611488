//! The error of a method, and its conversion to an exception.

use javy::quickjs::{self, Ctx, Object, Persistent, Promise, Value, object::Property};

use super::{Intrinsics, Method, define, generated, to_script};
use crate::{bindings::ghost::g::types::ErrorCode, exception::script_stack};

/// The error that the host returned.
pub use crate::bindings::ghost::g::types::Error as HostError;

/// The error of a method.
pub enum CallError {
    /// An argument has the wrong type: a `TypeError`.
    WrongType(String),
    /// An argument has the right type and is out of bounds: a `RangeError`.
    OutOfBounds(String),
    /// The host returned an error: a `GError`, or a `TypeError` or `RangeError` for an argument.
    Host(HostError),
    /// Code of the script threw, in a getter or a `toJSON`. The pending exception is rethrown.
    Script(quickjs::Error),
    /// Code of the script threw, and the exception is no longer pending.
    Thrown(Persistent<Value<'static>>),
}

impl From<quickjs::Error> for CallError {
    fn from(error: quickjs::Error) -> Self {
        Self::Script(error)
    }
}

impl From<HostError> for CallError {
    fn from(error: HostError) -> Self {
        Self::Host(error)
    }
}

/// Returns the error of an external method in the engine without external namespaces.
#[cfg(any(test, not(feature = "external")))]
pub fn blocked() -> HostError {
    let message = "a script of MCP origin, or a bundle compiled with --local, can't use external systems: ask the user to \
                   run the script itself with ghost run, or to put what it needs into the workspace, where g.store, \
                   g.queue and g.search find it";
    HostError { code: ErrorCode::Blocked, message: message.into(), details: None }
}

impl CallError {
    /// Throws the error. `stack` is the stack of the script, if it is no longer the current one.
    pub fn throw(self, ctx: &Ctx<'_>, method: &Method, stack: Option<String>) -> quickjs::Error {
        let refused = |message| HostError { code: ErrorCode::InvalidArgument, message, details: None };
        let made = match self {
            // Some functions of rquickjs return another error and leave the exception pending.
            Self::Script(_) if ctx.has_exception() => return quickjs::Error::Exception,
            Self::Script(error) => return error,
            Self::Thrown(thrown) => return thrown.restore(ctx).map_or_else(|error| error, |thrown| ctx.throw(thrown)),
            Self::WrongType(message) => make(ctx, Class::Type, method, refused(message)),
            Self::OutOfBounds(message) => make(ctx, Class::Range, method, refused(message)),
            Self::Host(error) => match error.code {
                ErrorCode::WrongKind => make(ctx, Class::Type, method, error),
                ErrorCode::InvalidArgument => make(ctx, Class::Range, method, error),
                _ => make(ctx, Class::Host, method, error),
            },
        };
        match made.and_then(|error| with_stack(error, stack)) {
            Ok(error) => ctx.throw(error.into_value()),
            Err(error) => error,
        }
    }

    /// Returns a promise that is rejected with the error.
    pub fn reject<'js>(self, ctx: &Ctx<'js>, method: &Method) -> quickjs::Result<Value<'js>> {
        let (promise, _, reject) = Promise::new(ctx)?;
        let thrown = self.throw(ctx, method, None);
        if !thrown.is_exception() {
            return Err(thrown);
        }
        reject.call::<_, ()>((ctx.catch(),))?;
        Ok(promise.into_value())
    }
}

/// Returns the current stack, without frames of the engine; none if the script has disabled stacks.
pub fn stack(ctx: &Ctx<'_>) -> quickjs::Result<Option<String>> {
    let error: Object = Intrinsics::of(ctx)?.error.construct(())?;
    let stack = error.get::<_, Value>("stack")?.as_string().and_then(|stack| stack.to_string().ok());
    Ok(stack.map(|stack| script_stack(&stack)))
}

/// Returns a member of an exception, if it is a string and its getter does not throw.
fn read(ctx: &Ctx<'_>, error: &Object<'_>, name: &str) -> Option<String> {
    match error.get::<_, Value>(name) {
        Ok(value) => value.as_string().and_then(|text| text.to_string().ok()),
        Err(_) => {
            ctx.catch();
            None
        }
    }
}

#[derive(Clone, Copy)]
enum Class {
    Type,
    Range,
    Host,
}

/// Creates an error with its fields. The constructors omit their own frame, so the stack starts with the script.
fn make<'js>(ctx: &Ctx<'js>, class: Class, method: &Method, error: HostError) -> quickjs::Result<Object<'js>> {
    let intrinsics = Intrinsics::of(ctx)?;
    let message = (error.message,);
    let object: Object = match class {
        Class::Type => intrinsics.type_error.construct(message)?,
        Class::Range => intrinsics.range_error.construct(message)?,
        Class::Host => {
            let object: Object = intrinsics.error.construct(message)?;
            object.set_prototype(Some(&intrinsics.host_error_prototype))?;
            object
        }
    };
    let text = |text: &str| quickjs::String::from_str(ctx.clone(), text).map(quickjs::String::into_value);
    define(&object, "code", text(generated::code(error.code))?)?;
    define(&object, "namespace", text(method.namespace)?)?;
    define(&object, "method", text(method.name)?)?;
    if let Some(details) = error.details {
        define(&object, "details", to_script::json(ctx, details)?)?;
    }
    Ok(object)
}

fn with_stack<'js>(error: Object<'js>, stack: Option<String>) -> quickjs::Result<Object<'js>> {
    let stack = match stack {
        None => read(error.ctx(), &error, "stack").map(|stack| script_stack(&stack)),
        known => known,
    };
    if let Some(stack) = stack {
        error.prop("stack", Property::from(stack).writable().configurable())?;
    }
    Ok(error)
}
