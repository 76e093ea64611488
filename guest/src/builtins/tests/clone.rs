use super::evaluate;

/// Evaluates an expression and returns the name of the error and its message.
fn error_of(expression: &str) -> String {
    evaluate(&format!("try {{ {expression}; 'none' }} catch (error) {{ `${{error}}` }}"))
}

#[test]
fn a_member_named_proto_stays_a_member() {
    let script = "const copy = structuredClone(JSON.parse('{\"__proto__\":{\"a\":1}}')); \
                  [Object.getPrototypeOf(copy) === Object.prototype, JSON.stringify(copy), copy.a]";
    assert_eq!(evaluate(script), "true,{\"__proto__\":{\"a\":1}},");
    let script = "Object.defineProperty(Object.prototype, 'x', { set() { throw 1; }, configurable: true }); \
                  const copy = structuredClone({ ['x']: 1 }); delete Object.prototype.x; copy.x";
    assert_eq!(evaluate(&script.replace("{ ['x']: 1 }", "JSON.parse('{\"x\":1}')")), "1");
}

#[test]
fn transferred_buffers_are_detached() {
    let script = "const bytes = new Uint8Array([1, 2, 3]); const other = new ArrayBuffer(4); \
                  const copy = structuredClone({ bytes, again: bytes.buffer }, { transfer: [bytes.buffer, other] }); \
                  [bytes.buffer.detached, bytes.length, other.detached, copy.bytes, copy.bytes.buffer === copy.again].join(' ')";
    assert_eq!(evaluate(script), "true 0 true 1,2,3 true");
    let script = "const buffer = new ArrayBuffer(4); \
                  try { structuredClone([buffer, () => {}], { transfer: [buffer] }); } catch {} buffer.detached";
    assert_eq!(evaluate(script), "false", "after an error");
    assert_eq!(
        evaluate("structuredClone(1, { transfer: [] }) + structuredClone(1, null) + structuredClone(1, {})"),
        "3"
    );
}

#[test]
fn what_can_not_be_transferred_is_refused() {
    let refused = |transfer: &str| {
        error_of(&format!("const b = new ArrayBuffer(1); structuredClone(b, {{ transfer: {transfer} }})"))
    };
    let text = |what: &str| format!("DataCloneError: {what} could not be cloned");
    assert_eq!(refused("[b, b]"), text("an ArrayBuffer that is twice in transfer"));
    assert_eq!(refused("[{}]"), text("a value in transfer that is not an ArrayBuffer"));
    assert_eq!(
        refused("[{ __proto__: ArrayBuffer.prototype }]"),
        text("a value in transfer that is not an ArrayBuffer")
    );
    assert_eq!(
        error_of("const b = new ArrayBuffer(1); b.transfer(); structuredClone(b)"),
        text("a detached ArrayBuffer")
    );
    assert_eq!(
        error_of("const b = new ArrayBuffer(1); b.transfer(); structuredClone(1, { transfer: [b] })"),
        text("a detached ArrayBuffer")
    );
}

#[test]
fn values_without_a_copy_are_refused() {
    for (value, what) in [
        ("new Proxy({}, { get() { throw 1; }, ownKeys() { throw 1; } })", "a Proxy"),
        ("new Proxy([], {})", "a Proxy"),
        ("(function* () {})()", "[object Generator]"),
        ("[].values()", "[object Array Iterator]"),
        ("function named() {}", "a function"),
        ("(class {})", "a function"),
        ("Symbol('s')", "Symbol(s)"),
        ("Object(Symbol('s'))", "[object Symbol]"),
        ("new WeakMap()", "[object WeakMap]"),
        ("Promise.resolve()", "[object Promise]"),
        ("{ deep: [new Map([[1, new WeakSet()]])] }", "[object WeakSet]"),
        ("new Error('', { cause: () => {} })", "a function"),
    ] {
        assert_eq!(
            error_of(&format!("structuredClone({value})")),
            format!("DataCloneError: {what} could not be cloned")
        );
    }
    assert_eq!(error_of("structuredClone({ get a() { throw new RangeError('mine'); } })"), "RangeError: mine");
    assert_eq!(error_of("structuredClone()"), "TypeError: structuredClone takes a value");
}

#[test]
fn every_other_class_keeps_its_contents() {
    for (value, text) in [
        ("Object('x')", "new String(\"x\")"),
        ("Object(10n)", "[BigInt: 10n]"),
        ("new Date(5)", "1970-01-01T00:00:00.005Z"),
        ("/a+/gi", "/a+/gi"),
        ("new Map([[{ a: 1 }, new Set([[2]])]])", "Map(1) { { a: 1 } => Set(1) { [ 2 ] } }"),
        ("new Float64Array([1.5, 2])", "Float64Array(2) [ 1.5, 2 ]"),
        ("new Uint16Array(new ArrayBuffer(8), 2, 2)", "Uint16Array(2) [ 0, 0 ]"),
        ("[1, , undefined, null]", "[ 1, <1 empty item>, undefined, null ]"),
        ("Object.assign([1, ,], { name: 2 })", "[ 1, <1 empty item>, name: 2 ]"),
        ("(function () { return arguments; })(1)", "{ \"0\": 1 }"),
        ("{ a: { b: -0 }, [Symbol('s')]: 1 }", "{ a: { b: -0 } }"),
        ("new (class Point { x = 1; #y = 2; })()", "{ x: 1 }"),
    ] {
        let shown = crate::runtime::with(|ctx| {
            let copy = ctx.eval::<javy::quickjs::Value, _>(format!("structuredClone({value})")).unwrap();
            crate::builtins::inspect(&ctx, &copy)
        });
        let text = text.replace("new String(\"x\")", "[String: \"x\"]");
        assert_eq!(shown, text, "{value}");
    }
    let script = "const copy = structuredClone(new RangeError('far', { cause: { a: 1 } })); \
                  [copy instanceof RangeError, Error.isError(copy), copy, copy.cause.a, /script.js/.test(copy.stack)]";
    assert_eq!(evaluate(script), "true,true,RangeError: far,1,true");
    let script = "const copy = structuredClone(new DOMException('far', 'AbortError')); [copy, copy.code]";
    assert_eq!(evaluate(script), "AbortError: far,20");
    let script =
        "const copy = structuredClone(new ArrayBuffer(2, { maxByteLength: 8 })); [copy.resizable, copy.maxByteLength]";
    assert_eq!(evaluate(script), "true,8");
    let script = "const bytes = new Uint8Array([1, 2, 3, 4]); const copy = \
                  structuredClone([bytes.subarray(1, 3), new DataView(bytes.buffer, 1, 2)]); \
                  [copy[0].byteOffset, copy[0], copy[1].getUint8(0), copy[0].buffer === copy[1].buffer]";
    assert_eq!(evaluate(script), "1,2,3,2,true");
}

#[test]
fn cycles_and_shared_objects_are_kept() {
    let script = "const list = []; const map = new Map(); map.set(map, list); list.push(map, list); \
                  const error = new Error(); error.cause = error; list.push(error); const copy = structuredClone(list); \
                  [copy[1] === copy, copy[0].get(copy[0]) === copy, copy[2].cause === copy[2], copy !== list]";
    assert_eq!(evaluate(script), "true,true,true,true");
    let script = "let deep = []; for (let i = 0; i < 200_000; i++) deep = i % 2 ? [deep] : { deep }; \
                  let copy = structuredClone(deep); let depth = 0; \
                  for (; copy.deep ?? copy[0]; depth++) copy = copy.deep ?? copy[0]; depth";
    assert_eq!(evaluate(script), "200000");
}

#[test]
fn changes_by_getters_are_seen() {
    let script = "const source = { get a() { delete this.b; return 1; }, b: 2, c: undefined }; \
                  JSON.stringify(Object.keys(structuredClone(source)))";
    assert_eq!(evaluate(script), "[\"a\",\"c\"]");
    // The address of a member that is gone must not be taken for that of the next one.
    let script = "const source = {}; for (let i = 0; i < 1000; i++) \
                  Object.defineProperty(source, 'm' + i, { get: () => ({ i }), enumerable: true }); \
                  Object.values(structuredClone(source)).every((member, i) => member.i === i)";
    assert_eq!(evaluate(script), "true");
}

/// Prints how long a clone takes compared with JSON. Run by hand.
#[test]
#[ignore = "a measurement"]
fn time_of_a_clone() {
    let script = "const data = Array.from({ length: 20_000 }, (_, i) => ({ id: i, name: `name ${i}`, tags: ['a', 'b'], at: { x: i, y: -i } })); \
                  const time = (f) => { const start = performance.now(); f(); f(); f(); return Math.round((performance.now() - start) / 3); }; \
                  `clone ${time(() => structuredClone(data))} ms, JSON ${time(() => JSON.parse(JSON.stringify(data)))} ms`";
    crate::builtins::start_clock();
    println!("{}", evaluate(script));
}
