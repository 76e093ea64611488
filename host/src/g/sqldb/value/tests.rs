//! Values as the server sends them, and what becomes of them. What the server itself makes of a thousand values of each
//! type is tested in `tests/tests/integration/sqldb/values.rs`.

use std::sync::Arc;

use postgres_types::Type;

use super::{binary, is_bytes, is_float, is_known, json, text::text};
use crate::g::sqldb::wire::{self, Format};

#[track_caller]
fn shows(ty: &Type, raw: &[u8], expected: &str) {
    let mut out = String::new();
    text(&mut out, ty, raw).unwrap();
    assert_eq!(out, expected, "{ty} {raw:?}");
}

#[track_caller]
fn gives(ty: &Type, raw: &[u8], expected: &str) {
    let mut out = String::new();
    binary(&mut out, &ty.clone().into(), raw).unwrap();
    assert_eq!(out, expected, "{ty} {raw:?}");
    assert!(serde_json::from_str::<serde_json::Value>(&out).is_ok(), "{out}");
}

#[track_caller]
fn gives_text(ty: &Type, raw: &[u8], expected: &str) {
    let mut out = String::new();
    binary(&mut out, &ty.clone().into(), raw).unwrap();
    assert_eq!(out, expected, "{ty}");
}

/// What a value that came as text is to a script.
fn reads(ty: &wire::Type, text: &str) -> Option<String> {
    let mut out = String::new();
    json(&mut out, ty, Format::Text, text.as_bytes()).ok().map(|()| out)
}

fn array_of(item: wire::Type, separator: char) -> wire::Type {
    wire::Type::Array { item: Arc::new(item), oid: 70_000, separator }
}

fn item(raw: &[u8]) -> Vec<u8> {
    [&i32::try_from(raw.len()).unwrap().to_be_bytes(), raw].concat()
}

const NULL: [u8; 4] = (-1_i32).to_be_bytes();

fn array(ty: &Type, dimensions: &[(i32, i32)], items: &[Vec<u8>]) -> Vec<u8> {
    let mut raw = Vec::new();
    for number in [i32::try_from(dimensions.len()).unwrap(), 0, i32::try_from(ty.oid()).unwrap()] {
        raw.extend(number.to_be_bytes());
    }
    for (length, first) in dimensions {
        raw.extend(length.to_be_bytes());
        raw.extend(first.to_be_bytes());
    }
    raw.extend(items.concat());
    raw
}

fn ints(numbers: &[i32]) -> Vec<Vec<u8>> {
    numbers.iter().map(|number| item(&number.to_be_bytes())).collect()
}

fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| item(text.as_bytes())).collect()
}

#[test]
fn what_a_server_calls_json_is_json() {
    for text in [r#"{"a":[1e999,"\ud800 \u0000",null]}"#, " \n\t\r1 ", "\"\u{7f}\u{2028}\""] {
        gives_text(&Type::JSON, text.as_bytes(), text);
        gives_text(&Type::JSONB, &[b"\x01", text.as_bytes()].concat(), text);
    }
    let deep = |depth: usize| format!("{}\"[\\\"[\"{}", r#"{"a":["#.repeat(depth / 2), "]}".repeat(depth / 2));
    gives_text(&Type::JSON, deep(20_000).as_bytes(), &deep(20_000));
    assert!(binary(&mut String::new(), &Type::JSON.into(), deep(20_002).as_bytes()).is_err());
    let lies: [&[u8]; 13] = [
        b"",
        b" ",
        b"\x02",
        b"1\0",
        b"[1",
        b"]]1",
        b"1],[2",
        b"1,\"floats\":[1]",
        b"NaN",
        b"01",
        b"'a'",
        b"\"\n\"",
        b"\"\xff\"",
    ];
    for lie in lies {
        let jsonb = [b"\x01", lie].concat();
        for (ty, raw) in [(Type::JSON, lie), (Type::JSONB, &jsonb)] {
            assert!(binary(&mut String::new(), &ty.clone().into(), raw).is_err(), "{ty} {raw:?}");
        }
        let of_one = array(&Type::JSON, &[(1, 1)], &[item(lie)]);
        assert!(binary(&mut String::new(), &Type::JSON_ARRAY.into(), &of_one).is_err(), "{lie:?}");
    }
    assert!(binary(&mut String::new(), &Type::JSONB.into(), b"\x02{}").is_err());
}

#[test]
fn numbers_are_numbers_where_nothing_is_lost() {
    gives(&Type::BOOL, &[1], "true");
    gives(&Type::BOOL, &[0], "false");
    gives(&Type::INT2, &i16::MIN.to_be_bytes(), "-32768");
    gives(&Type::INT4, &i32::MIN.to_be_bytes(), "-2147483648");
    gives(&Type::INT8, &i64::MIN.to_be_bytes(), "\"-9223372036854775808\"");
    gives(&Type::OID, &u32::MAX.to_be_bytes(), "\"4294967295\"");
    for (number, expected) in [
        (0.1, "0.1"),
        (-0.0, "-0"),
        (1e300, "1e300"),
        (5e-324, "5e-324"),
        (1e16, "10000000000000000"),
        (f64::NAN, "\"NaN\""),
        (f64::INFINITY, "\"Infinity\""),
        (f64::NEG_INFINITY, "\"-Infinity\""),
    ] {
        gives(&Type::FLOAT8, &number.to_be_bytes(), expected);
    }
    for (number, expected) in
        [(0.1_f32, "0.1"), (16_777_216.0, "16777216"), (1e-45, "1e-45"), (3.402_823_5e38, "3.4028235e38")]
    {
        gives(&Type::FLOAT4, &number.to_be_bytes(), expected);
    }
}

#[test]
fn floats_are_text_as_the_server_has_it() {
    let rows = [
        (0.0, "0"),
        (-0.0, "-0"),
        (1.0, "1"),
        (0.1, "0.1"),
        (0.0001, "0.0001"),
        (0.00012, "0.00012"),
        (0.00001, "1e-05"),
        (123_456.75, "123456.75"),
        (1e14, "100000000000000"),
        (1e15, "1e+15"),
        (1.5e15, "1.5e+15"),
        (-1e300, "-1e+300"),
        (5e-324, "5e-324"),
    ];
    for (number, expected) in rows {
        shows(&Type::FLOAT8, &f64::to_be_bytes(number), expected);
    }
    for (number, expected) in [(100_000.0, "100000"), (1e6, "1e+06"), (1.5, "1.5"), (1e-5, "1e-05")] {
        shows(&Type::FLOAT4, &f32::to_be_bytes(number), expected);
    }
}

fn numeric(weight: i16, sign: u16, decimals: u16, digits: &[u16]) -> Vec<u8> {
    let head = [u16::try_from(digits.len()).unwrap(), weight.cast_unsigned(), sign, decimals];
    head.iter().chain(digits).flat_map(|part| part.to_be_bytes()).collect()
}

#[test]
fn numerics_keep_all_their_digits() {
    let rows = [
        (numeric(0, 0, 0, &[]), "0"),
        (numeric(0, 0, 3, &[]), "0.000"),
        (numeric(1, 0, 0, &[1, 2]), "10002"),
        (numeric(2, 0, 0, &[1]), "100000000"),
        (numeric(0, 0x4000, 2, &[1, 2500]), "-1.25"),
        (numeric(0, 0, 5, &[1, 2500]), "1.25000"),
        (numeric(-1, 0, 4, &[1]), "0.0001"),
        (numeric(-2, 0, 7, &[1234]), "0.0000123"),
        (numeric(-3, 0, 2, &[1]), "0.00"),
        (numeric(0, 0xC000, 0, &[]), "NaN"),
        (numeric(0, 0xD000, 0, &[]), "Infinity"),
        (numeric(0, 0xF000, 0, &[]), "-Infinity"),
    ];
    for (raw, expected) in rows {
        shows(&Type::NUMERIC, &raw, expected);
        gives(&Type::NUMERIC, &raw, &format!("{expected:?}"));
    }
}

#[test]
fn dates_and_times_are_text_with_infinity_and_bc() {
    for (days, expected) in [
        (0, "2000-01-01"),
        (-1, "1999-12-31"),
        (59, "2000-02-29"),
        (-730_119, "0001-01-01"),
        (-730_120, "0001-12-31 BC"),
        (2_921_939, "9999-12-31"),
        (2_921_940, "10000-01-01"),
        (i32::MAX, "infinity"),
        (i32::MIN, "-infinity"),
    ] {
        gives(&Type::DATE, &i32::to_be_bytes(days), &format!("{expected:?}"));
    }
    for (microseconds, plain, iso) in [
        (0, "2000-01-01 00:00:00+00", "2000-01-01T00:00:00.000Z"),
        (-1, "1999-12-31 23:59:59.999999+00", "1999-12-31T23:59:59.999999Z"),
        (1_500_000, "2000-01-01 00:00:01.5+00", "2000-01-01T00:00:01.500Z"),
        (-63_082_368_000_000_000, "0001-12-31 00:00:00+00 BC", "0001-12-31 00:00:00+00 BC"),
        (i64::MAX, "infinity", "infinity"),
        (i64::MIN, "-infinity", "-infinity"),
    ] {
        shows(&Type::TIMESTAMPTZ, &i64::to_be_bytes(microseconds), plain);
        gives(&Type::TIMESTAMPTZ, &i64::to_be_bytes(microseconds), &format!("{iso:?}"));
        gives(
            &Type::TIMESTAMP,
            &i64::to_be_bytes(microseconds),
            &format!("{:?}", iso.replace(['Z'], "").replace("+00", "")),
        );
    }
    shows(&Type::TIME, &86_400_000_000_i64.to_be_bytes(), "24:00:00");
    for (west, expected) in [(0, "+00"), (-7_200, "+02"), (12_600, "-03:30"), (-3_661, "+01:01:01")] {
        let raw = [1_000_001_i64.to_be_bytes().as_slice(), &i32::to_be_bytes(west)].concat();
        shows(&Type::TIMETZ, &raw, &format!("00:00:01.000001{expected}"));
    }
}

#[test]
fn intervals_show_signs_as_the_server_does() {
    let interval = |months: i32, days: i32, microseconds: i64| {
        [microseconds.to_be_bytes().as_slice(), &days.to_be_bytes(), &months.to_be_bytes()].concat()
    };
    for (raw, expected) in [
        (interval(0, 0, 0), "00:00:00"),
        (interval(14, 3, 14_706_789_000), "1 year 2 mons 3 days 04:05:06.789"),
        (interval(-1, 1, 1_000_000), "-1 mons +1 day 00:00:01"),
        (interval(0, -1, 7_380_000_000), "-1 days +02:03:00"),
        (interval(0, -1, -1), "-1 days -00:00:00.000001"),
        (interval(-25, 0, 0), "-2 years -1 mons"),
        (interval(0, 0, 360_000_000_000_000), "100000:00:00"),
        (interval(i32::MAX, i32::MAX, i64::MAX), "infinity"),
        (interval(i32::MIN, i32::MIN, i64::MIN), "-infinity"),
    ] {
        shows(&Type::INTERVAL, &raw, expected);
    }
}

#[test]
fn arrays_are_arrays_with_null_inside() {
    gives(&Type::INT4_ARRAY, &array(&Type::INT4, &[], &[]), "[]");
    gives(
        &Type::INT4_ARRAY,
        &array(&Type::INT4, &[(3, 1)], &[ints(&[1]), vec![NULL.to_vec()], ints(&[3])].concat()),
        "[1,null,3]",
    );
    gives(&Type::INT4_ARRAY, &array(&Type::INT4, &[(2, 1), (2, 1)], &ints(&[1, 2, 3, 4])), "[[1,2],[3,4]]");
    gives(&Type::INT4_ARRAY, &array(&Type::INT4, &[(2, 1), (1, 1), (2, 1)], &ints(&[1, 2, 3, 4])), "[[[1,2]],[[3,4]]]");
    gives(&Type::TEXT_ARRAY, &array(&Type::TEXT, &[(2, 1)], &texts(&["a\"b", "\u{1}\n"])), r#"["a\"b","\u0001\n"]"#);
    gives(&Type::BYTEA_ARRAY, &array(&Type::BYTEA, &[(1, 1)], &[item(&[0, 255])]), r#"["00ff"]"#);
}

#[test]
fn an_array_that_does_not_start_at_1_is_text() {
    gives(&Type::INT4_ARRAY, &array(&Type::INT4, &[(2, 0)], &ints(&[1, 2])), "\"[0:1]={1,2}\"");
    gives(&Type::INT4_ARRAY, &array(&Type::INT4, &[(1, -2), (2, 1)], &ints(&[1, 2])), "\"[-2:-2][1:2]={{1,2}}\"");
    let words = texts(&["", "null", "a b", "a\"\\", "{", "plain", ","]);
    let shown = r#"[0:6]={"","null","a b","a\"\\","{",plain,","}"#;
    gives(&Type::TEXT_ARRAY, &array(&Type::TEXT, &[(7, 0)], &words), &serde_json::Value::from(shown).to_string());
    let bytes = array(&Type::BYTEA, &[(1, 0)], &[item(&[0])]);
    assert!(binary(&mut String::new(), &Type::BYTEA_ARRAY.into(), &bytes).is_err(), "the script could not tell");
}

#[test]
fn an_array_says_itself_what_its_items_are() {
    let numbers = array(&Type::INT4, &[(2, 1)], &ints(&[1, 2]));
    gives(&Type::INT8_ARRAY, &numbers, "[1,2]");
    for ty in [Type::FLOAT4_ARRAY, Type::BYTEA_ARRAY] {
        assert!(binary(&mut String::new(), &ty.into(), &numbers).is_err(), "the script was told of another kind");
    }
    let mut unknown = numbers;
    unknown[8..12].copy_from_slice(&70_000_i32.to_be_bytes());
    assert!(binary(&mut String::new(), &Type::INT4_ARRAY.into(), &unknown).is_err());
}

#[test]
fn an_array_as_text_is_read_with_the_separator_of_its_type() {
    let others = array_of(wire::Type::Other(70_000), ':');
    let rows = [
        ("{}", Some("[]")),
        ("{a,b}", Some(r#"["a,b"]"#)),
        (r#"{a:NULL:"NULL":null:"":"b c":"d\"\\e:}"}"#, Some(r#"["a",null,"NULL","null","","b c","d\"\\e:}"]"#)),
        ("{{a:b}:{c:NULL}}", Some(r#"[["a","b"],["c",null]]"#)),
        ("[0:1]={a:b}", Some(r#""[0:1]={a:b}""#)),
        ("{{{{{{a}}}}}}", Some(r#"[[[[[["a"]]]]]]"#)),
        ("{{{{{{{a}}}}}}}", None),
        ("", None),
        ("{", None),
        ("{a", None),
        ("{a}b", None),
        (r#"{"a}"#, None),
        (r#"{"a\"#, None),
        ("{a:", None),
    ];
    for (text, expected) in rows {
        assert_eq!(reads(&others, text).as_deref(), expected, "{text}");
    }
    assert_eq!(reads(&array_of(others, ','), r#"{"{a:b}",NULL}"#).as_deref(), Some(r#"[["a","b"],null]"#));
    assert_eq!(reads(&wire::Type::Other(1), "{a}\"").as_deref(), Some(r#""{a}\"""#));
}

#[test]
fn what_is_not_known_comes_as_text() {
    for ty in [Type::INET, Type::INT2_VECTOR, Type::RECORD, Type::INT4_RANGE, Type::INET_ARRAY, Type::BOX_ARRAY] {
        assert!(!is_known(&ty.into()));
    }
    assert!(!is_known(&wire::Type::Other(70_000)) && is_known(&array_of(Type::TEXT.into(), ',')));
    assert!(is_float(&Type::FLOAT4_ARRAY.into()) && !is_float(&Type::NUMERIC.into()));
}

#[test]
fn other_types_are_the_text_that_the_server_shows() {
    shows(&Type::UUID, &(0..16).collect::<Vec<u8>>(), "00010203-0405-0607-0809-0a0b0c0d0e0f");
    shows(&Type::VARBIT, &[0, 0, 0, 10, 0b1010_0001, 0b0100_0000], "1010000101");
    shows(&Type::BYTEA, &[0, 255], "\\x00ff");
    gives(&Type::JSONB, b"\x01{\"a\": [1]}", "{\"a\": [1]}");
    gives(&Type::JSON, b"[1 , 2]", "[1 , 2]");
    assert!(is_bytes(&Type::BYTEA_ARRAY.into()) && !is_bytes(&Type::TEXT.into()));
}

#[test]
fn bytes_that_are_not_what_their_type_says_are_an_error() {
    let known = [
        Type::INT4,
        Type::NUMERIC,
        Type::DATE,
        Type::TIMESTAMPTZ,
        Type::TIMETZ,
        Type::INTERVAL,
        Type::UUID,
        Type::VARBIT,
        Type::INT4_ARRAY,
        Type::JSONB,
    ];
    let mut out = String::new();
    for ty in known {
        for length in [1, 2, 3, 5, 7] {
            let raw = vec![0x7f; length];
            assert!(binary(&mut out, &ty.clone().into(), &raw).is_err(), "{ty} of {length} bytes");
        }
    }
    assert!(binary(&mut out, &Type::TEXT.into(), b"\xff").is_err());
    for dimensions in [&[(-1, 1)][..], &[(i32::MAX, 1); 6], &[(3, 1)], &[(1, 1); 7]] {
        let raw = array(&Type::INT4, dimensions, &ints(&[1]));
        assert!(binary(&mut out, &Type::INT4_ARRAY.into(), &raw).is_err(), "{dimensions:?}");
    }
    gives(&Type::INT4_ARRAY, &array(&Type::INT4, &[(0, 1)], &[]), "[]");
}
