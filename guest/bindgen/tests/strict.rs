//! A WIT that the outputs could not serve is refused, with words that lead to the place.

#![allow(clippy::unwrap_used)] // A test fails by a panic.

use std::fs;

use ghost_bindgen::World;

const TYPES: &str = "package ghost:g@0.1.0;
interface types {
  type json = string;
  type natural = u32;
  type error-text = string;
  type timestamp = string;
  enum error-code { invalid-argument, wrong-kind, not-found }
  record error { code: error-code, message: string, details: option<json> }
}
world script { import things; }
world local-script { import things; }
";

/// What is said about a WIT whose one namespace holds this.
fn refusal(things: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let wit = format!("{TYPES}\ninterface things {{ use types.{{error, error-text, json, timestamp}};\n{things}\n}}");
    fs::write(folder.path().join("things.wit"), wit).unwrap();
    match (ghost_bindgen::glue(folder.path(), World::Script), ghost_bindgen::types(folder.path())) {
        (Err(error), _) | (_, Err(error)) => format!("{error:#}"),
        _ => "nothing".to_owned(),
    }
}

#[test]
fn what_is_right_is_not_refused() {
    assert_eq!(refusal("/// @errors not-found\nf: func(a: json) -> result<timestamp, error>;"), "nothing");
}

#[test]
fn an_unknown_alias() {
    assert_eq!(
        refusal("type colour = string; f: func(a: colour);"),
        "things.f: a: unknown alias colour: known are error-text, json, natural, text-map, timestamp, json-object, json-objects, json-body, refresh, sql-values, sql-lines, sql-rows, sql-row, sql-value, bson-document, bson-documents, bson-filter, bson-update, bson-pipeline, bson-results, bson-result"
    );
}

#[test]
fn an_unknown_tag() {
    assert_eq!(
        refusal("record r {\n/// Text.\n/// @defualt 1\na: option<u32> }\nf: func(a: r);"),
        "things.f: a: record r: a: unknown tag @defualt: known are @default, @range, @values, @null, @param, @callback, @wait, @update, @pages, @errors, @class"
    );
}

#[test]
fn a_tag_in_the_wrong_place() {
    assert_eq!(refusal("/// @default 1\nf: func();"), "things.f: @default does not belong here");
    assert_eq!(refusal("/// @wait\nf: func();"), "things.f: @wait belongs to an async function");
    assert_eq!(refusal("f: func() -> error-text;"), "things.f: an error-text can't be a result");
    assert_eq!(refusal("/// @param b Text.\nf: func(a: u32);"), "things.f: @param b names no parameter");
    assert_eq!(
        refusal("record r {\n/// @default 1\na: u32 }\nf: func(a: r);"),
        "things.f: a: record r: a has a @default and is not optional"
    );
    assert_eq!(
        refusal("record r {\n/// @null\na: option<u32> }\nf: func(a: r);"),
        "things.f: a: record r: a is @null and no option of a result"
    );
    assert_eq!(
        refusal("record r {\n/// @range 1..2\na: string }\nf: func(a: r);"),
        "things.f: a: record r: a: @range belongs to a number"
    );
    assert_eq!(
        refusal("record r {\n/// @values 1\na: bool }\nf: func(a: r);"),
        "things.f: a: record r: a: @values belong to a string or a whole number"
    );
}

#[test]
fn a_tag_that_contradicts_the_type() {
    assert_eq!(
        refusal("record r {\n/// @range 0..300\na: u8 }\nf: func(a: r);"),
        "things.f: a: record r: a: @range must lie within 0..255"
    );
    assert_eq!(
        refusal("record r {\n/// @values \"x\"\na: u8 }\nf: func(a: r);"),
        "things.f: a: record r: a: @values of a whole number must be whole numbers, not \"x\""
    );
    assert_eq!(
        refusal("enum e { one, two }\nrecord r {\n/// @default \"three\"\na: option<e> }\nf: func(a: r);"),
        "things.f: a: record r: a: @default \"three\" is none of its values"
    );
    assert_eq!(
        refusal("record r {\n/// @range 1..5\n/// @default 6\na: option<u8> }\nf: func(a: r);"),
        "things.f: a: record r: a: @default 6 is none of its values"
    );
}

#[test]
fn a_callback_without_a_resource_that_it_can_end() {
    let tag = "/// @callback finish abort\n";
    assert_eq!(
        refusal(&format!("{tag}f: async func();")),
        "things.f: @callback belongs to a function that returns a resource"
    );
    assert_eq!(
        refusal(&format!("resource r {{ finish: async func(); }}\n{tag}f: async func() -> r;")),
        "things.f: @callback abort: the resource has no asynchronous method of this name without parameters"
    );
    assert_eq!(
        refusal("/// @callback finish\nf: async func();"),
        "things.f: @callback names two methods, not \"finish\""
    );
}

/// What `@update` belongs to, and what it names.
const UPDATE: &str = "record reading { data: option<json>, revision: string }
/// @update replace remove
change: func(a: string) -> result<reading, error>;
replace: func(a: string, revision: string, data: json) -> result<u64, error>;
remove: func(a: string, revision: string) -> result<_, error>;";

#[test]
fn an_update_without_functions_that_write_what_it_reads() {
    assert_eq!(refusal(UPDATE), "nothing");
    assert_eq!(
        refusal(&UPDATE.replace("replace: func(a: string, ", "replace: func(")),
        "things: change: @update replace: there is no function replace(a, revision: string, data: json) that returns what \
         it stored"
    );
    assert_eq!(
        refusal(&UPDATE.replace("remove: ", "delete: ")),
        "things: change: @update remove: there is no function remove(a, revision: string) that returns nothing"
    );
    let reading = "things: change: @update belongs to a synchronous function that can fail, has no optional parameter, \
                   and returns a record of data: option<json> and revision: string";
    assert_eq!(refusal(&UPDATE.replace("data: option<json>", "data: json")), reading);
    assert_eq!(refusal(&UPDATE.replace("change: func", "change: async func")), reading);
    assert_eq!(refusal("/// @update replace\nf: func();"), "things.f: @update names two functions, not \"replace\"");
    assert_eq!(
        refusal("resource r {\n/// @update a b\nf: func(); }\ng: func() -> r;"),
        "things.g: resource [method]r.f: @update belongs to a function of a namespace"
    );
}

/// What `@pages` belongs to.
const PAGES: &str = "record options { after: option<string> }
record item { key: string }
/// @pages after key
all: func(options: option<options>) -> result<list<item>, error>;";

#[test]
fn pages_that_do_not_lead_to_the_next() {
    assert_eq!(refusal(PAGES), "nothing");
    let refused = "things.all: @pages belongs to a synchronous function that can fail, takes options with \
                   after: option<string> last, and returns a list of records with key: string";
    for (right, wrong) in [
        ("after: option<string>", "before: option<string>"),
        ("after: option<string>", "after: option<string>, limit: u32"),
        ("{ key: string }", "{ key: u32 }"),
        ("list<item>", "item"),
        ("all: func", "all: async func"),
        ("result<list<item>, error>", "list<item>"),
    ] {
        assert_eq!(refusal(&PAGES.replace(right, wrong)), refused, "{wrong}");
    }
    assert_eq!(refusal("/// @pages\nf: func();"), "things.f: @pages names an option and a member, not \"\"");
}

#[test]
fn a_marked_value_that_goes_the_other_way() {
    assert_eq!(
        refusal("type sql-values = string;\nf: func() -> sql-values;"),
        "things.f: sql-values is only allowed in the other direction"
    );
}

#[test]
fn a_stream_that_the_glue_can_not_feed() {
    let refused = |wit: &str| refusal(&format!("type sql-lines = string;\ntype sql-values = string;\n{wit}"));
    assert_eq!(refused("f: async func(a: stream<sql-lines>) -> result<_, error>;"), "nothing");
    assert_eq!(
        refused("f: func(a: stream<sql-lines>) -> result<_, error>;"),
        "things.f: a stream belongs to an async function that can fail"
    );
    assert_eq!(
        refused("f: async func(a: stream<sql-lines>);"),
        "things.f: a stream belongs to an async function that can fail"
    );
    assert_eq!(
        refused("f: async func(a: stream<sql-lines>, b: stream<sql-lines>) -> result<_, error>;"),
        "things.f: the glue supports one stream in a call"
    );
    assert_eq!(
        refused("f: async func(a: option<stream<sql-lines>>);"),
        "things.f: a: the glue has no conversion for a stream"
    );
    assert_eq!(refused("f: func(a: sql-lines);"), "things.f: a: sql-lines comes in a stream");
    assert_eq!(refused("f: func(a: stream<sql-values>);"), "things.f: a: sql-values does not come in a stream");
    assert!(refused("f: func(a: stream<u8>);").starts_with("things.f: a: unknown alias"));
}

#[test]
fn an_error_code_that_does_not_exist() {
    assert_eq!(refusal("/// @errors not-found not-there\nf: func();"), "things.f: @errors not-there is no error code");
}

#[test]
fn a_type_without_a_conversion() {
    assert_eq!(refusal("f: func(a: tuple<u32, u32>);"), "things.f: a: the glue has no conversion for a tuple");
    assert_eq!(refusal("f: func(a: char);"), "things.f: a: the glue has no conversion for Char");
    assert_eq!(refusal("variant v { a }\nf: func() -> v;"), "things.f: the glue has no conversion for a variant");
    assert_eq!(refusal("f: func(a: timestamp);"), "things.f: a: a timestamp can't be an argument");
    assert_eq!(
        refusal("f: func(a: list<option<u32>>);"),
        "things.f: a: an option inside a list or an option can't be an argument"
    );
    assert_eq!(refusal("f: func() -> result<_, string>;"), "things.f: the error of a result must be types.error");
    assert_eq!(
        refusal("resource r { constructor(); }\nf: func() -> r;"),
        "things.f: resource [constructor]r: a resource may only have methods, no constructor and no static function"
    );
    assert_eq!(refusal("resource r {}\nf: func(a: r);"), "things.f: a: a resource can't be an argument");
}

#[test]
fn a_required_parameter_behind_an_optional_one() {
    assert_eq!(
        refusal("f: func(a: option<u32>, b: u32);"),
        "things.f: b is required and stands behind an optional parameter"
    );
}

#[test]
fn two_types_of_one_name() {
    let folder = tempfile::tempdir().unwrap();
    let types = TYPES.replace("import things;", "import things; import others;");
    let wit = format!(
        "{types}\ninterface things {{ record r {{}} f: func(a: r); }}\ninterface others {{ record r {{}} f: func(a: r); }}"
    );
    fs::write(folder.path().join("things.wit"), wit).unwrap();
    assert_eq!(ghost_bindgen::glue(folder.path(), World::Script).unwrap_err().to_string(), "two types are named r");
}
