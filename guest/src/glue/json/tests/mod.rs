//! The writer beside `JSON.stringify`: random values, and every kind of value that is refused, anywhere.

mod random;

use javy::{
    Config, Runtime,
    quickjs::{Coerced, Exception, Function, Result, function::Opt},
};

use super::*;

/// Runs a script that has `strict` and `loose`, which give JSON, and `lost`, which gives what that does not show.
fn evaluate(script: &str) -> String {
    let mut config = Config::default();
    config.weak_ref(true);
    let runtime = Runtime::new(config).unwrap();
    runtime.context().with(|ctx| {
        super::super::install(&ctx).unwrap();
        let globals = ctx.globals();
        globals.set("strict", Function::new(ctx.clone(), strict_text)).unwrap();
        globals.set("loose", Function::new(ctx.clone(), loose_text)).unwrap();
        globals.set("lost", Function::new(ctx.clone(), lost_text)).unwrap();
        let value = ctx.eval::<Value, _>(script).unwrap_or_else(|_| ctx.catch());
        value.get::<Coerced<String>>().unwrap().0
    })
}

fn strict_text<'js>(ctx: Ctx<'js>, value: Opt<Value<'js>>) -> Result<String> {
    let value = value.0.unwrap_or_else(|| Value::new_undefined(ctx.clone()));
    strict(&ArgumentPath::Argument("data"), &value).map_err(|error| match error {
        CallError::WrongType(message) => Exception::throw_type(&ctx, &message),
        CallError::OutOfBounds(message) => Exception::throw_range(&ctx, &message),
        CallError::Script(error) => error,
        _ => Exception::throw_internal(&ctx, "another error"),
    })
}

fn written<'js>(value: &Value<'js>) -> Result<Written> {
    loose(value).map_err(|error| match error {
        WriteError::Thrown(error) => error,
        other => Exception::throw_type(value.ctx(), &other.message(|path| format!("data{path}"))),
    })
}

fn loose_text<'js>(value: Value<'js>) -> Result<Option<String>> {
    Ok(written(&value)?.text)
}

fn lost_text<'js>(value: Value<'js>) -> Result<String> {
    Ok(match written(&value)?.lost {
        None => "nothing".to_owned(),
        Some(lost) => lost.message(|path| format!("data{path}")),
    })
}

#[track_caller]
fn writes(value: &str, expected: &str) {
    assert_eq!(evaluate(&format!("strict({value})")), expected, "{value}");
    assert_eq!(evaluate(&format!("JSON.stringify({value})")), expected, "{value}");
}

/// `{}` stands for the value.
#[track_caller]
fn refuses(value: &str, message: &str) {
    assert_eq!(evaluate(&format!("strict({value})")), message, "{value}");
}

#[test]
fn values_that_lose_nothing_are_written_as_stringify_writes_them() {
    writes(
        "{ a: new Date(0), b: undefined, f: -0, g: [1, [], {}, ''] }",
        r#"{"a":"1970-01-01T00:00:00.000Z","f":0,"g":[1,[],{},""]}"#,
    );
    writes(
        r"'\ud800 \udc00\u{1F600}\u2028\x7f\x1f\b\f\n\r\t\\/é€'",
        "\"\\ud800 \\udc00\u{1f600}\u{2028}\u{7f}\\u001f\\b\\f\\n\\r\\t\\\\/é€\"",
    );
    writes(r"{ '\ud800': 1, '\n': 2, 'é': 3 }", r#"{"\ud800":1,"\n":2,"é":3}"#);
    writes("{ b: 1, 10: 2, a: 3, 9: 4, [Symbol('s')]: 5, '-1': 6 }", r#"{"9":4,"10":2,"b":1,"a":3,"-1":6}"#);
    writes(
        "[1e21, 1e-7, 5e-324, 0.1, 123456789012, -1.5, 4294967296, 1.7976931348623157e308]",
        "[1e+21,1e-7,5e-324,0.1,123456789012,-1.5,4294967296,1.7976931348623157e+308]",
    );
    writes("[new String('s'), new Number(1.5), new Boolean(false), null, true]", r#"["s",1.5,false,null,true]"#);
    writes("{ toJSON(key) { return { key, nested: [{ toJSON: (key) => key }] } } }", r#"{"key":"","nested":["0"]}"#);
    writes(
        "{ a: { toJSON: (key) => key }, 7: { toJSON: (key) => typeof key }, gone: { toJSON() {} } }",
        r#"{"7":"string","a":"a"}"#,
    );
    writes("new Proxy({ a: [new Proxy([1, 2], {})] }, {})", r#"{"a":[[1,2]]}"#);
    writes("Object.create({ inherited: 1 })", "{}");
    writes("Object.defineProperty({ a: 1 }, 'hidden', { value: 1 })", r#"{"a":1}"#);
    writes("new (class { a = 1; #b = 2; get c() { return 3 } })()", r#"{"a":1}"#);
    writes("{ get a() { return [1] } }", r#"{"a":[1]}"#);
    writes(
        "(() => { const twice = { x: 1 }; return [twice, { twice }, twice]; })()",
        r#"[{"x":1},{"twice":{"x":1}},{"x":1}]"#,
    );
    writes(
        "(() => { const o = { get a() { delete o.b; o.d = 4; return 1; }, b: 2, c: 3 }; return o; })()",
        r#"{"a":1,"c":3}"#,
    );
    writes(
        "(() => { const a = [1, 2, 3]; Object.defineProperty(a, 0, { get() { a.length = 2; return 0; } }); a[2] = 3; return [a[1]]; })()",
        "[2]",
    );
    writes("(function () { return arguments; })(1, 2)", r#"{"0":1,"1":2}"#);
    assert_eq!(
        evaluate(
            "BigInt.prototype.toJSON = function (key) { return `${this}${key}` }; strict({ a: 10n, b: Object(1n) })"
        ),
        r#"{"a":"10a","b":"1b"}"#
    );
    assert_eq!(
        evaluate(
            "String.prototype.toJSON = 1; Map.prototype.toJSON = function () { return [...this] }; strict(new Map([[1, 2]]))"
        ),
        "[[1,2]]"
    );
    assert_eq!(evaluate("Date.prototype.toISOString = () => 'mine'; strict([new Date(0)])"), r#"["mine"]"#);
    assert_eq!(evaluate("const d = new Date(NaN); d.toJSON = () => null; strict(d)"), "null");
    assert_eq!(
        evaluate(
            "Boolean.prototype.valueOf = () => 5; Number.prototype.valueOf = () => 6; strict([new Boolean(false), new Number(1)])"
        ),
        "[false,6]"
    );
}

/// What is refused, and what the message calls it.
const REFUSED: [(&str, &str); 36] = [
    ("() => 1", "a function"),
    ("class {}", "a function"),
    ("new Proxy(() => 1, {})", "a function"),
    ("Symbol('s')", "a symbol"),
    ("Object(Symbol())", "a symbol"),
    ("10n", "a BigInt"),
    ("Object(10n)", "a BigInt"),
    ("NaN", "NaN"),
    ("-Infinity", "-Infinity"),
    ("1 / 0", "Infinity"),
    ("new Number(NaN)", "NaN"),
    ("new Date(NaN)", "an invalid Date"),
    ("(() => { const d = new Date(0); d.toJSON = undefined; return d; })()", "a Date without its toJSON"),
    ("new Map([[1, 2]])", "a Map"),
    ("new (class extends Map { a = 1 })()", "a Map"),
    ("new Proxy(new Map(), {})", "a Map"),
    ("new Set([1])", "a Set"),
    ("new WeakMap()", "a WeakMap"),
    ("new WeakSet()", "a WeakSet"),
    ("new WeakRef({})", "a WeakRef"),
    ("new Uint8Array([1, 2])", "a Uint8Array"),
    ("new Float64Array(1)", "a Float64Array"),
    ("new BigInt64Array(1)", "a BigInt64Array"),
    ("new ArrayBuffer(1)", "an ArrayBuffer"),
    ("new DataView(new ArrayBuffer(1))", "a DataView"),
    ("/x/g", "a RegExp"),
    ("new Error('e')", "an Error"),
    ("Object.assign(new RangeError('e'), { code: 1 })", "an Error"),
    ("(function* () { yield 1 })()", "a generator"),
    ("(async function* () {})()", "an async generator"),
    ("[1].values()", "an iterator"),
    ("new Map().keys()", "an iterator"),
    ("'x'.matchAll(/x/g)", "an iterator"),
    ("[1].values().map((x) => x)", "an iterator"),
    ("new (class { #a = 1 })()", "an object of which all members are private"),
    ("new Proxy(new Proxy(new Set(), {}), {})", "a Set"),
];

#[test]
fn values_without_json_are_refused_with_their_path() {
    for (value, what) in REFUSED {
        refuses(value, &format!("TypeError: data is {what}, which JSON can't hold"));
        refuses(
            &format!("{{ a: 1, b: [0, {value}] }}"),
            &format!("TypeError: data.b[1] is {what}, which JSON can't hold"),
        );
        refuses(
            &format!("{{ toJSON: () => ({{ x: {value} }}) }}"),
            &format!("TypeError: data.x is {what}, which JSON can't hold"),
        );
    }
    refuses("", "TypeError: data is undefined, which JSON can't hold");
    refuses("[undefined]", "TypeError: data[0] is undefined, which JSON can't hold");
    refuses("[1, , 2]", "TypeError: data[1] is undefined, which JSON can't hold");
    refuses("new Array(4e9)", "TypeError: data[0] is undefined, which JSON can't hold");
    refuses("{ toJSON() {} }", "TypeError: data is an object whose toJSON returns undefined, which JSON can't hold");
    refuses(
        "[{ toJSON() {} }]",
        "TypeError: data[0] is an object whose toJSON returns undefined, which JSON can't hold",
    );
    refuses("{ items: [0, 1, 2, { price: NaN }] }", "TypeError: data.items[3].price is NaN, which JSON can't hold");
    refuses("{ 'a b': Promise.resolve() }", "TypeError: data[\"a b\"] is a Promise, which JSON can't hold: await it");
}

#[test]
fn a_cycle_is_refused_with_both_its_places() {
    let again =
        |path: &str, first: &str| format!("TypeError: data{path} is data{first} again, a cycle, which JSON can't hold");
    refuses("(() => { const a = []; a.push([a]); return a; })()", &again("[0][0]", ""));
    refuses("(() => { const a = { b: {} }; a.b.c = a.b; return [a]; })()", &again("[0].b.c", "[0].b"));
    refuses(
        "(() => { const p = new Proxy({}, { get: (_, name) => name === 'a' ? p : undefined, ownKeys: () => ['a'], \
             getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }) }); return p; })()",
        &again(".a", ""),
    );
}

#[test]
fn nesting_has_a_limit_of_its_own_and_uses_no_stack() {
    let nested = |depth: usize| {
        format!(
            "(() => {{ let data = 0; for (let i = 0; i < {depth}; i++) data = i % 2 ? [data] : {{ a: data }}; return data; }})()"
        )
    };
    let length = |depth: usize| (depth * 4 + 1).to_string();
    assert_eq!(evaluate(&format!("strict({}).length", nested(MAX_DEPTH))), length(MAX_DEPTH));
    let message = format!("RangeError: data is nested deeper than the limit of {MAX_DEPTH} levels");
    refuses(&nested(MAX_DEPTH + 1), &message);
    refuses(&nested(100_000), &message);
    refuses("(() => { const deeper = () => ({ get a() { return deeper() } }); return deeper(); })()", &message);
    assert_eq!(evaluate(&format!("loose({}).length", nested(MAX_RESULT_DEPTH))), length(MAX_RESULT_DEPTH));
}

#[test]
fn an_exception_of_the_script_goes_on_as_it_is() {
    for value in [
        "{ get a() { throw 'mine' } }",
        "{ toJSON() { throw 'mine' } }",
        "{ get toJSON() { throw 'mine' } }",
        "new Proxy({}, { ownKeys() { throw 'mine' } })",
        "Object.assign(new Number(1), { valueOf() { throw 'mine' } })",
    ] {
        refuses(value, "mine");
    }
    refuses(
        "(() => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; })()",
        "TypeError: revoked proxy",
    );
}

#[test]
fn the_first_value_that_is_lost_is_told() {
    for (value, told) in [
        ("{ a: NaN, b: [undefined, () => 1] }", "nothing"),
        ("new Map()", "data is a Map, which JSON shows as {}"),
        (
            "{ data: { tags: new Set(), more: [new Map(), new Error('e')] } }",
            "data.data.tags is a Set, which JSON shows as {} (the first of 3 such values)",
        ),
        ("[Promise.resolve(), 1]", "data[0] is a Promise, which JSON shows as {}: await it"),
        (
            "{ error: Object.assign(new Error('e'), { code: 1 }) }",
            "data.error is an Error, of which JSON shows only its own enumerable members",
        ),
        ("{ at: { toJSON: () => 1 } }", "nothing"),
    ] {
        assert_eq!(evaluate(&format!("lost({value})")), told, "{value}");
    }
}
