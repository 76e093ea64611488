//! Converts rows to lines of COPY (`sql-lines` in `sqldb.wit`).

use javy::quickjs::{Array, Ctx, Persistent, Value};

use super::{
    argument_path::ArgumentPath,
    borrow::Item,
    error::CallError,
    from_script::{length, with_text, wrong_type},
    sql,
    stream::Parts,
};

/// The size of a part, in bytes. It may exceed this by one line.
const PART_BYTES: usize = 64 << 10;

/// The prefix of a value whose text depends on the type of its column.
const MARK: char = '\u{1}';

/// Rows that are sent to the host.
pub struct Lines {
    /// The name of the parameter in messages.
    name: String,
    rows: Persistent<Array<'static>>,
    length: usize,
    next: usize,
}

/// Reads an argument of rows (`sql-lines`).
pub fn lines(path: &ArgumentPath<'_>, value: &Value<'_>) -> Result<Lines, CallError> {
    let rows = value.as_array().ok_or_else(|| wrong_type(path, "an array", value))?;
    let length = length(rows)?;
    Ok(Lines { name: path.to_string(), rows: Persistent::save(value.ctx(), rows.clone()), length, next: 0 })
}

impl Parts for Lines {
    fn next(&mut self, ctx: &Ctx<'_>) -> Result<String, CallError> {
        let rows = self.rows.clone().restore(ctx)?;
        let path = ArgumentPath::Argument(&self.name);
        let mut part = String::with_capacity(PART_BYTES + PART_BYTES / 4);
        while self.next < self.length && part.len() < PART_BYTES {
            line(&mut part, &ArgumentPath::Item(&path, self.next), &*Item::of(&rows, self.next)?)?;
            self.next += 1;
        }
        Ok(part)
    }
}

fn line(out: &mut String, path: &ArgumentPath<'_>, row: &Value<'_>) -> Result<(), CallError> {
    let values = row.as_array().ok_or_else(|| wrong_type(path, "an array", row))?;
    let length = length(values)?;
    if length == 0 {
        return Err(CallError::OutOfBounds(format!("{path} has no values")));
    }
    for index in 0..length {
        if index > 0 {
            out.push('\t');
        }
        field(out, &ArgumentPath::Item(path, index), &*Item::of(values, index)?)?;
    }
    out.push('\n');
    Ok(())
}

fn field(out: &mut String, path: &ArgumentPath<'_>, value: &Value<'_>) -> Result<(), CallError> {
    if sql::plain(out, value) {
        return Ok(());
    }
    if value.is_null() {
        *out += "\\N";
    } else if let Some(string) = value.as_string() {
        with_text(path, string, |text| escape(out, text))?;
    } else {
        out.push(MARK);
        sql::item(out, path, value, sql::DEPTH)?;
    }
    Ok(())
}

fn escape(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| matches!(byte, b'\\' | b'\t' | b'\n' | b'\r' | 1)) {
        *out += &rest[..at];
        *out += match rest.as_bytes()[at] {
            b'\\' => "\\\\",
            b'\t' => "\\t",
            b'\n' => "\\n",
            b'\r' => "\\r",
            _ => "\\001",
        };
        rest = &rest[at + 1..];
    }
    *out += rest;
}

#[cfg(test)]
mod tests {
    use javy::{Config, Runtime};

    use super::*;

    /// Returns all parts of the rows that a script returns, or the error.
    fn parts(script: &str) -> Result<Vec<String>, String> {
        let runtime = Runtime::new(Config::default()).unwrap();
        runtime.context().with(|ctx| {
            super::super::install(&ctx).unwrap();
            let rows: Value = ctx.eval(script).unwrap();
            let told = |error| match error {
                CallError::WrongType(message) => format!("TypeError: {message}"),
                CallError::OutOfBounds(message) => format!("RangeError: {message}"),
                _ => "another error".to_owned(),
            };
            let mut lines = lines(&ArgumentPath::Argument("rows"), &rows).map_err(told)?;
            let mut parts = Vec::new();
            loop {
                let part = lines.next(&ctx).map_err(told)?;
                if part.is_empty() {
                    return Ok(parts);
                }
                parts.push(part);
            }
        })
    }

    #[track_caller]
    fn goes(row: &str, line: &str) {
        assert_eq!(parts(&format!("[[{row}]]")), Ok(vec![format!("{line}\n")]), "{row}");
    }

    #[track_caller]
    fn refused(rows: &str, message: &str) {
        assert_eq!(parts(rows), Err(message.to_owned()), "{rows}");
    }

    #[test]
    fn values_are_written_as_copy_reads_them() {
        goes("1, -2147483648, 4294967296, 0.5, 1/3", "1\t-2147483648\t4294967296\t0.5\t0.3333333333333333");
        goes("1e21, 1e-7, 5e-324, 1.7976931348623157e308, 100.0", "1e+21\t1e-7\t5e-324\t1.7976931348623157e+308\t100");
        goes("true, false, null, ''", "true\tfalse\t\\N\t");
        goes(r"'a\tb\nc\rd\\e\u0001f\u0002', 'é€😀'", "a\\tb\\nc\\rd\\\\e\\001f\u{2}\té€😀");
        goes(r"'\\N', '\\.'", "\\\\N\t\\\\.");
    }

    #[test]
    fn values_that_depend_on_the_type_are_marked() {
        goes(
            "NaN, -Infinity, -0",
            "\u{1}[\"number\",\"NaN\"]\t\u{1}[\"number\",\"-Infinity\"]\t\u{1}[\"number\",\"-0\"]",
        );
        goes("12n, new Uint8Array([0, 255])", "\u{1}[\"bigint\",\"12\"]\t\u{1}[\"bytes\",\"00ff\"]");
        goes("new Date(0)", "\u{1}[\"date\",\"1970-01-01T00:00:00.000Z\"]");
        goes(r"{ a: '\t\n\u0001' }", "\u{1}[\"json\",{\"a\":\"\\t\\n\\u0001\"}]");
        goes(r"[1, ['\t']]", "\u{1}[\"array\",[1,[\"array\",[\"\\u0009\"]]]]");
    }

    #[test]
    fn a_part_is_of_whole_lines() {
        let parts = parts("Array.from({ length: 3000 }, (_, i) => [i, 'x'.repeat(60)])").unwrap();
        assert_eq!(parts.len(), 4);
        assert!(parts.iter().all(|part| part.len() < PART_BYTES + 100 && part.ends_with('\n')));
        assert_eq!(parts.concat().lines().count(), 3000);
        assert_eq!(super::tests::parts("[]"), Ok(vec![]));
    }

    #[test]
    fn invalid_rows_are_refused_with_their_path() {
        refused("'a'", "TypeError: rows must be an array, not a string");
        refused("[[1], 'a']", "TypeError: rows[1] must be an array, not a string");
        refused("[[1], , [2]]", "TypeError: rows[1] must be an array, not undefined");
        refused("[[1], []]", "RangeError: rows[1] has no values");
        refused(r"[['\ud800']]", "RangeError: rows[0][0] is not well-formed Unicode");
        let allowed = "a SQL value: a string, number, boolean, null, BigInt, Date, Uint8Array, array or object";
        let members = "not an object without members of its own";
        refused("[[new (class {})()]]", &format!("TypeError: rows[0][0] must be {allowed}, {members}"));
        for (value, what) in [("new Set([1])", "a Set"), ("new Map()", "a Map"), ("/a/", "a RegExp")] {
            refused(&format!("[[{value}]]"), &format!("TypeError: rows[0][0] is {what}, which JSON can't hold"));
        }
        refused("[[{ a: [1, NaN] }]]", "TypeError: rows[0][0].a[1] is NaN, which JSON can't hold");
        assert_eq!(parts("[[{}, Object.create(null), new (class { a = 1 })(), new Proxy({}, {})]]").unwrap().len(), 1);
        let view = "not a typed array of another type: \
                    Array.from(array) converts it to numbers, new Uint8Array(array.buffer) to bytes";
        for value in ["new Uint16Array(1)", "new DataView(new ArrayBuffer(1))", "new Uint8ClampedArray(1)"] {
            refused(&format!("[[{value}]]"), &format!("TypeError: rows[0][0] must be {allowed}, {view}"));
        }
        refused("[[1, undefined]]", &format!("TypeError: rows[0][1] must be {allowed}, not undefined"));
        refused("[[1, Symbol()]]", &format!("TypeError: rows[0][1] must be {allowed}, not a symbol"));
        refused("[[new Date(NaN)]]", "RangeError: rows[0][0] is an invalid Date");
    }
}
