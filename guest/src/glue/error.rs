//! The errors that `g` throws. All carry `code`, `namespace`, `method` and `message`, and `details` where there are some.

use std::cell::RefCell;

use javy::quickjs::{Ctx, Error, Persistent, Result, Value, function::Constructor};

use super::Method;
use crate::bindings::ghost::g::types::{self, ErrorCode};

thread_local! {
    /// The classes of errors, as they were before a script could touch them.
    static CLASSES: RefCell<Option<Classes>> = const { RefCell::new(None) };
}

#[derive(Clone)]
struct Classes {
    host: Persistent<Constructor<'static>>,
    kind: Persistent<Constructor<'static>>,
    range: Persistent<Constructor<'static>>,
}

/// Tells which class the errors of the host have, and keeps the language's own.
pub fn keep_error_classes<'js>(ctx: &Ctx<'js>, host: Constructor<'js>) -> Result<()> {
    let own = |name: &str| Ok::<_, Error>(Persistent::save(ctx, ctx.globals().get::<_, Constructor<'js>>(name)?));
    let classes = Classes { host: Persistent::save(ctx, host), kind: own("TypeError")?, range: own("RangeError")? };
    CLASSES.set(Some(classes));
    Ok(())
}

/// Why an argument is refused.
pub enum Refusal {
    /// The wrong kind of value: a TypeError.
    Kind,
    /// Out of bounds: a RangeError.
    Range,
}

/// Throws a refusal.
pub fn refuse(ctx: &Ctx<'_>, method: &Method, refusal: Refusal, message: &str) -> Error {
    let class = |classes: Classes| match refusal {
        Refusal::Kind => classes.kind,
        Refusal::Range => classes.range,
    };
    method.throw(ctx, class, message, "INVALID_ARGUMENT", None)
}

impl Method {
    /// What the host answered, or its error thrown.
    pub fn check<T>(&self, ctx: &Ctx<'_>, answer: std::result::Result<T, types::Error>) -> Result<T> {
        answer.map_err(|error| match error.code {
            ErrorCode::InvalidArgument => refuse(ctx, self, Refusal::Range, &error.message),
            _ => {
                let details = error.details.and_then(|details| ctx.json_parse(details).ok());
                self.throw(ctx, |classes| classes.host, &error.message, code(error.code), details)
            }
        })
    }

    fn throw<'js>(
        &self,
        ctx: &Ctx<'js>,
        class: impl FnOnce(Classes) -> Persistent<Constructor<'static>>,
        message: &str,
        code: &str,
        details: Option<Value<'js>>,
    ) -> Error {
        let thrown = || {
            let classes = CLASSES.with_borrow(Clone::clone).ok_or(Error::Unknown)?;
            let error: Value<'js> = class(classes).restore(ctx)?.construct((message,))?;
            self.decorate(&error, code, details)?;
            Ok(ctx.throw(error))
        };
        thrown().unwrap_or_else(|error| error)
    }

    fn decorate<'js>(&self, error: &Value<'js>, code: &str, details: Option<Value<'js>>) -> Result<()> {
        let Some(error) = error.as_object() else { return Ok(()) };
        error.set("code", code)?;
        error.set("namespace", self.namespace)?;
        error.set("method", self.name)?;
        if let Some(details) = details {
            error.set("details", details)?;
        }
        let stack: Option<String> = error.get("stack")?;
        stack.map_or(Ok(()), |stack| error.set("stack", crate::exception::script_stack(&stack)))
    }
}

/// As JavaScript has it: `NOT_FOUND`.
fn code(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::InvalidArgument => "INVALID_ARGUMENT",
        ErrorCode::NoWorkspace => "NO_WORKSPACE",
        ErrorCode::Blocked => "BLOCKED",
        ErrorCode::SecretNotFound => "SECRET_NOT_FOUND",
        ErrorCode::SecretInvalid => "SECRET_INVALID",
        ErrorCode::NotFound => "NOT_FOUND",
        ErrorCode::Conflict => "CONFLICT",
        ErrorCode::QuerySyntax => "QUERY_SYNTAX",
        ErrorCode::AccessDenied => "ACCESS_DENIED",
        ErrorCode::PathDenied => "PATH_DENIED",
        ErrorCode::Unavailable => "UNAVAILABLE",
        ErrorCode::Timeout => "TIMEOUT",
        ErrorCode::Limit => "LIMIT",
        ErrorCode::Busy => "BUSY",
        ErrorCode::Data => "DATA",
        ErrorCode::Backend => "BACKEND",
        ErrorCode::Internal => "INTERNAL",
    }
}
