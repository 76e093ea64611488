//! Tests of the formats and the limits of an input.

use super::*;

fn to_json(text: &str, format: Format) -> Result<String, String> {
    super::to_json(text.to_owned(), format, Bound::MAX)
}

#[test]
fn numbers_are_not_converted() {
    assert_eq!(to_json(" [1e400, 0.10] ", Format::Json).unwrap(), "[1e400, 0.10]");
}

#[test]
fn invalid_json_is_refused_with_its_position() {
    assert_eq!(to_json("{\"a\":}", Format::Json).unwrap_err(), "not JSON: expected value at line 1 column 6");
    assert_eq!(to_json(" \n", Format::Json).unwrap_err(), "not JSON: the text is empty");
    assert_eq!(to_json("[1,", Format::Json).unwrap_err(), "not JSON: unexpected end at line 1 column 3");
    assert_eq!(
        to_json("1\n\n{]\n", Format::Jsonl).unwrap_err(),
        "line 3 is not JSON: key must be a string at column 2"
    );
}

#[test]
fn deep_json_does_not_overflow_the_stack() {
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    assert_eq!(to_json(&deep, Format::Json).unwrap(), deep);
}

#[test]
fn the_converted_input_has_the_same_limit_as_the_text() {
    let bound = Bound::of_run(40);
    for (text, format) in [
        ("\u{1}\u{1}\u{1}\u{1}", Format::Text),
        ("1\n2\n3\n4\n5\n6\n7\n8\n9\n10", Format::Jsonl),
        ("name\n1\n2\n", Format::Csv),
    ] {
        let refused = super::to_json(text.into(), format, bound).unwrap_err();
        assert_eq!(refused, "as JSON, it is larger than 20 bytes, which is half of the run's memory (--max-memory)");
    }
    assert_eq!(super::to_json("\u{1}".into(), Format::Text, bound).unwrap(), "\"\\u0001\"");
    assert!(bytes_of([7; 20].as_slice(), "it", bound).is_ok() && bytes_of([7; 21].as_slice(), "it", bound).is_err());
    assert_eq!(Bound::of_run(u64::MAX).exceeded("it", Some(300 << 20)), "it is 300 MiB, the limit is 256 MiB");
}

#[test]
fn lines_become_an_array() {
    assert_eq!(to_json("{\"a\":1}\n\n2\r\n", Format::Jsonl).unwrap(), "[{\"a\":1},2]");
}

#[test]
fn rows_become_objects_of_strings() {
    let json = to_json("name,size\n\"a,\"\"b\",1\n", Format::Csv).unwrap();
    assert_eq!(json, r#"[{"name":"a,\"b","size":"1"}]"#);
    let json = to_json("name\r\n.\r\n\"two\nlines\"", Format::Csv).unwrap();
    assert_eq!(json, r#"[{"name":"."},{"name":"two\nlines"}]"#);
}

#[test]
fn an_empty_text_or_a_header_alone_has_no_rows() {
    for text in ["", "\n", "a,b", "a,b\n"] {
        assert_eq!(to_json(text, Format::Csv).unwrap(), "[]", "{text:?}");
    }
}

#[test]
fn ambiguous_rows_are_refused() {
    for (text, why) in [
        ("a,b\n1,2\n1\n", "not CSV: line 3 has 1 fields, the header has 2"),
        ("a,b\r\n1,2\r\n1\r\n", "not CSV: line 3 has 1 fields, the header has 2"),
        ("a,b\n1,2\n\n1,2,3\n", "not CSV: line 4 has 3 fields, the header has 2"),
        ("a,b,a\n", "not CSV: the header has the column \"a\" twice"),
        ("a,b\n1,2\n1,\"x\n1,2\n", "not CSV: a quote that opens in line 3 or later is not closed"),
        ("a,\"b\n1,2\n", "not CSV: a quote that opens in line 1 or later is not closed"),
    ] {
        assert_eq!(to_json(text, Format::Csv).unwrap_err(), why);
    }
}

#[test]
fn the_extension_determines_the_format() {
    let formats = ["a.json", "a.ndjson", "a.jsonl", "a.CSV", "a.txt", "a"].map(|name| Format::of(Path::new(name)));
    assert_eq!(formats, [Format::Json, Format::Jsonl, Format::Jsonl, Format::Csv, Format::Text, Format::Json]);
}
