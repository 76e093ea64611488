//! Tests that random documents survive the conversion to text and back. Tests with the engine and a real server cover
//! what JavaScript does to documents.

use fastrand::Rng;
use mongodb::bson::{
    Binary, Bson, DateTime, Decimal128, Document, JavaScriptCodeWithScope, RawDocumentBuf, Regex, Timestamp, doc,
    oid::ObjectId, raw::CString, spec::BinarySubtype,
};

use super::{Expected, Out, document, id_text};
use crate::Error;

fn read(argument: &str, text: &str, expected: Expected) -> Result<Bson, Error> {
    super::read(argument, text, expected, &mut ()).map(|(value, _)| value)
}

/// A text with characters of one to four bytes.
fn text(rng: &mut Rng) -> String {
    (0..rng.usize(..12))
        .map(|_| *rng.choice(&['a', '"', '\\', '\n', ':', '{', '}', ';', 'é', '€', '😀', '\0']).unwrap())
        .collect()
}

fn name(rng: &mut Rng) -> String {
    format!("{}{}", rng.alphabetic(), text(rng).replace('\0', ""))
}

fn c_string(text: &str) -> CString {
    CString::try_from(text.replace('\0', "")).unwrap()
}

/// Returns a random value of any type except `Undefined` and `Symbol`, which are written as Extended JSON, and
/// DBPointer, which can't be written. (The test skips documents with a remark, since only the glue reads remarks.)
fn value(rng: &mut Rng, depth: usize) -> Bson {
    match rng.u8(..if depth > 4 { 17 } else { 19 }) {
        0 => Bson::Null,
        1 => Bson::Boolean(rng.bool()),
        2 => Bson::Int32(rng.i32(..)),
        3 => Bson::Int64(rng.i64(..)),
        4 => {
            let number = f64::from_bits(rng.u64(..));
            // JavaScript does not distinguish NaNs.
            Bson::Double(if number.is_nan() { f64::NAN } else { number })
        }
        5 => Bson::String(text(rng)),
        6 => Bson::ObjectId(ObjectId::from_bytes(std::array::from_fn(|_| rng.u8(..)))),
        7 => Bson::DateTime(DateTime::from_millis(
            rng.i64(-super::MAX_DATE.cast_signed()..super::MAX_DATE.cast_signed()),
        )),
        8 => Bson::Decimal128(format!("{}E{}", rng.i64(..), rng.i32(-6000..6000)).parse::<Decimal128>().unwrap()),
        9 => {
            let subtype = BinarySubtype::from(*rng.choice(&[0, 2, 3, 5, 128]).unwrap());
            Bson::Binary(Binary { subtype, bytes: (0..rng.usize(..20)).map(|_| rng.u8(..)).collect() })
        }
        10 => Bson::Binary(Binary { subtype: BinarySubtype::Uuid, bytes: (0..16).map(|_| rng.u8(..)).collect() }),
        11 => Bson::Timestamp(Timestamp { time: rng.u32(..), increment: rng.u32(..) }),
        12 => Bson::RegularExpression(Regex { pattern: c_string(&text(rng)), options: c_string("imx") }),
        13 => Bson::JavaScriptCode(text(rng)),
        14 => {
            let scope = members(rng, 4);
            Bson::JavaScriptCodeWithScope(JavaScriptCodeWithScope { code: text(rng), scope })
        }
        15 => Bson::MinKey,
        16 => Bson::MaxKey,
        17 => Bson::Array((0..rng.usize(..5)).map(|_| value(rng, depth + 1)).collect()),
        _ => Bson::Document(members(rng, depth + 1)),
    }
}

fn members(rng: &mut Rng, depth: usize) -> Document {
    (0..rng.usize(..6)).map(|_| (name(rng), value(rng, depth))).collect()
}

#[test]
fn random_documents_keep_their_types_and_their_order() {
    let seed = fastrand::u64(..);
    eprintln!("seed {seed}");
    let mut rng = Rng::with_seed(seed);
    for _ in 0..20_000 {
        let given = RawDocumentBuf::try_from(&members(&mut rng, 0)).unwrap();
        let text = written(&given);
        if text.contains("{!") || text.contains("[!") {
            continue;
        }
        let Bson::Document(back) = read("document", &text, Expected::Document).unwrap() else { panic!("{text}") };
        let back = RawDocumentBuf::try_from(&back).unwrap();
        assert_eq!(back.as_bytes(), given.as_bytes(), "{text}");
    }
}

#[test]
fn doubles_are_written_without_needless_digits() {
    for (number, expected) in
        [(1e308, "d1e308;"), (-0.0, "d-0.0;"), (0.1, "d0.1;"), (f64::INFINITY, "dinf;"), (f64::NAN, "dNaN;")]
    {
        let text = written(&RawDocumentBuf::try_from(&doc! { "a": number }).unwrap());
        assert_eq!(text, format!("{{1:a{expected}}}"));
    }
}

#[test]
fn what_javascript_can_not_keep_is_in_a_remark() {
    let remark = |given: Document| written(&RawDocumentBuf::try_from(&given).unwrap());
    assert_eq!(remark(doc! { "a": 1 }), "{1:ai1;}");
    assert_eq!(remark(doc! { "a": 1_i64, "b": 1 }), "{!5:pl1:a1:al1;1:bi1;}");
    assert_eq!(remark(doc! { "a": 1, "1": 2 }), "{!9:om1:am1:11:ai1;1:1i2;}");
    assert_eq!(remark(doc! { "1": 1, "2": 2, "a": 3 }), "{1:1i1;1:2i2;1:ai3;}");
    assert_eq!(remark(doc! { "2": 1, "10": 2, "010": 3 }), "{1:2i1;2:10i2;3:010i3;}");
    assert_eq!(remark(doc! { "$oid": "x" }), "{!1:p4:$oids1:x}");
    assert_eq!(remark(doc! { "a": [1, 2_i64] }), "{1:a[!5:pl1:1i1;l2;]}");
}

#[test]
fn texts_of_a_hostile_component_are_refused() {
    let deep = "{1:a".repeat(101) + "n" + &"}".repeat(101);
    let scopes = "{1:a".to_owned() + &"W1:x".repeat(1_000_000);
    for text in [
        "",
        "{",
        "}",
        "{1:a",
        "{1:an",
        "{9:an}",
        "{1:ai1}",
        "{1:ax}",
        "{1:an1:an}",
        "i1;",
        "{1:as9:a}",
        "{}{}",
        &deep,
        &scopes,
        "{2:\u{20ac}n}",
        "{1:aOzzzzzzzzzzzzzzzzzzzzzzzz}",
        "{1:aT5;}",
        "{1:ab256;0:}",
        "{1:ab0;1:A}",
        "{1:aN1:x}",
        "{99999999999999999999:a",
        "{1:\0n}",
    ] {
        assert!(read("document", text, Expected::Document).is_err(), "{text:?}");
    }
}

fn written(given: &RawDocumentBuf) -> String {
    let mut memory = ();
    let mut out = Out::new(&mut memory);
    document(&mut out, given).unwrap();
    out.finish().unwrap()
}

/// Counts memory down from a limit.
struct BoundedMemory(usize);

impl super::Memory for BoundedMemory {
    fn grow(&mut self, bytes: usize) -> Result<(), Error> {
        self.0 = self.0.checked_sub(bytes).ok_or_else(|| Error::new(crate::ErrorCode::Limit, "no memory"))?;
        Ok(())
    }

    fn shrink(&mut self, bytes: usize) {
        self.0 += bytes;
    }
}

#[test]
fn what_is_read_is_counted_while_it_grows() {
    let nulls = "{1:a[".to_owned() + &"n".repeat(1_000_000) + "]}";
    let error = super::read("filter", &nulls, Expected::Document, &mut BoundedMemory(1 << 20)).unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (crate::ErrorCode::Limit, "no memory"));
    let many = format!("{{1:a[{}]}}", ("s1000000:".to_owned() + &"x".repeat(1_000_000)).repeat(30));
    let error = read("filter", &many, Expected::Document).unwrap_err();
    assert!(
        error.message.starts_with("filter is at least ") && error.message.ends_with("limit is 16777216"),
        "{error}"
    );
    // Only one tree exists at a time.
    let documents = format!("[{}]", format!("{{1:a[{}]}}", "n".repeat(10_000)).repeat(100));
    let mut memory = BoundedMemory(4 << 20);
    super::documents("documents", &documents, &mut memory, &mut |_, _| Ok(1)).unwrap();
    assert_eq!(memory.0, (4 << 20) - 100);
}

#[test]
fn a_document_is_counted_while_it_is_written() {
    let given = RawDocumentBuf::try_from(&doc! { "a": vec![0.123_456_789_f64; 100_000] }).unwrap();
    let mut memory = BoundedMemory(100 << 10);
    let mut out = Out::new(&mut memory);
    assert_eq!(document(&mut out, &given).unwrap_err().message, "no memory");
    assert!(out.len() < 200 << 10, "{}", out.len());
    let mut memory = BoundedMemory(10 << 20);
    let mut out = Out::new(&mut memory);
    document(&mut out, &given).unwrap();
    let text = out.finish().unwrap();
    assert_eq!(memory.0, (10 << 20) - text.len());
}

#[test]
fn an_error_names_the_place() {
    let error = read("filter", "{1:a[{4:$oids1:x}]}", Expected::Document).unwrap_err();
    assert_eq!(error.message, "filter.a[0] is not valid Extended JSON: $oid must be 24 hexadecimal digits");
}

#[test]
fn literal_documents_are_no_extended_json() {
    let read = |text: &str| read("document", text, Expected::Document).unwrap();
    let id = ObjectId::parse_str("65f0c0ffee65f0c0ffee65f0").unwrap();
    assert_eq!(read("{1:a{4:$oids24:65f0c0ffee65f0c0ffee65f0}}"), doc! { "a": id }.into());
    assert_eq!(read("{1:a(4:$oids24:65f0c0ffee65f0c0ffee65f0)}"), doc! { "a": { "$oid": id.to_hex() } }.into());
}

#[test]
fn ids_have_a_text() {
    let id = ObjectId::parse_str("65f0c0ffee65f0c0ffee65f0").unwrap();
    assert_eq!(id_text(&id.into()), "65f0c0ffee65f0c0ffee65f0");
    assert_eq!(id_text(&"x".into()), "x");
    assert_eq!(id_text(&7.into()), "7");
    assert_eq!(id_text(&(-(1_i64 << 53) + 1).into()), "-9007199254740991");
    assert_eq!(id_text(&(1_i64 << 53).into()), r#"{"$numberLong":"9007199254740992"}"#);
    assert_eq!(id_text(&(-(1_i64 << 53)).into()), r#"{"$numberLong":"-9007199254740992"}"#);
    assert_eq!(id_text(&doc! { "a": id }.into()), r#"{"a":{"$oid":"65f0c0ffee65f0c0ffee65f0"}}"#);
    assert_eq!(id_text(&DateTime::from_millis(0).into()), r#"{"$date":"1970-01-01T00:00:00Z"}"#);
}
