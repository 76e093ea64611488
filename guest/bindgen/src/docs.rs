//! Parses the doc comments of the WIT: prose, and tags for everything that WIT has no syntax for.
//!
//! A tag begins at the start of a line and ends at the next tag or empty line. Tags of a parameter follow its text:
//! `@param size Documents in one request. @default 1000 @range 1..10000`.

use std::fmt;

use anyhow::{Context, Result, bail, ensure};

/// A parsed doc comment.
#[derive(Clone, Debug, Default)]
pub struct Docs {
    /// The prose, as Markdown in the lines of the comment.
    pub text: String,
    /// `@default`: the value of an absent option.
    pub default: Option<Literal>,
    /// `@range`: the minimum and the maximum.
    pub range: Option<(f64, f64)>,
    /// `@values`: the allowed values.
    pub values: Vec<Literal>,
    /// `@null`: an absent field of a result is null.
    pub null: bool,
    /// `@callback`: the two methods of the returned resource that are called when the callback has succeeded or failed.
    pub callback: Option<(String, String)>,
    /// `@wait`: the call is dropped when `main` has settled.
    pub wait: bool,
    /// `@update`: the functions that store and delete the updated value that this one reads.
    pub update: Option<(String, String)>,
    /// `@pages`: the option after which the next page begins, and the member of an item that provides its value.
    pub pages: Option<(String, String)>,
    /// `@errors`: the codes with which a call can fail, in kebab case.
    pub errors: Vec<String>,
    /// `@class`: the classes of a namespace.
    pub classes: Vec<Class>,
    /// `@param`: by the parameter's WIT name.
    pub parameters: Vec<(String, Docs)>,
}

/// A class of a namespace, which WIT has no word for: the glue implements it.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// Its name in JavaScript.
    pub name: String,
    /// The parameters of its constructor in TypeScript.
    pub parameters: String,
    /// Its members in TypeScript, without those that every class has.
    pub members: Vec<String>,
    /// Its documentation.
    pub text: String,
}

/// A value in a tag.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// `"text"`
    Text(String),
    /// `12`
    Number(f64),
    /// `true`
    Boolean(bool),
}

const KNOWN: &str = "@default, @range, @values, @null, @param, @callback, @wait, @update, @pages, @errors, @class";

/// The item that a comment belongs to. It determines which tags are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A type or a case of an enum: no tags.
    Prose,
    /// A namespace: `@errors`, which apply to every method, and `@class`.
    Namespace,
    /// A function: `@param`, `@callback`, `@wait`, `@update`, `@pages`, `@errors`.
    Function,
    /// A field of a record, or a parameter: all others.
    Value,
}

impl Docs {
    /// Parses a comment. An unknown or misplaced tag is an error.
    pub fn parse(comment: Option<&str>, owner: Owner) -> Result<Self> {
        let mut docs = Self::default();
        let mut prose = Vec::new();
        let mut lines = comment.unwrap_or_default().lines().map(str::trim_end).peekable();
        while let Some(line) = lines.next() {
            let Some(tag) = line.trim_start().strip_prefix('@') else {
                prose.push(line);
                continue;
            };
            let mut tag = tag.to_owned();
            while let Some(more) = lines.next_if(|line| !line.is_empty() && !line.trim_start().starts_with('@')) {
                tag = tag + " " + more.trim();
            }
            docs.tag(&tag, owner)?;
        }
        docs.text = prose.join("\n").trim().to_owned();
        Ok(docs)
    }

    /// Returns the documentation of a parameter.
    pub fn parameter(&self, name: &str) -> Docs {
        self.parameters.iter().find(|(known, _)| known == name).map(|(_, docs)| docs.clone()).unwrap_or_default()
    }

    fn tag(&mut self, tag: &str, owner: Owner) -> Result<()> {
        let (name, rest) = tag.split_once(' ').unwrap_or((tag, ""));
        let rest = rest.trim();
        let home = match name {
            "errors" => {
                if owner == Owner::Namespace {
                    owner
                } else {
                    Owner::Function
                }
            }
            "class" => Owner::Namespace,
            "param" | "callback" | "wait" | "update" | "pages" => Owner::Function,
            "default" | "range" | "values" | "null" => Owner::Value,
            _ => bail!("unknown tag @{name}: known are {KNOWN}"),
        };
        ensure!(home == owner, "@{name} does not belong here");
        match name {
            "param" => self.parameters.push(parameter(rest)?),
            "class" => self.classes.push(class(rest)?),
            "callback" => self.callback = Some(two_words(rest, "@callback names two methods")?),
            "update" => self.update = Some(two_words(rest, "@update names two functions")?),
            "pages" => self.pages = Some(two_words(rest, "@pages names an option and a member")?),
            "errors" => self.errors = rest.split_whitespace().map(ToOwned::to_owned).collect(),
            "default" => self.default = Some(literal(rest)?),
            "range" => self.range = Some(range(rest)?),
            "values" => self.values = rest.split(',').map(|value| literal(value.trim())).collect::<Result<_>>()?,
            _ => {
                ensure!(rest.is_empty(), "@{name} takes nothing, not {rest:?}");
                *(if name == "wait" { &mut self.wait } else { &mut self.null }) = true;
            }
        }
        Ok(())
    }
}

fn two_words(text: &str, meaning: &str) -> Result<(String, String)> {
    match text.split_whitespace().collect::<Vec<_>>().as_slice() {
        [finish, abort] => Ok(((*finish).to_owned(), (*abort).to_owned())),
        _ => bail!("{meaning}, not {text:?}"),
    }
}

/// `Name(parameters) { member; member } Text.`
fn class(text: &str) -> Result<Class> {
    let malformed = || format!("@class must be Name(parameters) {{ members }} text, not {text:?}");
    let (name, rest) = text.split_once('(').with_context(malformed)?;
    let (parameters, rest) = rest.split_once(')').with_context(malformed)?;
    let rest = rest.trim_start();
    let (members, rest) = match rest.strip_prefix('{') {
        Some(rest) => rest.split_once('}').with_context(malformed)?,
        None => ("", rest),
    };
    let members = members.split(';').map(|member| member.trim().to_owned()).filter(|member| !member.is_empty());
    let (name, parameters, text) = (name.to_owned(), parameters.to_owned(), rest.trim().to_owned());
    ensure!(!name.is_empty() && !text.is_empty(), malformed());
    Ok(Class { name, parameters, members: members.collect(), text })
}

fn parameter(text: &str) -> Result<(String, Docs)> {
    let (name, rest) = text.split_once(' ').with_context(|| format!("@param {text} says nothing"))?;
    let mut parts = rest.split(" @");
    let mut docs = Docs { text: parts.next().unwrap_or_default().trim().to_owned(), ..Docs::default() };
    for tag in parts {
        docs.tag(tag, Owner::Value).with_context(|| format!("@param {name}"))?;
    }
    Ok((name.to_owned(), docs))
}

fn range(text: &str) -> Result<(f64, f64)> {
    let bounds = text.split_once("..").and_then(|(least, most)| Some((least.parse().ok()?, most.parse().ok()?)));
    let (least, most): (f64, f64) =
        bounds.with_context(|| format!("@range must be two numbers like 1..100, not {text:?}"))?;
    ensure!(least <= most, "@range {text} holds nothing");
    Ok((least, most))
}

fn literal(text: &str) -> Result<Literal> {
    if let Some(text) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        ensure!(!text.contains(['"', '\\']), "a text in a tag must be plain, not {text:?}");
        return Ok(Literal::Text(text.to_owned()));
    }
    match text {
        "true" => Ok(Literal::Boolean(true)),
        "false" => Ok(Literal::Boolean(false)),
        _ => match text.parse() {
            Ok(number) => Ok(Literal::Number(number)),
            Err(_) => bail!("a value in a tag must be \"text\", a number, true or false, not {text:?}"),
        },
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(formatter, "\"{text}\""),
            Self::Number(number) => write!(formatter, "{number}"),
            Self::Boolean(boolean) => write!(formatter, "{boolean}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_and_tags_are_told_apart() {
        let docs = Docs::parse(Some("How many.\nAt most.\n@default 100\n@range 0..500"), Owner::Value).unwrap();
        assert_eq!(docs.text, "How many.\nAt most.");
        assert_eq!(docs.default, Some(Literal::Number(100.0)));
        assert_eq!(docs.range, Some((0.0, 500.0)));
    }

    #[test]
    fn a_parameter_has_text_over_several_lines_and_tags_of_its_own() {
        let comment = "Sends.\n@param size Documents in\none request. @default 1000\n@param to Where.";
        let docs = Docs::parse(Some(comment), Owner::Function).unwrap();
        assert_eq!(docs.text, "Sends.");
        assert_eq!(docs.parameter("size").text, "Documents in one request.");
        assert_eq!(docs.parameter("size").default, Some(Literal::Number(1000.0)));
        assert_eq!(docs.parameter("to").text, "Where.");
        assert_eq!(docs.parameter("else").text, "");
    }

    #[test]
    fn a_tag_that_is_unknown_or_in_the_wrong_place_is_refused() {
        let refusal = |comment, owner| Docs::parse(Some(comment), owner).unwrap_err().to_string();
        assert_eq!(
            refusal("@defualt 1", Owner::Value),
            "unknown tag @defualt: known are @default, @range, @values, @null, @param, @callback, @wait, @update, @pages, @errors, @class"
        );
        assert_eq!(refusal("@default 1", Owner::Function), "@default does not belong here");
        assert_eq!(refusal("@param a b", Owner::Value), "@param does not belong here");
        assert_eq!(refusal("@null", Owner::Prose), "@null does not belong here");
    }

    #[test]
    fn a_class_has_parameters_members_and_text() {
        let comment = "Stores.\n@class Id(text?: string) { equals(other: unknown): boolean; readonly size: number } An\n\
                       id.\n@class Least() The least.";
        let docs = Docs::parse(Some(comment), Owner::Namespace).unwrap();
        let [id, least] = docs.classes.as_slice() else { panic!("{:?}", docs.classes) };
        assert_eq!((id.name.as_str(), id.parameters.as_str(), id.text.as_str()), ("Id", "text?: string", "An id."));
        assert_eq!(id.members, ["equals(other: unknown): boolean", "readonly size: number"]);
        assert_eq!((least.parameters.as_str(), least.members.len()), ("", 0));
        for malformed in ["@class Id", "@class Id()", "@class Id(a { b", "@class (a) Text."] {
            assert!(Docs::parse(Some(malformed), Owner::Namespace).is_err(), "{malformed}");
        }
        assert!(Docs::parse(Some("@class Id() An id."), Owner::Function).is_err());
    }

    #[test]
    fn a_malformed_tag_is_refused() {
        let refusal = |comment| Docs::parse(Some(comment), Owner::Value).unwrap_err().to_string();
        assert_eq!(refusal("@range 5"), "@range must be two numbers like 1..100, not \"5\"");
        assert_eq!(refusal("@range 5..1"), "@range 5..1 holds nothing");
        assert_eq!(refusal("@null yes"), "@null takes nothing, not \"yes\"");
        assert_eq!(
            refusal("@values get, put"),
            "a value in a tag must be \"text\", a number, true or false, not \"get\""
        );
    }
}
