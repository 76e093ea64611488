//! Options, lists and results.

use super::{evaluate, taken};

#[test]
fn options_are_taken_by_name() {
    assert_eq!(
        taken("options", "{ limit: 5, sort: 'createdAt', order: null, offset: undefined }"),
        "Some(StoreListOptions { limit: Some(5), offset: None, sort: Some(SortField::CreatedAt), order: None, \
         prefix: None, after: None })"
    );
    assert!(taken("options", "Object.create(null)").starts_with("Some("));
    assert!(taken("options", "new Proxy({ limit: 1 }, {})").contains("limit: Some(1)"));
}

#[test]
fn an_unknown_option_is_refused() {
    assert_eq!(
        taken("options", "{ limt: 1 }"),
        "TypeError: unknown option \"limt\": allowed are limit, offset, sort, order, prefix, after"
    );
    assert_eq!(
        taken("statements", "[{}, { limt: undefined }]"),
        "TypeError: unknown member \"limt\" of statements[1]: allowed are limit, offset, sort, order, prefix, after"
    );
    assert!(taken("options", r"{ '\ud800': 1 }").contains("unknown option \"\u{fffd}\""));
    assert!(taken("options", r"{ 'limit\0': 1 }").contains("unknown option \"limit\\0\""));
    assert!(taken("options", "{ 0: 1 }").contains("unknown option \"0\""));
}

#[test]
fn a_bad_option_is_named() {
    assert_eq!(
        taken("options", "{ limit: -1 }"),
        "RangeError: options.limit must be a whole number from 0 to 2147483647, not -1"
    );
    assert_eq!(
        taken("options", "{ sort: 'name' }"),
        "RangeError: options.sort must be one of \"key\", \"createdAt\", \"updatedAt\", not \"name\""
    );
    assert_eq!(
        taken("statements", "[{ order: 1 }]"),
        "TypeError: statements[0].order must be one of \"asc\", \"desc\", not a number"
    );
}

#[test]
fn only_a_plain_object_has_options() {
    for (argument, kind) in [
        ("[]", "an array"),
        ("() => 1", "a function"),
        ("5", "a number"),
        ("new Map([['limit', 1]])", "an object"),
        ("new (class { limit = 1 })()", "an object"),
        ("new Date()", "an object"),
    ] {
        assert_eq!(taken("options", argument), format!("TypeError: options must be a plain object, not {kind}"));
    }
}

#[test]
fn members_of_prototypes_are_not_options() {
    assert!(evaluate("Object.prototype.limit = 7; g.test.take('options', {})").contains("limit: None"));
    assert!(evaluate("Object.prototype.limt = 7; g.test.take('options', {})").contains("limit: None"));
}

#[test]
fn an_exception_of_a_getter_passes_unchanged() {
    assert_eq!(taken("options", "{ get limit() { throw 'mine' } }"), "mine");
    assert_eq!(taken("options", "new Proxy({}, { ownKeys() { throw 'mine' } })"), "mine");
    assert_eq!(taken("json", "{ get a() { throw 'mine' } }"), "mine");
    assert_eq!(taken("json", "{ toJSON() { throw new SyntaxError('mine') } }"), "SyntaxError: mine");
    assert_eq!(
        evaluate("const a = ['x']; Object.defineProperty(a, 0, { get() { throw 'mine' } }); g.test.take('texts', a)"),
        "mine"
    );
    let same = "const mine = new TypeError('circular reference'); \
                try { g.test.take('json', { toJSON() { throw mine } }) } catch (e) { e === mine }";
    assert_eq!(evaluate(same), "true");
    let nested = "const a = {}; a.a = a; g.test.take('json', { toJSON() { return JSON.stringify(a) } })";
    assert_eq!(evaluate(nested), "TypeError: circular reference");
}

#[test]
fn a_list_is_an_array_of_which_every_item_fits() {
    assert_eq!(taken("texts", "['a', 'b']"), "[\"a\", \"b\"]");
    assert_eq!(taken("texts", "['a', 1]"), "TypeError: value[1] must be a string, not a number");
    assert_eq!(taken("texts", "['a', , 'b']"), "TypeError: value[1] must be a string, not undefined");
    assert_eq!(taken("texts", "new Array(4e9)"), "TypeError: value[0] must be a string, not undefined");
    assert_eq!(taken("texts", "'ab'"), "TypeError: value must be an array, not a string");
    assert_eq!(taken("texts", "new Uint8Array(2)"), "TypeError: value must be an array, not an object");
}

#[test]
fn results_are_ordinary_objects() {
    assert_eq!(
        evaluate("JSON.stringify(g.test.give())"),
        r#"[{"key":"ada","data":{"born":1815,"__proto__":1},"createdAt":"2026-01-02T03:04:05.678Z","updatedAt":"2026-01-02T03:04:05.678Z"},{"key":"zoe","data":null,"createdAt":"2026-01-02T03:04:05.678Z","updatedAt":"2026-01-02T03:04:05.678Z"}]"#
    );
    let kinds = "const docs = g.test.give(); docs[0].key = 'x'; delete docs[0].data; docs.length = 1; \
                 [Array.isArray(docs), Object.getPrototypeOf(docs[0]) === Object.prototype, Object.keys(docs[0])].join()";
    assert_eq!(evaluate(kinds), "true,true,key,createdAt,updatedAt");
}

#[test]
fn overwritten_functions_do_not_affect_the_glue() {
    let broken = "\
        JSON.parse = JSON.stringify = Object.keys = Object.defineProperty = () => { throw 'overwritten' };\
        globalThis.TypeError = globalThis.Error = globalThis.GError = globalThis.Object = globalThis.JSON = 0;\
        const { prototype } = ({}).constructor;\
        for (const name of ['key', 'data', 'code', 'message', 'namespace'])\
          ({}).__defineSetter__.call(prototype, name, () => { throw 'setter' });\
        const { __defineSetter__ } = prototype;";
    let items = "__defineSetter__.call(Array.prototype, '0', () => { throw 'setter' });";
    assert_eq!(evaluate(&format!("{broken} {items} g.test.give()[0].key")), "ada");
    assert_eq!(evaluate(&format!("{broken} g.test.take('json', [1])")), "[1]");
    let caught = "try { g.store.count(1) } catch (e) { [e.message, e.code].join() }";
    assert_eq!(evaluate(&format!("{broken} {caught}")), "collection must be a string, not a number,INVALID_ARGUMENT");
    let frozen = "({}).constructor.freeze(Error.prototype); ({}).constructor.freeze(TypeError.prototype);";
    assert_eq!(evaluate(&format!("{frozen} {caught}")), "collection must be a string, not a number,INVALID_ARGUMENT");
    let prepared = "Error.prepareStackTrace = () => { throw 'prepared' };";
    assert_eq!(evaluate(&format!("{prepared} {caught}")), "collection must be a string, not a number,INVALID_ARGUMENT");
}

#[test]
fn a_method_looks_like_any_function() {
    let looks = "const { put } = g.store; [typeof put, put.name, put.length, g.store.list.length, \
                 Object.keys(g.store).join('+'), Object.getOwnPropertyDescriptor(globalThis, 'GError').enumerable]";
    assert_eq!(
        evaluate(&format!("{looks}.join()")),
        "function,put,3,1,put+get+list+all+update+search+delete+count+clear+collections,false"
    );
    assert_eq!(evaluate("new g.store.count('a')"), "TypeError: not a constructor");
}
