//! Values from a script to BSON text, and back.

use javy::{
    Config, Runtime,
    quickjs::{Ctx, Object, Value},
};

use super::{document, filter, result, results, update};
use crate::glue::{ArgumentPath, CallError, install};

/// Calls a function with `g` as a global.
fn with<T>(f: impl for<'js> FnOnce(&Ctx<'js>) -> T) -> T {
    let runtime = Runtime::new(Config::default()).unwrap();
    runtime.context().with(|ctx| {
        let g: Object = install(&ctx).unwrap();
        ctx.globals().set("g", g).unwrap();
        f(&ctx)
    })
}

/// Returns the text of a document, or the error.
fn text(script: &str) -> Result<String, String> {
    with(|ctx| written(ctx, script))
}

fn written(ctx: &Ctx<'_>, script: &str) -> Result<String, String> {
    let value: Value = ctx.eval(format!("({script})")).unwrap();
    document(&ArgumentPath::Argument("document"), &value).map_err(class_and_message)
}

fn class_and_message(error: CallError) -> String {
    match error {
        CallError::WrongType(message) => format!("TypeError: {message}"),
        CallError::OutOfBounds(message) => format!("RangeError: {message}"),
        _ => "another error".to_owned(),
    }
}

#[track_caller]
fn is_written_as(value: &str, expected: &str) {
    assert_eq!(text(&format!("{{ a: {value} }}")), Ok(format!("{{1:a{expected}}}")), "{value}");
}

#[test]
fn values_are_written_with_their_types() {
    is_written_as("null", "n");
    is_written_as("true", "t");
    is_written_as("1", "i1;");
    is_written_as("2147483648", "l2147483648;");
    is_written_as("-9007199254740991", "l-9007199254740991;");
    is_written_as("9007199254740992", "d9007199254740992;");
    is_written_as("-0", "d-0;");
    is_written_as("0.5", "d0.5;");
    is_written_as("NaN", "dNaN;");
    is_written_as("'é'", "s2:é");
    is_written_as("-5n", "l-5;");
    is_written_as("new Date(5)", "D5;");
    is_written_as("/a\\/b/i", "R4:a\\/b1:i");
    is_written_as("new Uint8Array([0, 1, 2])", "b0;4:AAEC");
    is_written_as("[1, []]", "[i1;[]]");
    is_written_as("{ b: {} }", "{1:b{}}");
    is_written_as("new Map([['2', 1], ['1', 2]])", "{1:2i1;1:1i2;}");
    is_written_as("new Number(5)", "i5;");
    is_written_as("{ toJSON() { return 7; } }", "i7;");
    is_written_as("new g.documentdb.ObjectId('65f0c0ffee65f0c0ffee65f0')", "O65f0c0ffee65f0c0ffee65f0");
    is_written_as("new g.documentdb.Code('x', { y: 1 })", "W1:x{1:yi1;}");
    is_written_as("new g.documentdb.Timestamp('5:6')", "T5:6;");
    is_written_as("new g.documentdb.Binary('AAEC', 5)", "b5;4:AAEC");
    is_written_as("new g.documentdb.MinKey()", "m");
}

#[test]
fn what_a_script_changed_is_not_called() {
    let script = "(() => { Array.prototype[Symbol.iterator] = undefined; RegExp.prototype.exec = undefined; \
                  WeakMap.prototype.get = () => 'o'; Map.prototype.forEach = undefined; \
                  return { a: new Map([]), b: new g.documentdb.Timestamp('1:2'), c: new g.documentdb.Binary('AA==') }; })()";
    assert_eq!(text(&script.replace("new Map([])", "new Map()")), Ok("{1:a{}1:bT1:2;1:cb0;4:AA==}".to_owned()));
}

/// Reads documents, runs a script with them as `read`, and returns the text of its result.
fn written_back(given: &str, script: &str) -> String {
    with(|ctx| {
        let read = results(ctx, given.to_owned()).unwrap_or_else(|_| panic!("{:?}", ctx.catch()));
        ctx.globals().set("read", read).unwrap();
        written(ctx, script).unwrap_or_else(|message| message)
    })
}

#[test]
fn what_is_read_is_written_back_unchanged() {
    let values = "1:an1:bt1:cf1:di-1;1:el4294967296;1:fl9007199254740993;1:gd0.5;1:hdNaN;1:ds3:a:}1:iD5;";
    let values = values.replace("1:ds3", "1:js3");
    let more = "1:kO65f0c0ffee65f0c0ffee65f01:lU65f0c0ff-ee65-4f0c-8ffe-e65f0c0ffee61:mN3:1.51:nT1:2;1:ob5;4:AAEC";
    let rest = "1:pC1:x1:qm1:rM1:s[i1;[]{}]1:tR1:a1:i1:uR3:a/b0:1:vR1:a1:x1:wW1:x{1:yi1;}";
    let document = format!("{{{values}{more}{rest}}}");
    let expected = document
        .replace("R3:a/b0:", "{18:$regularExpression{7:patterns3:a/b7:optionss0:}}")
        .replace("R1:a1:x", "{18:$regularExpression{7:patterns1:a7:optionss1:x}}");
    assert_eq!(written_back(&document, "read[0]"), expected);
    assert_eq!(written_back(&format!("{document}{document}"), "read[1]"), expected);
}

#[test]
fn whole_numbers_around_2_to_the_53_keep_their_type() {
    for number in ["9007199254740991", "9007199254740992", "9007199254740993"] {
        for document in [format!("{{1:al{number};}}"), format!("{{1:al-{number};}}")] {
            assert_eq!(written_back(&document, "read[0]"), document);
        }
    }
    assert_eq!(written_back("{1:al9007199254740991;}", "({ a: typeof read[0].a })"), "{1:as6:number}");
    assert_eq!(written_back("{1:al9007199254740992;}", "({ a: typeof read[0].a })"), "{1:as6:object}");
}

#[test]
fn options_of_a_regular_expression_keep_their_order() {
    assert_eq!(written_back("{1:aR1:x2:im}", "read[0]"), "{1:aR1:x2:im}");
    let extended = "{1:a{18:$regularExpression{7:patterns1:x7:optionss2:mi}}}";
    assert_eq!(written_back("{1:aR1:x2:mi}", "read[0]"), extended);
}

#[test]
fn a_chain_and_a_cycle_of_codes_are_refused() {
    let chain = "(() => { let code = {}; for (let level = 0; level < 100000; level++) \
                 code = new g.documentdb.Code('x', code); return { a: code }; })()";
    assert!(text(chain).unwrap_err().ends_with(" is nested deeper than 100 levels"));
    let cycle = "(() => { const scope = {}; scope.a = new g.documentdb.Code('x', scope); return scope; })()";
    assert!(text(cycle).unwrap_err().contains(" a cycle"));
}

#[test]
fn remarks_keep_order_and_small_longs() {
    let document = "{!19:om1:bl1:2m1:am1:11:bi1;1:2l2;1:an1:1n}".replace("!19", "!17");
    assert_eq!(written_back(&document, "read[0]"), "(1:bi1;1:2l2;1:an1:1n)");
    assert_eq!(
        written_back(&document, "(read[0].b = 5, read[0].z = 1, delete read[0].a, read[0])"),
        "(1:bi5;1:2l2;1:1n1:zi1;)"
    );
    assert_eq!(written_back(&document, "({ ...read[0] })"), "{1:1n1:2i2;1:bi1;1:an}");
    assert_eq!(written_back(&document, "({ keys: Reflect.ownKeys(read[0]) })"), "{4:keys[s1:1s1:2s1:bs1:a]}");
    assert_eq!(written_back("{1:a[!5:pl1:1i1;l2;]}", "read[0]"), "{1:a[i1;l2;]}");
    assert_eq!(written_back("{!1:p4:$oids1:x}", "({ a: read[0] })"), "{1:a(4:$oids1:x)}");
}

#[test]
fn documents_with_other_members_get_their_own() {
    let script = "({ a: JSON.stringify(read) })";
    let json = r#"[{"a":1},{"a":2},{"b":3},{"a":4,"b":5},{"a":{"b":6}},{}]"#;
    let expected = format!("{{1:as{}:{json}}}", json.len());
    assert_eq!(written_back("{1:ai1;}{1:ai2;}{1:bi3;}{1:ai4;1:bi5;}{1:a{1:bi6;}}{}", script), expected);
}

#[test]
fn instances_that_are_read_are_as_those_that_are_made() {
    let same = "({ a: ['equals', 'toString', 'text'].every((name) => read[0].a[name] !== undefined) \
                && read[0].a.equals(new g.documentdb.ObjectId('65f0c0ffee65f0c0ffee65f0')) \
                && Object.isFrozen(read[0].a) && read[0].a.constructor === g.documentdb.ObjectId })";
    assert_eq!(written_back("{1:aO65f0c0ffee65f0c0ffee65f0}", same), "{1:at}");
}

#[test]
fn a_missing_document_is_null() {
    with(|ctx| assert!(result(ctx, "n".to_owned()).unwrap().is_null()));
}

#[test]
fn a_malformed_answer_throws() {
    for text in ["{", "{1:a", "x", "{1:ai1}", "{1:an1:an}", "[", "s9:a", "O12"] {
        with(|ctx| assert!(results(ctx, text.to_owned()).is_err(), "{text}"));
    }
}

#[test]
fn undefined_is_omitted_or_refused() {
    assert_eq!(text("{ a: undefined, b: 1 }"), Ok("{1:bi1;}".to_owned()));
    assert_eq!(
        text("{ a: [undefined] }"),
        Err("TypeError: document.a[0] is undefined; use null, or leave it out".to_owned())
    );
    with(|ctx| {
        let value: Value = ctx.eval("({ a: { b: undefined } })").unwrap();
        for refused in
            [filter(&ArgumentPath::Argument("filter"), &value), update(&ArgumentPath::Argument("filter"), &value)]
        {
            let message = refused.map_err(class_and_message).unwrap_err();
            assert_eq!(message, "TypeError: filter.a.b is undefined; use null, or leave it out");
        }
    });
}
