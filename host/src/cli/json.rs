//! Formats JSON as text, without parsing it: numbers are not converted, and the depth is not limited.

use std::borrow::Cow;

use serde::Serialize;

use super::{Exit, execute::print_result, report, terminal::escape_json};

/// Prints a value as JSON, with its members in the order of their declaration.
pub(crate) fn print_json(value: &impl Serialize) -> Exit {
    match serde_json::to_string(value) {
        Ok(json) => print_result(&json),
        Err(error) => {
            report::error(&error.to_string());
            Exit::Failed
        }
    }
}

/// Returns indented JSON, with control characters escaped.
pub(crate) fn for_terminal(json: &str) -> String {
    escape_json(&indent(json)).into_owned()
}

/// Returns JSON without white space between its tokens, on one line.
pub(crate) fn compact(json: &str) -> Cow<'_, str> {
    if !json.contains(is_space) {
        return json.into();
    }
    let (mut is_inside, mut is_escaped) = (false, false);
    let mut text = json.to_owned();
    text.retain(|character| {
        let is_kept = is_inside || !is_space(character);
        if character == '"' && !is_escaped {
            is_inside = !is_inside;
        }
        is_escaped = is_inside && character == '\\' && !is_escaped;
        is_kept
    });
    text.into()
}

fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\n' | '\r' | '\t')
}

/// Returns JSON with one line for each member and element, indented by two spaces.
fn indent(json: &str) -> String {
    let mut text = String::with_capacity(json.len() * 2);
    let mut depth = 0;
    let mut characters = json.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' => {
                text.push('"');
                while let Some(inner) = characters.next() {
                    text.push(inner);
                    match inner {
                        '\\' => text.extend(characters.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            '{' | '[' => {
                text.push(character);
                if let Some(close) = characters.next_if(|next| matches!(next, '}' | ']')) {
                    text.push(close);
                } else {
                    depth += 1;
                    line(&mut text, depth);
                }
            }
            '}' | ']' => {
                depth -= 1;
                line(&mut text, depth);
                text.push(character);
            }
            ',' => {
                text.push(',');
                line(&mut text, depth);
            }
            ':' => text.push_str(": "),
            other => text.push(other),
        }
    }
    text
}

fn line(text: &mut String, depth: usize) {
    text.push('\n');
    text.extend(std::iter::repeat_n("  ", depth));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_do_not_change() {
        let json = r#"{"a:b":[1,{},[],"x,\"[{"],"n":1e400}"#;
        assert_eq!(
            indent(json),
            "{\n  \"a:b\": [\n    1,\n    {},\n    [],\n    \"x,\\\"[{\"\n  ],\n  \"n\": 1e400\n}"
        );
    }

    #[test]
    fn compact_json_keeps_the_spaces_of_strings() {
        let json = "{ \"a b\" :\n [1,\t\"x \\\" , \\\\\" , {} ]\r\n}";
        assert_eq!(compact(json), r#"{"a b":[1,"x \" , \\",{}]}"#);
    }

    #[test]
    fn the_value_does_not_change() {
        let json = r#"{"a":[true,null,{"b":"\\"}],"c":[[[1.50]]]}"#;
        let parse = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(parse(&indent(json)), parse(json));
    }
}
