//! Errors of members that do not exist, and of promises that are not awaited.

use super::*;

#[test]
fn a_method_that_a_namespace_does_not_have_is_named_with_the_closest_one() {
    assert_eq!(evaluate("g.store.putt('c', 'k', 1)"), "TypeError: g.store has no method putt; did you mean put?");
    assert_eq!(evaluate("g?.store?.Put(1)"), "TypeError: g.store has no method Put; did you mean put?");
    assert_eq!(evaluate("g.store.delte.call(1)"), "TypeError: g.store has no method delte; did you mean delete?");
    assert_eq!(
        evaluate("const { store } = g; store.putt(1)"),
        "TypeError: g.store has no method putt; did you mean put?"
    );
    let listed = evaluate("g.test.remember(1)");
    assert!(listed.starts_with("TypeError: g.test has no method remember; it has take, "), "{listed}");
}

#[test]
fn a_namespace_that_g_does_not_have_is_named_with_the_closest_one() {
    assert_eq!(evaluate("g.stor.put('c', 'k', 1)"), "TypeError: g has no namespace stor; did you mean store?");
    assert_eq!(evaluate("g.stor.length"), "TypeError: g has no namespace stor; did you mean store?");
    assert_eq!(evaluate("((s) => s.stor.put(1))(g)"), "TypeError: g has no namespace stor; did you mean store?");
    assert_eq!(evaluate("g.stor()"), "TypeError: g has no namespace stor; did you mean store?");
    assert_eq!(evaluate("g.stor"), "undefined");
    assert_eq!(evaluate("g.stor?.put"), "undefined");
}

#[test]
fn a_call_of_what_is_no_function_names_it() {
    let rows = [
        ("const f = {}; f(1)", "f is not a function"),
        ("const o = {}; o.f(1, [2].map((x) => x))", "f is not a function"),
        ("const o = {}; o['f'](1)", "not a function"),
        ("const f = () => 1; f(2)(3)", "not a function"),
        ("const g = {}; g.putt()", "putt is not a function"),
        ("g.store()", "store is not a function"),
        ("({}).a.b", "cannot read property 'b' of undefined"),
    ];
    for (script, message) in rows {
        assert_eq!(evaluate(script), format!("TypeError: {message}"), "{script}");
    }
}

#[test]
fn a_promise_that_is_not_awaited_is_named() {
    let rows = [
        ("((rows) => rows[0].name)(Promise.resolve([]))", "rows has no items: it is a Promise, await it"),
        (
            "(() => { const rows = Promise.resolve([]); return rows.hits.length; })()",
            "rows has no member hits: it is a Promise, await it",
        ),
        ("((rows) => rows.map((row) => row))(Promise.resolve([]))", "map is not a function of a Promise: await it"),
        ("for (const row of Promise.resolve([])) row;", "a Promise is not iterable: await it"),
        ("const [row] = Promise.resolve([])", "a Promise is not iterable: await it"),
        ("g.test.take('text', Promise.resolve('a'))", "value must be a string, not a Promise: await it"),
        ("g.test.take('list', Promise.resolve([]))", "statements must be an array, not a Promise: await it"),
    ];
    for (script, message) in rows {
        assert_eq!(evaluate(script), format!("TypeError: {message}"), "{script}");
    }
}
