//! `describe_api`: the type declarations of `g`, cut to a budget.

use std::{collections::BTreeSet, sync::LazyLock};

use ghost::{Namespace, functions::DECLARATIONS};
use serde::Serialize;

pub(super) const DEFAULT_TOKENS: usize = 10_000;
pub(super) const MIN_TOKENS: usize = 200;
pub(super) const MAX_TOKENS: usize = 50_000;
/// A token of code has three characters or more.
const TOKEN_CHARACTERS: usize = 3;

static BLOCKS: LazyLock<Vec<Block>> = LazyLock::new(|| blocks(DECLARATIONS));

/// A declaration with the comment before it.
struct Block {
    name: String,
    text: String,
}

/// How much of the comments is kept.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
enum Comments {
    Full,
    /// The first sentence of each.
    Short,
    None,
}

/// The declarations that fit a budget.
#[derive(Serialize)]
pub(super) struct Description {
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    /// The names of declarations that did not fit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    omitted: Vec<&'static str>,
    comments: Comments,
    tokens: usize,
    declarations: String,
}

/// The names of the namespaces.
pub(super) fn namespaces() -> Vec<&'static str> {
    Namespace::ALL.iter().map(|namespace| namespace.name()).collect()
}

/// Returns the declarations of a namespace, or all of them, within a number of tokens.
pub(super) fn describe(namespace: Option<&str>, tokens: usize) -> Description {
    let (blocks, blocked) = namespace.map_or_else(all, |namespace| (of_namespace(namespace), Vec::new()));
    let characters = tokens * TOKEN_CHARACTERS;
    for comments in [Comments::Full, Comments::Short] {
        // What a script can't use is omitted before a comment is shortened.
        for (blocks, omitted) in [([&blocks[..], &blocked].concat(), Vec::new()), (blocks.clone(), names(&blocked))] {
            let text = joined(blocks.iter().map(|block| comments.of(&block.text)));
            if text.chars().count() <= characters {
                return Description::of(text, comments, omitted);
            }
        }
    }
    let (mut kept, mut omitted, mut room) = (Vec::new(), Vec::new(), characters);
    for block in blocks.into_iter().chain(blocked) {
        let text = Comments::None.of(&block.text);
        match room.checked_sub(text.chars().count() + 2) {
            Some(left) if omitted.is_empty() => {
                room = left;
                kept.push(text);
            }
            _ => omitted.push(block.name.as_str()),
        }
    }
    Description::of(joined(kept), Comments::None, omitted)
}

impl Description {
    fn of(declarations: String, comments: Comments, omitted: Vec<&'static str>) -> Self {
        let tokens = declarations.chars().count().div_ceil(TOKEN_CHARACTERS);
        Self { truncated: (!omitted.is_empty()).then_some(true), omitted, comments, tokens, declarations }
    }
}

fn names(blocks: &[&'static Block]) -> Vec<&'static str> {
    blocks.iter().map(|block| block.name.as_str()).collect()
}

fn joined(blocks: impl IntoIterator<Item = String>) -> String {
    blocks.into_iter().collect::<Vec<_>>().join("\n\n")
}

/// All declarations, and separately those that only blocked namespaces need.
fn all() -> (Vec<&'static Block>, Vec<&'static Block>) {
    let of = |is_external| {
        let namespaces = Namespace::ALL.iter().filter(|namespace| namespace.is_external() == is_external);
        namespaces.flat_map(|namespace| reachable(&interface(namespace.name()))).collect::<BTreeSet<_>>()
    };
    let (local, external) = (of(false), of(true));
    let is_external = |block: &&Block| external.contains(block.name.as_str()) && !local.contains(block.name.as_str());
    BLOCKS.iter().partition(|block| !is_external(block))
}

/// The declaration of a namespace, and those that it refers to.
fn of_namespace(namespace: &str) -> Vec<&'static Block> {
    let root = interface(namespace);
    let mut names = reachable(&root);
    names.extend(reachable("GError"));
    let (first, others): (Vec<_>, Vec<_>) =
        BLOCKS.iter().filter(|block| names.contains(block.name.as_str())).partition(|block| block.name == root);
    first.into_iter().chain(others).collect()
}

/// `GhostStore`
fn interface(namespace: &str) -> String {
    let (first, rest) = namespace.split_at(1);
    format!("Ghost{}{rest}", first.to_uppercase())
}

/// The name of a declaration and those that it refers to, directly or not.
fn reachable(name: &str) -> BTreeSet<&'static str> {
    let (mut names, mut next) = (BTreeSet::new(), vec![name.to_owned()]);
    while let Some(name) = next.pop() {
        for block in BLOCKS.iter().filter(|block| block.name == name) {
            if names.insert(block.name.as_str()) {
                let code = Comments::None.of(&block.text);
                next.extend(words(&code).filter(|word| *word != "g").map(ToOwned::to_owned));
            }
        }
    }
    names
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|character: char| !character.is_alphanumeric() && character != '_').filter(|word| !word.is_empty())
}

/// Splits declarations at the empty lines between them. The lines inside one are indented, or end it.
fn blocks(declarations: &str) -> Vec<Block> {
    let mut texts: Vec<String> = Vec::new();
    let (mut is_after_gap, mut is_first) = (false, true);
    for line in declarations.lines() {
        let begins = is_first || is_after_gap && line.starts_with(|c: char| !c.is_whitespace() && c != '}');
        match texts.last_mut() {
            Some(text) if !begins => *text += &format!("\n{line}"),
            _ => texts.push(line.to_owned()),
        }
        (is_after_gap, is_first) = (line.is_empty(), false);
    }
    texts.into_iter().map(|text| Block { name: declared(&text), text: text.trim_end().to_owned() }).collect()
}

/// The name that a block declares.
fn declared(block: &str) -> String {
    let code = Comments::None.of(block);
    let keywords = ["declare", "const", "class", "interface", "type", "var", "function"];
    words(&code).find(|word| !keywords.contains(word)).unwrap_or_default().to_owned()
}

impl Comments {
    fn of(self, text: &str) -> String {
        if matches!(self, Self::Full) {
            return text.to_owned();
        }
        let (mut kept, mut rest) = (String::new(), text);
        while let Some((before, after)) = rest.split_once("/**") {
            let (comment, after) = after.split_once("*/").unwrap_or((after, ""));
            kept += before;
            match self {
                Self::Short => kept += &format!("/** {} */", first_sentence(comment)),
                _ => kept.truncate(kept.trim_end_matches(' ').len()),
            }
            rest = after;
        }
        kept += rest;
        // A removed comment leaves the line's end behind it.
        kept.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
    }
}

/// The first sentence of a comment, on one line.
fn first_sentence(comment: &str) -> String {
    let lines = comment.lines().map(|line| line.trim().trim_start_matches('*').trim());
    let text = lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    text.split_once(". ").map_or(text.clone(), |(first, _)| format!("{first}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_declaration_is_found_by_its_name() {
        for name in ["g", "GhostStore", "StoreDoc", "ErrorCode", "GError", "Console", "setTimeout", "crypto"] {
            assert!(
                BLOCKS.iter().any(|block| block.name == name || block.text.contains(&format!(" {name}"))),
                "{name}"
            );
        }
        assert!(BLOCKS.iter().all(|block| !block.name.is_empty() || block.text.starts_with("//")));
        let whole = BLOCKS.iter().map(|block| block.text.as_str()).collect::<Vec<_>>().join("\n\n");
        assert_eq!(whole, DECLARATIONS.trim_end());
    }

    #[test]
    fn a_namespace_comes_with_the_types_that_it_names() {
        for namespace in namespaces() {
            let described = describe(Some(namespace), MAX_TOKENS);
            assert!(
                described.truncated.is_none() && described.declarations.contains(&interface(namespace)),
                "{namespace}"
            );
        }
        let text = describe(Some("queue"), MAX_TOKENS).declarations;
        assert!(text.contains("interface QueueEnqueueOptions") && text.contains("class GError"), "{text}");
        assert!(!text.contains("GhostStore") && !text.contains("SqlTableInfo"), "{text}");
    }

    #[test]
    fn declarations_fit_their_budget() {
        for tokens in [MIN_TOKENS, 1_000, 2_500, 5_000, DEFAULT_TOKENS, MAX_TOKENS] {
            for namespace in namespaces().into_iter().map(Some).chain([None]) {
                let described = describe(namespace, tokens);
                assert!(described.tokens <= tokens, "{namespace:?}: {} of {tokens}", described.tokens);
                assert_eq!(described.truncated.is_some(), !described.omitted.is_empty());
            }
        }
        let all = describe(None, MAX_TOKENS);
        assert!(all.truncated.is_none() && matches!(all.comments, Comments::Full));
        let usual = describe(None, DEFAULT_TOKENS);
        assert!(usual.omitted.contains(&"GhostSqldb") && !usual.omitted.contains(&"GhostQueue"), "{:?}", usual.omitted);
        assert!(matches!(usual.comments, Comments::Full));
        let first = describe(None, 4_000);
        assert!(first.declarations.contains("interface GhostStore"), "{}", first.declarations);
        assert!(first.omitted.contains(&"GhostSqldb"), "{:?}", first.omitted);
    }

    #[test]
    fn comments_are_shortened_to_their_first_sentence() {
        let text = "/**\n * Adds one. And more\n * text.\n */\ninterface A {\n  /** Is b. Not c. */\n  b: string;\n}";
        assert_eq!(Comments::Short.of(text), "/** Adds one. */\ninterface A {\n  /** Is b. */\n  b: string;\n}");
        assert_eq!(Comments::None.of(text), "interface A {\n  b: string;\n}");
    }
}
