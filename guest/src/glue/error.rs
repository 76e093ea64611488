//! Why a method gives no result, and the error that the script gets of it.

use javy::quickjs::{self, Ctx, Object, Persistent, Promise, Value, object::Property};

use super::{Kept, Method, define, generated, to_script};
use crate::{bindings::ghost::g::types::ErrorCode, exception::script_stack};

/// Why the host refused a call.
pub use crate::bindings::ghost::g::types::Error as HostError;

/// Why a method gives no result.
pub enum Fault {
    /// An argument is of the wrong kind: a `TypeError`.
    Kind(String),
    /// An argument is of the right kind and out of bounds: a `RangeError`.
    Bounds(String),
    /// The host refused: a `GError`, or a `TypeError` or `RangeError` when it refused an argument.
    Host(HostError),
    /// The script's own code threw, in a getter or a `toJSON`. It gets its exception back.
    Script(quickjs::Error),
    /// As `Script`, and it has been taken out of the engine since.
    Thrown(Persistent<Value<'static>>),
}

impl From<quickjs::Error> for Fault {
    fn from(error: quickjs::Error) -> Self {
        Self::Script(error)
    }
}

impl From<HostError> for Fault {
    fn from(error: HostError) -> Self {
        Self::Host(error)
    }
}

/// A script of MCP origin does not reach other systems.
#[cfg(any(test, not(feature = "external")))]
pub fn blocked() -> HostError {
    let message = "a script of MCP origin can't use external systems: ask the user to run it with ghost run, \
                   or to put what it needs into the workspace, where g.store, g.queue and g.search find it";
    HostError { code: ErrorCode::Blocked, message: message.into(), details: None }
}

impl Fault {
    /// Throws it. `stack` is the script's place in the code, where that is not on the stack any more.
    pub fn throw(self, ctx: &Ctx<'_>, method: &Method, stack: Option<String>) -> quickjs::Error {
        let refused = |message| HostError { code: ErrorCode::InvalidArgument, message, details: None };
        let made = match self {
            // Some of rquickjs's functions say that something is unknown, and leave the exception where it is.
            Self::Script(_) if ctx.has_exception() => return quickjs::Error::Exception,
            Self::Script(error) => return error,
            Self::Thrown(thrown) => return thrown.restore(ctx).map_or_else(|error| error, |thrown| ctx.throw(thrown)),
            Self::Kind(message) => make(ctx, Class::Type, method, refused(message)),
            Self::Bounds(message) => make(ctx, Class::Range, method, refused(message)),
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

    /// A promise that is rejected with it.
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

/// The script's place in the code, as the `stack` of an error has it, without lines of ours; none if the script switched
/// stacks off.
pub fn stack(ctx: &Ctx<'_>) -> quickjs::Result<Option<String>> {
    let error: Object = Kept::of(ctx)?.error.construct(())?;
    let stack = error.get::<_, Value>("stack")?.as_string().and_then(|stack| stack.to_string().ok());
    Ok(stack.map(|stack| script_stack(&stack)))
}

/// A member of an exception, if it is a string. It may be a getter of the script's that throws.
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

/// An error with its fields. The constructors leave out their own frame, so the stack starts with the script's.
fn make<'js>(ctx: &Ctx<'js>, class: Class, method: &Method, error: HostError) -> quickjs::Result<Object<'js>> {
    let kept = Kept::of(ctx)?;
    let message = (error.message,);
    let object: Object = match class {
        Class::Type => kept.type_error.construct(message)?,
        Class::Range => kept.range_error.construct(message)?,
        Class::Host => {
            let object: Object = kept.error.construct(message)?;
            object.set_prototype(Some(&kept.host_error_prototype))?;
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
