//! The glue as a script meets it. The host is not there: what is called stops short of it, or takes methods made here.

mod functions;
mod missing;
mod options;
mod values;

use javy::{
    Config, Runtime,
    quickjs::{Ctx, Object, Value, context::EvalOptions},
};

use super::*;
use crate::bindings::ghost::g::{
    store::StoreDoc,
    types::{Error, ErrorCode},
};

static TAKE: Method = Method { namespace: "test", name: "take", waits: false };
static GIVE: Method = Method { namespace: "test", name: "give", waits: false };
static FAIL: Method = Method { namespace: "test", name: "fail", waits: false };
static REACH: Method = Method { namespace: "test", name: "reach", waits: false };
static ASK: Method = Method { namespace: "test", name: "ask", waits: false };

/// Evaluates a script that has `g`, and `test` with methods of its own; gives its value as text.
fn evaluate(script: &str) -> String {
    let runtime = Runtime::new(Config::default()).unwrap();
    runtime.context().with(|ctx| {
        let g = install(&ctx).unwrap();
        define(&g, "test", test_methods(&ctx).unwrap().into_value()).unwrap();
        define(&ctx.globals(), "g", g.into_value()).unwrap();
        let mut options = EvalOptions::default();
        options.filename = Some("script.js".to_owned());
        let value = ctx.eval_with_options::<Value, _>(script, options).unwrap_or_else(|_| ctx.catch());
        value.get::<javy::quickjs::Coerced<String>>().unwrap().0
    })
}

fn test_methods<'js>(ctx: &Ctx<'js>) -> quickjs::Result<Object<'js>> {
    let test = Object::new(ctx.clone())?;
    // Takes its argument as the kind says, and gives what came of it as text.
    add_method(&test, "take", &TAKE, 2, Kind::Value, |ctx, arguments| {
        let kind = arguments.required(0, "kind", from_script::text)?;
        let taken = take(&kind, arguments)?;
        Ok(to_script::text(ctx, taken)?)
    })?;
    add_method(&test, "give", &GIVE, 0, Kind::Value, |ctx, _| {
        let doc = |key: &str, data: &str| StoreDoc {
            key: key.to_owned(),
            data: data.to_owned(),
            created_at: "2026-01-02T03:04:05.678Z".to_owned(),
            updated_at: "2026-01-02T03:04:05.678Z".to_owned(),
        };
        let docs = vec![doc("ada", r#"{"born":1815,"__proto__":1}"#), doc("zoe", "null")];
        Ok(to_script::array(ctx, docs, generated::store_doc_to_script)?)
    })?;
    add_method(&test, "cut", &GIVE, 0, Kind::Value, |ctx, _| Ok(to_script::json(ctx, "[1\0]")?))?;
    add_method(&test, "fail", &FAIL, 1, Kind::Value, |_, arguments| {
        let code = arguments.required(0, "code", from_script::text)?;
        let code = match code.as_str() {
            "NOT_FOUND" => ErrorCode::NotFound,
            "WRONG_KIND" => ErrorCode::WrongKind,
            _ => ErrorCode::InvalidArgument,
        };
        let details = Some(r#"{"position":3}"#.to_owned());
        Err(CallError::Host(Error { code, message: "key is 3000 bytes, the limit is 2048".to_owned(), details }))
    })?;
    add_method(&test, "ask", &ASK, 1, Kind::Promise, |ctx, arguments| {
        arguments.required(0, "name", from_script::text)?;
        Ok(to_script::nothing(ctx))
    })?;
    // What stands in the local engine for a method of an external namespace.
    add_method(&test, "reach", &REACH, 2, Kind::Promise, blocked)?;
    Ok(test)
}

fn take(kind: &str, arguments: &Arguments<'_, '_>) -> Result<String, CallError> {
    let shown = |value: &dyn std::fmt::Debug| format!("{value:?}");
    Ok(match kind {
        "text" => shown(&arguments.required(1, "value", from_script::text)?),
        "error" => shown(&arguments.required(1, "error", from_script::error_text)?),
        "optional" => shown(&arguments.optional(1, "value", from_script::text)?),
        "json" => arguments.required(1, "data", from_script::json)?,
        "values" => arguments.required(1, "params", sql::values)?,
        "boolean" => shown(&arguments.required(1, "value", from_script::boolean)?),
        "byte" => shown(&arguments.required(1, "value", |path, value| from_script::whole::<u8>(path, value, 0, 255))?),
        "large" => {
            let most = (1 << 53) - 1;
            shown(&arguments.required(1, "value", |path, value| from_script::whole::<i64>(path, value, -most, most))?)
        }
        "priority" => {
            shown(&arguments.required(1, "value", |path, value| from_script::whole_of::<u32>(path, value, &[0, 1, 2]))?)
        }
        "method" => {
            shown(&arguments.required(1, "value", |path, value| from_script::text_of(path, value, &["GET", "PUT"]))?)
        }
        "number" => shown(&arguments.required(1, "value", from_script::number)?),
        "ratio" => {
            shown(&arguments.required(1, "value", |path, value| from_script::number_within(path, value, 0.0, 1.5))?)
        }
        "texts" => {
            shown(&arguments.required(1, "value", |path, value| from_script::list(path, value, from_script::text))?)
        }
        "options" => shown(&arguments.optional(1, "options", generated::store_list_options_from_script)?),
        _ => shown(&arguments.required(1, "statements", |path, value| {
            from_script::list(path, value, generated::store_list_options_from_script)
        })?),
    })
}

/// What `g.test.take` makes of an argument, written in JavaScript.
fn taken(kind: &str, argument: &str) -> String {
    evaluate(&format!("g.test.take('{kind}', {argument})"))
}

#[test]
fn a_missing_argument_is_named() {
    assert_eq!(evaluate("g.store.put()"), "TypeError: collection must be a string, not undefined");
    assert_eq!(evaluate("g.store.put('a', 'b')"), "TypeError: data is undefined, which JSON can't hold");
}

#[test]
fn an_argument_of_the_wrong_kind_is_refused_with_its_kind() {
    let kinds = [
        ("null", "null"),
        ("true", "a boolean"),
        ("1.5", "a number"),
        ("10n", "a BigInt"),
        ("Symbol('s')", "a symbol"),
        ("() => 1", "a function"),
        ("class {}", "a function"),
        ("[]", "an array"),
        ("({})", "an object"),
        ("new String('x')", "an object"),
        ("{ toString() { throw 1 } }", "an object"),
        ("new Proxy({}, { get() { throw 1 } })", "an object"),
    ];
    for (argument, kind) in kinds {
        assert_eq!(taken("text", argument), format!("TypeError: value must be a string, not {kind}"));
    }
}

#[test]
fn an_error_says_where_it_comes_from() {
    let fields = "[e instanceof TypeError, e.name, e.code, e.namespace, e.method, Object.keys(e)].join()";
    assert_eq!(
        evaluate(&format!("try {{ g.store.count(1) }} catch (e) {{ {fields} }}")),
        "true,TypeError,INVALID_ARGUMENT,store,count,code,namespace,method"
    );
}

#[test]
fn an_argument_that_the_host_refuses_is_a_range_error_or_a_type_error() {
    let fields = "[e.name, e instanceof globalThis[e.name], e.message, e.code, e.details.position].join()";
    for (code, class) in [("INVALID_ARGUMENT", "RangeError"), ("WRONG_KIND", "TypeError")] {
        assert_eq!(
            evaluate(&format!("try {{ g.test.fail('{code}') }} catch (e) {{ {fields} }}")),
            format!("{class},true,key is 3000 bytes, the limit is 2048,INVALID_ARGUMENT,3")
        );
    }
}

#[test]
fn every_other_failure_of_the_host_is_a_gerror() {
    let fields = "[e instanceof GError, e instanceof Error, e.name, String(e), e.code, e.method, e.details.position]";
    assert_eq!(
        evaluate(&format!("try {{ g.test.fail('NOT_FOUND') }} catch (e) {{ {fields}.join() }}")),
        "true,true,GError,GError: key is 3000 bytes, the limit is 2048,NOT_FOUND,fail,3"
    );
}

#[test]
fn json_that_is_none_is_an_error_of_the_call() {
    assert_eq!(evaluate("try { g.test.cut() } catch (error) { `${error}` }"), "SyntaxError: JSON contains a NUL");
}

#[test]
fn the_stack_starts_with_the_line_of_the_script() {
    let script = "function inner() {\n  g.store.put(1);\n}\ntry {\n  inner();\n} catch (e) { e.stack }";
    let stack = evaluate(script);
    let lines: Vec<_> = stack.lines().map(str::trim).collect();
    assert!(lines[0].starts_with("at inner (script.js:2:"), "{stack}");
    assert!(lines[1].starts_with("at <eval> (script.js:5:"), "{stack}");
    assert_eq!(lines.len(), 2, "{stack}");
    let failed = evaluate("\n\ntry { g.test.fail('NOT_FOUND') } catch (e) { e.stack }");
    assert!(failed.trim_start().starts_with("at <eval> (script.js:3:"), "{failed}");
}

#[test]
fn the_stack_of_a_rejection_is_that_of_the_call() {
    let runtime = Runtime::new(Config::default()).unwrap();
    runtime.context().with(|ctx| {
        install(&ctx).unwrap();
        let stack = Some("    at main (script.js:7:3)\n".to_owned());
        let error = Error { code: ErrorCode::Timeout, message: "no answer within 5s".to_owned(), details: None };
        let thrown = finish(&ctx, &ASK, stack, Err(error), |ctx, ()| Ok(to_script::nothing(ctx))).unwrap_err();
        assert!(thrown.is_exception());
        let error = ctx.catch().into_object().unwrap();
        assert_eq!(error.get::<_, String>("stack").unwrap(), "    at main (script.js:7:3)\n");
        assert_eq!(error.get::<_, String>("code").unwrap(), "TIMEOUT");
    });
}

#[test]
fn a_bad_argument_rejects_a_promise_and_throws_nothing() {
    let script = "let seen = 'nothing'; const p = g.test.ask(1); p.catch(e => { seen = e }); p instanceof Promise";
    assert_eq!(evaluate(script), "true");
    let runtime = Runtime::new(Config::default()).unwrap();
    runtime.context().with(|ctx| {
        define(&ctx.globals(), "g", install(&ctx).unwrap().into_value()).unwrap();
        define(&ctx.globals(), "test", test_methods(&ctx).unwrap().into_value()).unwrap();
        let promise: javy::quickjs::Promise = ctx.eval("test.ask(1)").unwrap();
        assert!(promise.result::<Value>().unwrap().is_err());
        let error: Object = ctx.catch().into_object().unwrap();
        assert_eq!(error.get::<_, String>("message").unwrap(), "name must be a string, not a number");
        assert!(error.get::<_, String>("stack").unwrap().contains("eval_script:1"));
    });
}

#[test]
fn a_blocked_method_looks_at_no_argument() {
    let hostile = "new Proxy({}, { get() { throw 1; } })";
    for arguments in ["", "'conn'", "1, 2, 3, 4", "Symbol('x'), () => 1", hostile] {
        let runtime = Runtime::new(Config::default()).unwrap();
        runtime.context().with(|ctx| {
            define(&ctx.globals(), "g", install(&ctx).unwrap().into_value()).unwrap();
            define(&ctx.globals(), "test", test_methods(&ctx).unwrap().into_value()).unwrap();
            let promise: javy::quickjs::Promise = ctx.eval(format!("test.reach({arguments})")).unwrap();
            assert!(promise.result::<Value>().unwrap().is_err(), "{arguments}");
            let error: Object = ctx.catch().into_object().unwrap();
            let of = |name: &str| error.get::<_, String>(name).unwrap();
            assert_eq!((of("name"), of("code"), of("method")), ("GError".into(), "BLOCKED".into(), "reach".into()));
            let message = of("message");
            assert!(message.contains("MCP origin") && message.contains("ghost run"), "{message}");
        });
    }
}

#[test]
fn more_arguments_than_a_method_has_are_refused() {
    for (call, takes) in [
        ("put('c', 'k', 1, { ttl: 100 })", "3 arguments, not 4"),
        ("put('c', 'k', 1, undefined)", "3 arguments, not 4"),
        ("list('c', {}, 1)", "1 to 2 arguments, not 3"),
        ("count('c', 1)", "1 argument, not 2"),
        ("collections('c')", "no arguments, not 1"),
    ] {
        let told = evaluate(&format!("try {{ g.store.{call} }} catch (e) {{ `${{e}} ${{e.code}}` }}"));
        assert_eq!(told, format!("TypeError: the method takes {takes} INVALID_ARGUMENT"), "{call}");
    }
    assert_eq!(evaluate("[1].forEach(g.store.count)"), "TypeError: the method takes 1 argument, not 3");
}

#[test]
fn an_error_is_a_string_or_the_message_of_an_error() {
    assert_eq!(taken("error", "'broken'"), r#""broken""#);
    assert_eq!(taken("error", "new RangeError('too far')"), r#""too far""#);
    assert_eq!(taken("error", "12"), "TypeError: error must be a string or an Error, not a number");
    assert_eq!(taken("error", "({ message: 'x' })"), "TypeError: error must be a string or an Error, not an object");
    let hostile = "Object.defineProperty(new Error(), 'message', { get() { throw new Error('mine'); } })";
    assert_eq!(taken("error", hostile), "Error: mine");
}

#[test]
fn null_and_undefined_stand_for_absent() {
    assert_eq!(evaluate("g.test.take('optional')"), "None");
    assert_eq!(taken("optional", "null"), "None");
    assert_eq!(taken("optional", "'a'"), "Some(\"a\")");
    assert_eq!(taken("optional", "1"), "TypeError: value must be a string, not a number");
    assert_eq!(taken("options", "null"), "None");
}

#[test]
fn text_comes_whole_or_not_at_all() {
    assert_eq!(taken("text", r"'\u{1F600}ä\0'"), r#""😀ä\0""#);
    assert_eq!(taken("text", r"'\ud800'"), "RangeError: value is not well-formed Unicode");
    assert_eq!(taken("text", r"'a\udc00b'"), "RangeError: value is not well-formed Unicode");
}

#[test]
fn whole_numbers_have_bounds() {
    let refusal = |given| format!("RangeError: value must be a whole number from 0 to 255, not {given}");
    assert_eq!(taken("byte", "255"), "255");
    assert_eq!(taken("byte", "-0"), "0");
    assert_eq!(taken("byte", "2.0"), "2");
    for given in ["256", "-1", "1.5", "NaN", "Infinity", "-Infinity", "1e+21"] {
        assert_eq!(taken("byte", given), refusal(given));
    }
    assert_eq!(taken("byte", "'1'"), "TypeError: value must be a whole number from 0 to 255, not a string");
    assert_eq!(taken("byte", "new Number(1)"), "TypeError: value must be a whole number from 0 to 255, not an object");
    assert_eq!(
        taken("byte", "{ id: 1 }"),
        "TypeError: value must be a whole number from 0 to 255, not an object; give item.id"
    );
    let getter = "{ get id() { throw new Error('mine'); } }";
    assert!(taken("byte", getter).ends_with("not an object"));
    assert_eq!(taken("large", "9007199254740991"), "9007199254740991");
    assert!(taken("large", "9007199254740992").ends_with("not 9007199254740992"));
    assert_eq!(taken("priority", "2"), "2");
    assert_eq!(taken("priority", "3"), "RangeError: value must be one of 0, 1, 2, not 3");
    assert_eq!(taken("priority", "'2'"), "TypeError: value must be one of 0, 1, 2, not a string");
}

#[test]
fn numbers_have_bounds() {
    assert_eq!(taken("number", "-1.25"), "-1.25");
    assert_eq!(taken("number", "NaN"), "RangeError: value must be a finite number, not NaN");
    assert_eq!(taken("ratio", "1.5"), "1.5");
    assert_eq!(taken("ratio", "1.6"), "RangeError: value must be a number from 0 to 1.5, not 1.6");
    assert_eq!(taken("ratio", "NaN"), "RangeError: value must be a number from 0 to 1.5, not NaN");
}

#[test]
fn one_of_a_few_words() {
    assert_eq!(taken("method", "'PUT'"), "\"PUT\"");
    assert_eq!(taken("method", "'put'"), "RangeError: value must be one of \"GET\", \"PUT\", not \"put\"");
    assert_eq!(taken("method", "1"), "TypeError: value must be one of \"GET\", \"PUT\", not a number");
    assert_eq!(taken("boolean", "true"), "true");
    assert_eq!(taken("boolean", "1"), "TypeError: value must be a boolean, not a number");
}

#[test]
fn a_value_in_a_message_is_short_and_harmless() {
    let long = taken("method", "'x'.repeat(1000)");
    assert!(long.ends_with(&format!("not \"{}…\"", "x".repeat(60))), "{long}");
    let hostile = taken("method", r#"'\x1b[31m\u202e"\r\n'"#);
    assert!(hostile.ends_with(r#"not "\u{1b}[31m\u{202e}\"\r\n""#), "{hostile}");
    assert!(taken("method", r"'\ud800'").ends_with("not \"\u{fffd}\""));
}
