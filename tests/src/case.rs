//! A case: a script that tests one behaviour.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use anyhow::{Context, Result, ensure};

use crate::{
    directives::Directives,
    folder::{Finished, Folder},
    program::repository,
    servers::{self, Needed},
};

/// A script of `tests/cases`.
#[derive(Debug)]
pub struct Case {
    /// `store/put_replaces_the_document`, or `objectstore@versitygw/…` on any but the first server of the namespace.
    pub name: String,
    /// The server that it runs on, for a namespace that needs one.
    pub server: Option<Needed>,
    path: PathBuf,
    directives: Directives,
}

/// All cases, by their names; each once for every server that it runs on.
pub fn all() -> Result<Vec<Case>> {
    let cases = repository().join("tests/cases");
    let mut found = Vec::new();
    for folder in entries(&cases)? {
        let namespace = folder.file_name().and_then(|name| name.to_str()).context("a folder has no name")?;
        for path in entries(&folder)? {
            let (case, directives) = read(&path).with_context(|| format!("{} is no case", path.display()))?;
            let (case, servers) = (case.as_str(), selected(namespace, &directives)?);
            let on = |server: Option<Needed>| Case {
                name: name(namespace, case, server),
                server,
                path: path.clone(),
                directives: directives.clone(),
            };
            match servers.as_slice() {
                [] => found.push(on(None)),
                servers => found.extend(servers.iter().copied().map(Some).map(on)),
            }
        }
    }
    ensure!(!found.is_empty(), "there are no cases in {}", cases.display());
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

/// The name of a case, and its directives.
fn read(path: &Path) -> Result<(String, Directives)> {
    ensure!(path.extension().is_some_and(|extension| extension == "js"), "its name does not end in .js");
    let case = path.file_stem().and_then(|name| name.to_str()).context("it has no name")?;
    let directives = Directives::of(&fs::read_to_string(path)?, &format!("{case}.js"))?;
    Ok((case.to_owned(), directives))
}

/// The servers that a case runs on.
fn selected(namespace: &str, directives: &Directives) -> Result<Vec<Needed>> {
    let Some(names) = &directives.servers else { return Ok(servers::of(namespace).collect()) };
    let find = |name: &String| servers::of(namespace).find(|server| server.name == name);
    names.iter().map(|name| find(name).with_context(|| format!("{namespace} has no server {name}"))).collect()
}

fn name(namespace: &str, case: &str, server: Option<Needed>) -> String {
    match server {
        Some(server) if servers::of(namespace).next().is_some_and(|first| first.name != server.name) => {
            format!("{namespace}@{}/{case}", server.name)
        }
        _ => format!("{namespace}/{case}"),
    }
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    entries.map(|entry| Ok(entry?.path())).collect()
}

impl Case {
    /// Runs it in a new folder. Fails unless every expectation in its directives holds.
    pub fn run(&self) -> Result<()> {
        let source = fs::read_to_string(&self.path)?;
        let file = self.path.file_name().and_then(|name| name.to_str()).context("the file has no name")?;
        let (directives, folder) = (&self.directives, Folder::new());
        folder.write(file, if directives.no_prelude { source } else { format!("{}{source}", *PRELUDE) });
        for _ in 0..directives.runs.unwrap_or(1) {
            let mut run = folder.ghost(arguments(directives, file)).stdin(directives.stdin.as_str());
            if let Some(server) = self.server {
                let (name, value) = server.variable()?;
                run = run.env(name, value);
            }
            let finished = run.finish();
            check(&finished, directives).with_context(|| finished.to_string())?;
        }
        Ok(())
    }
}

fn arguments<'a>(directives: &'a Directives, file: &'a str) -> Vec<&'a str> {
    let mut arguments = vec!["run"];
    arguments.extend(directives.flags.iter().map(String::as_str));
    if let Some(input) = &directives.input {
        arguments.extend(["--input", input]);
    }
    arguments.push(file);
    arguments.extend(directives.arguments.iter().map(String::as_str));
    arguments
}

fn check(finished: &Finished, directives: &Directives) -> Result<()> {
    let Finished { status, stdout, stderr, .. } = finished;
    ensure!(status.code() == Some(directives.exit), "the exit status is not {}", directives.exit);
    if let Some(expected) = &directives.stdout {
        ensure!(stdout == expected, "standard output is not\n{expected}");
    }
    if let Some(expected) = &directives.console {
        ensure!(stderr == expected, "standard error is not\n{expected}");
    }
    for expected in &directives.stderr {
        ensure!(stderr.contains(expected), "standard error lacks {expected:?}");
    }
    for unwanted in &directives.stderr_lacks {
        ensure!(!stderr.contains(unwanted), "standard error has {unwanted:?}");
    }
    Ok(())
}

/// `assert`, on one line and without its end, so that the lines of a case keep their numbers.
static PRELUDE: LazyLock<String> = LazyLock::new(|| {
    let source = include_str!("../assert.js");
    assert!(!source.contains("//"), "a comment to the end of the line would swallow the case");
    source.lines().map(str::trim).collect::<Vec<_>>().join(" ") + " "
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directives::is_directive;

    /// The value of a directive is part of an output, and can't be broken.
    #[test]
    fn no_line_of_a_case_has_more_than_100_columns() -> Result<()> {
        let mut long = Vec::new();
        for case in all()? {
            let source = fs::read_to_string(&case.path)?;
            let lines = source.lines().zip(1..).filter(|(line, _)| line.chars().count() > 100 && !is_directive(line));
            long.extend(lines.map(|(_, number)| format!("{}.js:{number}", case.name)));
        }
        ensure!(long.is_empty(), "format these to 100 columns: {}", long.join(", "));
        Ok(())
    }
}
