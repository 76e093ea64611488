//! The suggestions of the parser for an unknown word.

use clap::error::{ContextKind, ContextValue};

/// Commands and options that delete or replace data. They are never suggested, because users follow suggestions quickly.
const DESTRUCTIVE: &[&str] = &["clear", "delete", "remove", "restore", "--force", "--yes"];

/// Removes destructive commands and options from the suggestions of an error.
pub(super) fn remove_destructive(error: &mut clap::Error) {
    for kind in [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue] {
        let kept = match error.get(kind) {
            Some(ContextValue::Strings(words)) => {
                Some(ContextValue::Strings(words.iter().filter(|word| !is_destructive(word)).cloned().collect()))
            }
            Some(ContextValue::String(word)) if is_destructive(word) => None,
            other => other.cloned(),
        };
        error.remove(kind);
        if let Some(kept) = kept.filter(|kept| !matches!(kept, ContextValue::Strings(words) if words.is_empty())) {
            error.insert(kind, kept);
        }
    }
}

/// Whether a suggestion is destructive. An option may be followed by the name of its value.
fn is_destructive(suggested: &str) -> bool {
    suggested.split([' ', '=']).next().is_some_and(|word| DESTRUCTIVE.contains(&word))
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory, Parser};

    use super::*;
    use crate::cli::Arguments;

    /// The command lines that end in each subcommand.
    fn lines(command: &Command, before: &[String]) -> Vec<Vec<String>> {
        let mut lines = Vec::new();
        for inner in command.get_subcommands() {
            let line = [before, &[inner.get_name().to_owned()]].concat();
            lines.extend(self::lines(inner, &line));
            lines.push(line);
        }
        lines
    }

    /// A word with one letter left out, doubled or turned around with the next.
    fn typos(word: &str) -> Vec<String> {
        let at = |index: usize| word.split_at(index);
        let mut typos = Vec::new();
        for index in 1..word.len() {
            let (start, end) = at(index);
            typos.push(format!("{}{end}", &start[..index - 1]));
            typos.push(format!("{start}{}{end}", &start[index - 1..]));
            typos.push(format!("{}{}{}{}", &start[..index - 1], &end[..1], &start[index - 1..], &end[1..]));
        }
        typos
    }

    fn said(line: &[String]) -> Option<String> {
        let mut error = Arguments::try_parse_from(line).err()?;
        remove_destructive(&mut error);
        Some(error.to_string())
    }

    #[test]
    fn no_suggestion_is_destructive() {
        let lines = lines(&Arguments::command(), &["ghost".to_owned()]);
        let mut others = 0;
        for line in &lines {
            let (name, before) = line.split_last().unwrap();
            for typo in typos(name) {
                let Some(said) = said(&[before, &[typo]].concat()) else { continue };
                let named = |word: &&str| said.contains(&format!("'{word}'"));
                assert!(!DESTRUCTIVE.iter().any(named), "{line:?}: {said}");
                others += usize::from(said.contains("similar"));
            }
        }
        assert!(others > 50, "the others are still suggested: {others}");
        for line in ["ghost store clear people --ye", "ghost workspace restore --forc b"] {
            let said = said(&line.split(' ').map(String::from).collect::<Vec<_>>()).unwrap();
            assert!(!said.contains("similar"), "{said}");
        }
    }

    #[test]
    fn each_command_that_asks_for_confirmation_is_destructive() {
        let asking = |command: &Command| command.get_arguments().any(|argument| argument.get_long() == Some("yes"));
        let mut commands: Vec<_> = Arguments::command().get_subcommands().cloned().collect();
        let mut found = 0;
        while let Some(command) = commands.pop() {
            commands.extend(command.get_subcommands().cloned());
            if asking(&command) {
                found += 1;
                assert!(is_destructive(command.get_name()), "{}", command.get_name());
            }
        }
        assert!(found >= 2, "store clear and queue clear at least");
    }
}
