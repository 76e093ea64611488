use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    arguments::{read, tree_bytes},
    *,
};
use crate::ErrorCode;

fn given(arguments: &[&str]) -> Vec<String> {
    arguments.iter().map(|&json| json.to_owned()).collect()
}

fn refusal<T: serde::de::DeserializeOwned + fmt::Debug>(arguments: &[&str]) -> String {
    let error = read::<T>(&given(arguments)).unwrap_err();
    assert_eq!(error.code, ErrorCode::WrongKind);
    error.message
}

#[test]
fn arguments_are_read_into_a_tuple() {
    let read_two = |arguments: &[&str]| read::<(String, Option<u8>)>(&given(arguments)).unwrap();
    assert_eq!(read_two(&["\"a\"", "7"]), ("a".to_owned(), Some(7)));
    assert_eq!(read_two(&["\"a\"", "null"]), ("a".to_owned(), None));
    assert_eq!(read_two(&["\"a\""]), ("a".to_owned(), None), "a missing argument is null");
    read::<()>(&[]).unwrap();
    assert_eq!(read::<Vec<Value>>(&given(&["1", "{\"a\":[]}"])).unwrap(), [json!(1), json!({ "a": [] })]);
    assert!(read::<Vec<Value>>(&[]).unwrap().is_empty());
}

#[test]
fn an_argument_of_another_type_is_named() {
    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Order {
        #[allow(dead_code)]
        amount: u8,
    }
    type One = (Order,);
    assert_eq!(refusal::<(String, u8)>(&["\"a\"", "\"b\""]), "arguments[1]: invalid type: string \"b\", expected u8");
    assert_eq!(refusal::<(String, u8)>(&["\"a\""]), "arguments[1] is missing");
    assert_eq!(refusal::<(u8,)>(&["300"]), "arguments[0]: invalid value: integer `300`, expected u8");
    assert_eq!(refusal::<One>(&["{}"]), "arguments[0]: missing field `amount`");
    assert_eq!(refusal::<One>(&["{\"amount\":1,\"a\":2}"]), "arguments[0]: unknown field `a`, expected `amount`");
    assert_eq!(refusal::<(Value,)>(&["[1] 2"]), "arguments[0]: trailing characters");
    let deep = "[".repeat(200) + &"]".repeat(200);
    assert_eq!(refusal::<(Value,)>(&[&deep]), "arguments[0]: recursion limit exceeded");
}

#[test]
fn more_arguments_than_a_function_takes_are_refused() {
    assert_eq!(refusal::<()>(&["1"]), "the method takes no arguments, not 1");
    assert_eq!(refusal::<(u8,)>(&["1", "2"]), "the method takes 1 argument, not 2");
    assert_eq!(refusal::<(u8, u8)>(&["1", "2", "3"]), "the method takes 2 arguments, not 3");
}

/// The allocations of a value, as the libraries make them: vectors double, and nodes of maps have room for eleven members.
fn allocated(value: &Value) -> usize {
    let size = size_of::<Value>();
    match value {
        Value::Array(items) => items.capacity() * size + items.iter().map(allocated).sum::<usize>(),
        Value::Object(members) => {
            let nodes = members.len().div_ceil(6);
            nodes * (11 * (size + size_of::<String>()) + 16) + members.values().map(allocated).sum::<usize>()
        }
        _ => 0,
    }
}

#[test]
fn the_memory_of_a_tree_is_estimated_from_above() {
    let many = |item: &str| format!("[{}]", vec![item; 1000].join(","));
    let members: Vec<_> = (0..1000).map(|index| format!("\"{index}\":[]")).collect();
    for json in [many("1"), many("[]"), many("{\"a\":1}"), format!("{{{}}}", members.join(",")), many("null")] {
        let value: Value = serde_json::from_str(&json).unwrap();
        let (needed, estimate) = (allocated(&value), tree_bytes(&json));
        assert!(needed <= estimate && estimate < 4 * needed + 80_000, "{needed} {estimate} {}", &json[..30]);
    }
    let text = serde_json::to_string(&"[{,:\\\"[{".repeat(1000)).unwrap();
    assert_eq!(tree_bytes(&text), tree_bytes("1"), "characters of a text are no structure");
}

fn table(functions: impl IntoIterator<Item = Functions>) -> Result<Table, Error> {
    Table::new(functions.into_iter().collect(), &["store"])
}

fn named(namespace: &str, name: &str) -> Functions {
    Functions::new(namespace).function(name, |_| Ok(1))
}

#[test]
fn names_are_checked() {
    for name in ["rate", "chargeNow", "_a", "$1", "delete", &"n".repeat(64)] {
        table([named(name, name)]).unwrap();
    }
    let long = "n".repeat(65);
    let identifiers = ["", "1a", "a-b", "a.b", "a b", "größe", "a\0", &long];
    let meanings = ["__proto__", "__a", "constructor", "prototype", "then", "toJSON", "toString", "valueOf"];
    for name in identifiers.into_iter().chain(meanings) {
        for functions in [named(name, "ok"), named("ok", name)] {
            let error = table([functions]).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidArgument, "{name:?}");
            assert!(error.message.contains("can't be the name of a "), "{}", error.message);
        }
    }
}

#[test]
fn a_name_exists_once() {
    let refusal = |functions: Vec<Functions>| table(functions).unwrap_err().message;
    assert_eq!(refusal(vec![named("store", "a")]), "g.store exists already");
    assert_eq!(refusal(vec![named("a", "b"), named("a", "c")]), "g.a exists already");
    assert_eq!(refusal(vec![named("a", "b").async_function("b", |_| async { Ok(1) })]), "g.a.b exists already");
    table([named("a", "b"), named("b", "b")]).unwrap();
}

#[test]
fn the_list_has_every_function_in_order() {
    let table = table([named("b", "z").async_function("a", |_| async { Ok(()) }), named("a", "y")]).unwrap();
    let list: Vec<_> = table.list().iter().map(|one| (&*one.namespace, &*one.name, one.asynchronous)).collect();
    assert_eq!(list, [("b", "z", false), ("b", "a", true), ("a", "y", false)]);
}

#[test]
fn declarations_have_the_texts_inside_of_the_type_of_g() {
    let typed = named("billing", "rate").types("/** One. */\nrate(currency: string): number;\n");
    let plain = named("mail", "count").async_function("send", |_| async { Ok(()) });
    let text = table([typed, plain]).unwrap().declarations();
    let added = "  readonly billing: {\n    /** One. */\n    rate(currency: string): number;\n  };\n  readonly mail: {\n    \
                 count(...arguments: any[]): any;\n    send(...arguments: any[]): Promise<any>;\n  };\n";
    let (before, after) = text.split_once(added).expect("it contains them");
    assert_eq!(format!("{before}{after}"), DECLARATIONS);
    assert!(
        before.contains("declare const g: {\n") && before.ends_with("  readonly search: GhostSearch;\n"),
        "{before}"
    );
    assert!(after.starts_with("};\n"));
    assert_eq!(Table::default().declarations(), DECLARATIONS);
}
