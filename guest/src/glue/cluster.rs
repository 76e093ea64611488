//! Converts the arguments of `g.clustersearch`. `clustersearch.wit` defines their format.

use javy::quickjs::Value;

use super::{
    argument_path::ArgumentPath,
    error::CallError,
    from_script::{json, text, wrong_type},
};

/// Reads a document (`json-object`).
pub fn object(path: &ArgumentPath<'_>, value: &Value<'_>) -> Result<String, CallError> {
    let is_object = value.is_object() && !value.is_array() && !value.is_function();
    if !is_object {
        return Err(wrong_type(path, "an object", value));
    }
    let text = json(path, value)?;
    // A Date is a string in JSON.
    if text.starts_with('{') { Ok(text) } else { Err(not_an_object(path)) }
}

/// Reads documents (`json-objects`). The host checks that each is an object.
pub fn objects(path: &ArgumentPath<'_>, value: &Value<'_>) -> Result<String, CallError> {
    if value.is_array() { json(path, value) } else { Err(wrong_type(path, "an array of objects", value)) }
}

/// Reads a body (`json-body`): an object, or JSON text, which the host checks.
pub fn body(path: &ArgumentPath<'_>, value: &Value<'_>) -> Result<String, CallError> {
    if value.is_string() {
        return text(path, value);
    }
    if !value.is_object() || value.is_array() || value.is_function() {
        return Err(wrong_type(path, "an object or JSON text", value));
    }
    object(path, value)
}

/// Reads when a document becomes visible (`refresh`).
pub fn refresh(path: &ArgumentPath<'_>, value: &Value<'_>) -> Result<String, CallError> {
    if let Some(boolean) = value.as_bool() {
        return Ok(boolean.to_string());
    }
    let allowed = "true, false or \"wait_for\"";
    match value.as_string().map(|string| string.to_string().unwrap_or_default()).as_deref() {
        Some("wait_for") => Ok("wait_for".to_owned()),
        Some(_) => Err(CallError::OutOfBounds(format!("{path} must be {allowed}, not {}", super::show::value(value)))),
        None => Err(wrong_type(path, allowed, value)),
    }
}

fn not_an_object(path: &ArgumentPath<'_>) -> CallError {
    CallError::WrongType(format!("{path} must be an object in JSON, and is another value there"))
}

#[cfg(test)]
mod tests {
    use javy::{Config, Runtime};

    use super::*;

    type Convert = fn(&ArgumentPath<'_>, &Value<'_>) -> Result<String, CallError>;

    /// Returns what an argument is converted to, or the error.
    fn taken(convert: Convert, script: &str) -> String {
        let runtime = Runtime::new(Config::default()).unwrap();
        runtime.context().with(|ctx| {
            super::super::install(&ctx).unwrap();
            let value: Value = ctx.eval(format!("({script})")).unwrap();
            match convert(&ArgumentPath::Argument("it"), &value) {
                Ok(text) => text,
                Err(CallError::WrongType(message)) => format!("TypeError: {message}"),
                Err(CallError::OutOfBounds(message)) => format!("RangeError: {message}"),
                Err(_) => "another error".to_owned(),
            }
        })
    }

    #[test]
    fn a_document_is_an_object() {
        assert_eq!(taken(object, "{ a: [1, { b: null }], c: undefined }"), r#"{"a":[1,{"b":null}]}"#);
        assert_eq!(taken(object, "{ toJSON: () => ({ a: 1 }) }"), r#"{"a":1}"#);
        for (script, found) in [("[]", "an array"), ("'{}'", "a string"), ("null", "null"), ("() => 1", "a function")] {
            assert_eq!(taken(object, script), format!("TypeError: it must be an object, not {found}"));
        }
        let expected = "TypeError: it must be an object in JSON, and is another value there";
        assert_eq!(taken(object, "new Date(0)"), expected);
        assert!(
            taken(object, "{ a: 1n }").starts_with("TypeError: it.a is a BigInt"),
            "{}",
            taken(object, "{ a: 1n }")
        );
    }

    #[test]
    fn a_body_is_an_object_or_text() {
        assert_eq!(taken(body, "{ query: {} }"), r#"{"query":{}}"#);
        assert_eq!(taken(body, "' {\"a\":12345678901234567890} '"), r#" {"a":12345678901234567890} "#);
        assert_eq!(taken(body, "5"), "TypeError: it must be an object or JSON text, not a number");
        assert_eq!(taken(body, "[]"), "TypeError: it must be an object or JSON text, not an array");
    }

    #[test]
    fn refresh_has_three_values() {
        assert_eq!(["true", "false", "'wait_for'"].map(|one| taken(refresh, one)), ["true", "false", "wait_for"]);
        assert_eq!(taken(refresh, "'soon'"), "RangeError: it must be true, false or \"wait_for\", not \"soon\"");
        assert_eq!(taken(refresh, "1"), "TypeError: it must be true, false or \"wait_for\", not a number");
    }
}
