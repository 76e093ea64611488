//! The top-level modules of the host import each other in one direction: no cycle of `use` lines or inline paths.
//!
//! A top-level module is a folder of `src`, or a file in it. Tests are exempt (`#[cfg(test)]`, `tests.rs`, `*_test.rs`): a test of
//! rows may open the workspace that contains them, and nothing is built on a test.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// For each module, the modules that it imports, each with the first place that imports it.
type Imports = BTreeMap<String, BTreeMap<String, String>>;

#[test]
fn no_module_imports_a_module_that_imports_it() {
    // Cargo runs tests in the folder of their package.
    let imports = imports(Path::new("src"));
    assert!(imports["g"].contains_key("workspace") && imports["workspace"].contains_key("folder"), "{imports:#?}");
    let cycles = cycles(&imports);
    assert!(cycles.is_empty(), "these imports are part of a cycle:\n{}", cycles.join("\n"));
}

/// The imports between modules that lead from the second back to the first.
fn cycles(imports: &Imports) -> Vec<String> {
    let all = imports.iter().flat_map(|(from, to)| to.iter().map(move |(to, place)| (from, to, place)));
    let back = all.filter(|(from, to, _)| reachable(imports, to).contains(from.as_str()));
    back.map(|(from, to, place)| format!("{from} imports {to} ({place})")).collect()
}

fn reachable<'i>(imports: &'i Imports, from: &'i str) -> BTreeSet<&'i str> {
    let (mut seen, mut next) = (BTreeSet::new(), vec![from]);
    while let Some(module) = next.pop() {
        let unseen =
            imports.get(module).into_iter().flat_map(BTreeMap::keys).filter(|module| seen.insert(module.as_str()));
        next.extend(unseen.map(String::as_str));
    }
    seen
}

fn imports(src: &Path) -> Imports {
    let files = files(src);
    let modules: BTreeSet<String> = files.iter().map(|file| module_of(src, file)).collect();
    let exported = exported(&fs::read_to_string(src.join("lib.rs")).unwrap());
    let mut imports: Imports = modules.iter().map(|module| (module.clone(), BTreeMap::new())).collect();
    for file in &files {
        let from = module_of(src, file);
        for (name, line) in names_in_root(&fs::read_to_string(file).unwrap(), depth_of(src, file)) {
            let place = format!("{}:{line}", file.strip_prefix(src).unwrap().display());
            let to = modules.get(&name).or_else(|| exported.get(&name));
            let to = to.unwrap_or_else(|| panic!("{place} names crate::{name}: name its module"));
            if *to != from {
                imports.get_mut(&from).unwrap().entry(to.clone()).or_insert(place);
            }
        }
    }
    imports
}

/// The files of all modules: those below `src` that are neither tests nor the roots of the crates.
fn files(src: &Path) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![src.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let stem = path.file_stem().unwrap().to_str().unwrap();
            match path.is_dir() {
                _ if stem == "tests" || stem.ends_with("_test") => {}
                true => folders.push(path),
                false if path.parent() == Some(src) && (stem == "lib" || stem == "main") => {}
                false => files.push(path),
            }
        }
    }
    files.sort();
    files
}

fn module_of(src: &Path, file: &Path) -> String {
    let module = file.strip_prefix(src).unwrap().components().next().unwrap();
    Path::new(module.as_os_str()).file_stem().unwrap().to_str().unwrap().to_owned()
}

/// The number of `super` that lead from a file to the root of the crate.
fn depth_of(src: &Path, file: &Path) -> usize {
    file.strip_prefix(src).unwrap().components().count() - usize::from(file.ends_with("mod.rs"))
}

/// The names that the root of the crate takes from a module: name → module.
fn exported(root: &str) -> BTreeMap<String, String> {
    let tokens = tokens(root);
    let mut exported = BTreeMap::new();
    let mut depth = 0;
    for (at, (token, _)) in tokens.iter().enumerate() {
        match token.as_str() {
            "{" => depth += 1,
            "}" => depth -= 1,
            "use" if depth == 0 => {
                let path: Vec<_> =
                    tokens[at + 1..].iter().map(|(token, _)| token).take_while(|it| *it != ";").collect();
                let names = path.iter().filter(|name| name.starts_with(char::is_uppercase));
                exported.extend(names.map(|name| (name.to_string(), path[0].clone())));
            }
            _ => {}
        }
    }
    exported
}

/// The names in the root of the crate that a file names, each with its line: `budget` for `crate::budget::Budget`.
fn names_in_root(source: &str, depth: usize) -> Vec<(String, usize)> {
    let tokens = without_tests(tokens(source));
    let text = |at: usize| tokens.get(at).map_or("", |(token, _)| token.as_str());
    let (mut names, mut modules) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < tokens.len() {
        match text(at) {
            "{" => modules.push(at >= 2 && text(at - 2) == "mod"),
            "}" => drop(modules.pop()),
            "crate" if text(at + 1) == "::" => names.extend(heads(&tokens[at + 2..])),
            "super" => {
                let mut supers = 1;
                while text(at + 1) == "::" && text(at + 2) == "super" {
                    (at, supers) = (at + 2, supers + 1);
                }
                if supers == depth + modules.iter().filter(|is_module| **is_module).count() {
                    names.extend(heads(&tokens[at + 2..]));
                }
            }
            _ => {}
        }
        at += 1;
    }
    names
}

/// The first name of a path, or of each path in its braces.
fn heads(path: &[(String, usize)]) -> Vec<(String, usize)> {
    if path[0].0 != "{" {
        return vec![path[0].clone()];
    }
    let (mut heads, mut depth) = (Vec::new(), 0);
    for pair in path.windows(2) {
        match pair[0].0.as_str() {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
        if depth == 1 && ["{", ","].contains(&pair[0].0.as_str()) && pair[1].0 != "}" {
            heads.push(pair[1].clone());
        }
    }
    heads
}

/// Removes items that are built only for tests.
fn without_tests(tokens: Vec<(String, usize)>) -> Vec<(String, usize)> {
    let attribute = ["#", "[", "cfg", "(", "test", ")", "]"];
    let (mut kept, mut rest) = (Vec::new(), tokens.as_slice());
    while let Some((first, others)) = rest.split_first() {
        let is_test = rest.len() >= attribute.len() && rest.iter().zip(attribute).all(|((token, _), it)| token == it);
        if is_test {
            rest = after_item(&rest[attribute.len()..]);
        } else {
            kept.push(first.clone());
            rest = others;
        }
    }
    kept
}

/// Returns the tokens after an item, a field or a statement.
fn after_item(tokens: &[(String, usize)]) -> &[(String, usize)] {
    let mut depth = 0_usize;
    for (at, (token, _)) in tokens.iter().enumerate() {
        match token.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" if depth == 0 => return &tokens[at..],
            ")" | "]" => depth -= 1,
            "}" => {
                depth -= 1;
                if depth == 0 {
                    return &tokens[at + 1..];
                }
            }
            ";" | "," if depth == 0 => return &tokens[at + 1..],
            _ => {}
        }
    }
    &[]
}

/// The names, `::` and other characters of a source, each with its line; without comments and string literals.
fn tokens(source: &str) -> Vec<(String, usize)> {
    let (mut tokens, mut rest) = (Vec::new(), source);
    while let Some(first) = rest.chars().next() {
        let length = token_length(rest, first);
        let (token, after) = rest.split_at(length);
        let is_text =
            first.is_whitespace() || token.starts_with("//") || token.starts_with("/*") || token.contains('"');
        if !(is_text || first == '\'' && length > 1) {
            let line = source[..source.len() - rest.len()].matches('\n').count() + 1;
            tokens.push((token.to_owned(), line));
        }
        rest = after;
    }
    tokens
}

fn token_length(rest: &str, first: char) -> usize {
    let until = |end: &str, from: usize| rest[from..].find(end).map_or(rest.len(), |at| from + at + end.len());
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    if rest.starts_with("//") {
        return until("\n", 0);
    }
    if rest.starts_with("/*") {
        return until("*/", 2);
    }
    if rest.starts_with("::") {
        return 2;
    }
    if first == '"' || rest.starts_with("b\"") {
        return string_length(rest);
    }
    let raw = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r')).unwrap_or_default();
    let hashes = raw.len() - raw.trim_start_matches('#').len();
    if raw[hashes..].starts_with('"') {
        return until(&format!("\"{}", "#".repeat(hashes)), rest.len() - raw.len() + hashes + 1);
    }
    if first == '\'' {
        return character_length(rest);
    }
    let word = rest.find(|character| !is_word(character)).unwrap_or(rest.len());
    if word > 0 { word } else { first.len_utf8() }
}

fn string_length(rest: &str) -> usize {
    let start = rest.find('"').unwrap() + 1;
    let mut is_escaped = false;
    for (at, byte) in rest.bytes().enumerate().skip(start) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// `'a'`, `'\''`; 1 for the quote of a lifetime.
fn character_length(rest: &str) -> usize {
    let after = &rest[1..];
    if let Some(escaped) = after.strip_prefix('\\') {
        return escaped.char_indices().skip(1).find(|(_, it)| *it == '\'').map_or(1, |(at, _)| at + 3);
    }
    match after.char_indices().nth(1) {
        Some((at, '\'')) => at + 2,
        _ => 1,
    }
}

#[test]
fn every_form_of_an_import_is_read() {
    let source = r###"
        use std::fmt;
        use crate::{a::{A, deeper}, b, c::C as D};
        use super::{inside, other};
        // use crate::comment::It; it's
        const T: &str = "use crate::text::It; \" crate::text::It"; const R: &str = r#"" crate::raw::It"#;
        fn f<'a>(x: &'a crate::d::D) -> [char; 2] { super::super::e::call(); ['"', '\''] }
        mod inner { use super::super::inside; use super::super::super::f::F; }
        #[cfg(test)]
        fn only_tests() -> u64 { crate::tested::value() }
        struct S { #[cfg(test)] field: crate::tested::Field, g: crate::g::G }
        pub(crate) fn visible() { /* crate::block::comment */ }
        #[cfg(test)]
        mod tests { use crate::tested; }
    "###;
    let names: Vec<_> = names_in_root(source, 2).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["a", "b", "c", "d", "e", "f", "g"]);
    assert_eq!(exported("pub use a::{b, B}; mod x { pub use crate::y::Y; } pub use c::d::{e::E, F};").len(), 3);
}

#[test]
fn a_cycle_of_three_is_found_and_a_chain_is_none() {
    let imports = |pairs: &[(&str, &str)]| {
        let mut imports = Imports::new();
        for (from, to) in pairs {
            imports.entry((*from).into()).or_default().insert((*to).into(), "f:1".into());
        }
        imports
    };
    assert!(cycles(&imports(&[("a", "b"), ("b", "c"), ("a", "c")])).is_empty());
    let found = cycles(&imports(&[("a", "b"), ("b", "c"), ("c", "a"), ("z", "a")]));
    assert_eq!(found, ["a imports b (f:1)", "b imports c (f:1)", "c imports a (f:1)"]);
}
