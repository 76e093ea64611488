use super::evaluate;

#[test]
fn a_dom_exception_is_an_error() {
    let script = "const e = new DOMException('far', 'DataCloneError'); [`${e}`, e.code, DOMException.DATA_CLONE_ERR, \
                  e instanceof Error, Error.isError(e), Object.prototype.toString.call(e), /script.js/.test(e.stack)]";
    assert_eq!(evaluate(script), "DataCloneError: far,25,25,true,true,[object DOMException],true");
    assert_eq!(evaluate("new DOMException().name"), "Error");
}

#[test]
fn an_uncaught_dom_exception_is_reported_like_an_error() {
    crate::runtime::with(|ctx| {
        let thrown =
            ctx.eval::<(), _>("function f() { throw new DOMException('far', 'AbortError'); }\nf()").unwrap_err();
        let exception = crate::exception::of_error(&ctx, thrown);
        assert_eq!((exception.name.as_deref(), exception.message.as_str()), (Some("AbortError"), "far"));
        assert_eq!(exception.stack.first().map(|frame| frame.line), Some(1));
        assert_eq!(exception.code, None);
    });
}

#[test]
fn errors_of_the_platform_are_dom_exceptions() {
    let text =
        |call: &str| evaluate(&format!("try {{ {call} }} catch (e) {{ [e instanceof DOMException, e.name, e.code] }}"));
    assert_eq!(text("atob('A')"), "true,InvalidCharacterError,5");
    assert_eq!(text("btoa('中')"), "true,InvalidCharacterError,5");
    assert_eq!(text("crypto.getRandomValues(new Float64Array(1))"), "true,TypeMismatchError,17");
    assert_eq!(text("crypto.getRandomValues(new Uint8Array(65537))"), "true,QuotaExceededError,22");
    assert_eq!(text("structuredClone(() => {})"), "true,DataCloneError,25");
}

#[test]
fn base64_goes_both_ways() {
    assert_eq!(evaluate("btoa('Ada') + btoa('\\xff\\0') + btoa('')"), "QWRh/wA=");
    assert_eq!(evaluate("atob(' Q W\\nR\\th ') + atob('/wA').length + atob('/wA=').length"), "Ada22");
    let script = "const text = '\\xff\\0a'.repeat(350_000); atob(btoa(text)) === text";
    assert_eq!(evaluate(script), "true");
}
