//! The path of a part of a value, for messages.

use std::fmt;

use super::super::show;

/// The maximum number of steps to show at each end of a path.
const SHOWN: usize = 8;

/// One step into a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    Item(i64),
    Member(String),
}

/// The path within a value: `.items[3].price`; empty for the value itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path(pub Vec<Step>);

impl fmt::Display for Path {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hidden = SHOWN..self.0.len().saturating_sub(SHOWN);
        for (index, step) in self.0.iter().enumerate() {
            match step {
                _ if hidden.contains(&index) => {
                    if index == hidden.start {
                        formatter.write_str("…")?;
                    }
                }
                Step::Item(index) => write!(formatter, "[{index}]")?,
                Step::Member(name) if is_identifier(name) => write!(formatter, ".{name}")?,
                Step::Member(name) => write!(formatter, "[{}]", show::text(name))?,
            }
        }
        Ok(())
    }
}

/// Whether a name can follow a dot, and is short enough.
fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    let starts = characters.next().is_some_and(|first| first.is_alphabetic() || matches!(first, '_' | '$'));
    starts
        && characters.all(|character| character.is_alphanumeric() || matches!(character, '_' | '$'))
        && name.len() <= show::MAX_CHARACTERS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_as_a_script_would_write_it_and_no_longer_than_a_line() {
        let member = |name: &str| Step::Member(name.to_owned());
        let path =
            Path(vec![member("items"), Step::Item(3), member("a b"), member("\u{1b}"), member(""), member("né")]);
        assert_eq!(path.to_string(), r#".items[3]["a b"]["\u{1b}"][""].né"#);
        assert_eq!(Path::default().to_string(), "");
        let long = Path(vec![Step::Item(0); 40]).to_string();
        assert_eq!(long, format!("{}…{}", "[0]".repeat(8), "[0]".repeat(8)));
        assert!(Path(vec![member(&"x".repeat(10_000))]).to_string().len() < 100);
    }
}
