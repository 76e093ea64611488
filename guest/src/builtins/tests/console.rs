use super::evaluate;

/// Returns the lines that a script writes to a console of its own.
fn lines(script: &str) -> String {
    let (console, inspect) = (include_str!("../../js/console.js"), include_str!("../../js/inspect.js"));
    evaluate(&format!(
        "const lines = []; const write = (level, text) => lines.push(text); \
         const console = ({console})({{ write, now: () => 0 }}, {inspect}); {script}; lines.join('\\n')"
    ))
}

#[test]
fn a_table_may_have_many_rows() {
    let script =
        "console.table(Array.from({ length: 70_000 }, (_, i) => ({ i }))); lines.push(lines.pop().split('\\n').length)";
    assert_eq!(lines(script), "70004");
}

#[test]
fn groups_are_indented_until_they_end() {
    let script = "console.group('a'); console.groupCollapsed('b'); console.dirxml({ x: 1 }, 'c'); console.groupEnd(); \
                  console.log('d'); console.group(); console.clear(); console.log('e'); console.groupEnd(); console.log('f')";
    assert_eq!(lines(script), "a\n    b\n        { x: 1 } c\n    d\ne\nf");
}
