use super::evaluate;

#[test]
fn memory_can_not_be_shared() {
    assert_eq!(evaluate("typeof SharedArrayBuffer + typeof Atomics"), "undefinedundefined");
    let message =
        "ReferenceError: SharedArrayBuffer is not available: a script has one thread; use ArrayBuffer instead";
    assert_eq!(evaluate("new SharedArrayBuffer(8)"), message);
}
