use super::evaluate;

#[test]
fn a_script_may_replace_g_for_itself() {
    assert_eq!(evaluate("(0, eval)('function g() { return 1; }'); g()"), "1");
    assert_eq!(evaluate("(0, eval)('var g = 2; g')"), "2");
}

#[test]
fn functions_have_their_names() {
    assert_eq!(evaluate("Math.random.name + Math.random.length"), "random0");
}

#[test]
fn memory_can_not_be_shared() {
    assert_eq!(evaluate("typeof SharedArrayBuffer + typeof Atomics"), "undefinedundefined");
    let message =
        "ReferenceError: SharedArrayBuffer is not available: a script has one thread; use ArrayBuffer instead";
    assert_eq!(evaluate("new SharedArrayBuffer(8)"), message);
}
