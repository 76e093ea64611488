//! The directives at the top of a case: how it is run, and which outcome is expected.
//!
//! `// word: value`, one a line, the value optional. Any other comment there is for the reader; a directive that is not
//! known fails the case.

use anyhow::{Context, Result, bail};

/// How a case is run, and which outcome is expected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directives {
    /// Flags of `ghost run`, before the file.
    pub flags: Vec<String>,
    /// Arguments of `main`, after the file.
    pub arguments: Vec<String>,
    /// The value of `--input`.
    pub input: Option<String>,
    /// Standard input.
    pub stdin: String,
    /// How often it is run in the same folder; once by default.
    pub runs: Option<u32>,
    /// The servers of its namespace that it runs on; all by default.
    pub servers: Option<Vec<String>>,
    /// The script is run as it is, without `assert`.
    pub no_prelude: bool,
    /// The exit status; 0 by default.
    pub exit: i32,
    /// All of standard output.
    pub stdout: Option<String>,
    /// All of standard error.
    pub console: Option<String>,
    /// Standard error must contain each.
    pub stderr: Vec<String>,
    /// Standard error must contain none.
    pub stderr_lacks: Vec<String>,
}

impl Directives {
    /// Parses the directives of a case. `{file}` in a value is replaced by the name of its file.
    pub fn of(source: &str, file: &str) -> Result<Self> {
        let mut directives = Self::default();
        for comment in source.lines().map_while(|line| line.strip_prefix("//")) {
            if let Some((word, value)) = directive(comment) {
                let value = value.replace("{file}", file);
                directives.apply(word, &value).with_context(|| format!("//{comment}"))?;
            }
        }
        Ok(directives)
    }

    fn apply(&mut self, word: &str, value: &str) -> Result<()> {
        match word {
            "flags" => self.flags.extend(words(value)),
            "arguments" => self.arguments.extend(words(value)),
            "input" => self.input = Some(value.into()),
            "stdin" => line(&mut self.stdin, value),
            "runs" => self.runs = Some(value.parse()?),
            "servers" => self.servers = Some(words(value).collect()),
            "no prelude" => self.no_prelude = true,
            "exit" => self.exit = value.parse()?,
            "stdout" => line(self.stdout.get_or_insert_default(), value),
            "console" => line(self.console.get_or_insert_default(), value),
            "stderr" => self.stderr.push(value.into()),
            "stderr lacks" => self.stderr_lacks.push(value.into()),
            _ => bail!("no such directive"),
        }
        Ok(())
    }
}

/// Whether a line of a case is a directive.
#[cfg(test)]
pub fn is_directive(line: &str) -> bool {
    line.strip_prefix("//").and_then(directive).is_some()
}

/// ` word: value` or ` word:`; the word is in lower case.
fn directive(comment: &str) -> Option<(&str, &str)> {
    let (word, value) = comment.strip_prefix(' ')?.split_once(':')?;
    let is_word = word.chars().all(|character| character.is_ascii_lowercase() || character == ' ');
    is_word.then(|| (word, value.strip_prefix(' ').unwrap_or(value)))
}

fn words(value: &str) -> impl Iterator<Item = String> {
    value.split_whitespace().map(String::from)
}

fn line(text: &mut String, line: &str) {
    if !line.is_empty() || !text.is_empty() {
        text.push_str(line);
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_stand_among_comments_at_the_top() {
        let source =
            "// Tells why: it is so.\n// flags: --timeout 1s\n// stderr: at {file}:1\n// stdout:\n\n// exit: 3";
        let expected = Directives {
            flags: vec!["--timeout".into(), "1s".into()],
            stderr: vec!["at x.js:1".into()],
            stdout: Some(String::new()),
            ..Directives::default()
        };
        assert_eq!(Directives::of(source, "x.js").unwrap(), expected);
    }

    #[test]
    fn lines_of_output_add_up() {
        let directives = Directives::of("// console: {\n// console:   a: 1\n// console: }", "x.js").unwrap();
        assert_eq!(directives.console.unwrap(), "{\n  a: 1\n}\n");
    }

    #[test]
    fn an_unknown_directive_fails() {
        assert!(Directives::of("// exits: 2", "x.js").is_err());
        assert!(Directives::of("// exit: two", "x.js").is_err());
    }
}
