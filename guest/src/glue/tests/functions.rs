//! The namespaces that the host adds.

use super::*;
use crate::{bindings::ghost::g::functions::FunctionInfo, glue::functions::install as add};

fn info(namespace: &str, name: &str, asynchronous: bool) -> FunctionInfo {
    FunctionInfo { namespace: namespace.to_owned(), name: name.to_owned(), asynchronous }
}

/// Evaluates a script in a run whose host adds functions, and returns its value as text.
fn evaluate_with(functions: &[FunctionInfo], script: &str) -> String {
    let runtime = Runtime::new(Config::default()).unwrap();
    runtime.context().with(|ctx| {
        define(&ctx.globals(), "g", install(&ctx).unwrap().into_value()).unwrap();
        add(&ctx, functions).unwrap();
        let value = ctx.eval::<Value, _>(script).unwrap_or_else(|_| ctx.catch());
        value.get::<javy::quickjs::Coerced<String>>().unwrap().0
    })
}

fn evaluate(script: &str) -> String {
    let billing = [info("billing", "rate", false), info("billing", "charge", true), info("mail", "send", true)];
    evaluate_with(&billing, script)
}

#[test]
fn they_are_objects_of_g_with_a_method_for_each_function() {
    assert_eq!(evaluate("Object.keys(g).slice(-2).join()"), "billing,mail");
    assert_eq!(evaluate("Object.keys(g.billing).join() + Object.keys(g.mail)"), "rate,chargesend");
    assert_eq!(
        evaluate("[g.billing.rate.name, g.billing.rate.length, typeof g.billing.ratee].join()"),
        "rate,0,undefined"
    );
    assert_eq!(evaluate("typeof g.functions"), "undefined");
}

#[test]
fn all_of_them_is_frozen_and_so_is_g() {
    assert_eq!(evaluate("[g, g.billing, g.billing.rate, g.mail].every(Object.isFrozen)"), "true");
    assert_eq!(evaluate("'use strict'; g.billing.rate = 1"), "TypeError: 'rate' is read-only");
    assert_eq!(evaluate_with(&[], "Object.isFrozen(g)"), "true");
}

#[test]
fn an_argument_that_json_has_no_form_for_is_refused_with_its_path() {
    for (argument, message) in [
        ("undefined", "arguments[1] is undefined, which JSON can't hold"),
        ("{ items: [10n] }", "arguments[1].items[0] is a BigInt, which JSON can't hold"),
        ("[NaN]", "arguments[1][0] is NaN, which JSON can't hold"),
        ("() => 1", "arguments[1] is a function, which JSON can't hold"),
    ] {
        assert_eq!(evaluate(&format!("g.billing.rate('EUR', {argument})")), format!("TypeError: {message}"));
    }
    let cycle = evaluate("const a = {}; a.a = a; g.billing.rate(a)");
    assert!(cycle.starts_with("TypeError: arguments[0]") && cycle.contains("cycle"), "{cycle}");
    let deep = evaluate("let a = 1; for (let i = 0; i < 1001; i++) a = [a]; g.billing.rate(a)");
    assert!(deep.starts_with("RangeError: arguments[0]"), "{deep}");
}

#[test]
fn an_error_names_namespace_and_method() {
    let fields = "[e.name, e.code, e.namespace, e.method].join()";
    assert_eq!(
        evaluate(&format!("try {{ g.billing.rate(1n) }} catch (e) {{ {fields} }}")),
        "TypeError,INVALID_ARGUMENT,billing,rate"
    );
}

#[test]
fn an_asynchronous_function_throws_nothing() {
    assert_eq!(evaluate("const p = g.billing.charge(1n); p.catch(() => {}); p instanceof Promise"), "true");
}
