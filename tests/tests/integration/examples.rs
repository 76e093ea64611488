//! Every example script runs, on the data that its first line names.

use std::{fs, path::PathBuf};

use ghost_tests::{
    folder::{Finished, Folder},
    program::repository,
    servers::postgres,
};

fn scripts() -> PathBuf {
    repository().join("scripts")
}

/// The arguments of the command in an example's first line: `// ghost run scripts/todo.js add "Buy milk"`.
fn command_of(source: &str) -> Option<Vec<String>> {
    let command = source.lines().next()?.split("ghost run ").nth(1)?;
    let mut words: Vec<String> = Vec::new();
    let (mut word, mut quoted, mut is_word) = (String::new(), false, false);
    for character in command.chars() {
        match character {
            '"' => (quoted, is_word) = (!quoted, true),
            ' ' if !quoted => {
                if is_word {
                    words.push(std::mem::take(&mut word));
                }
                is_word = false;
            }
            other => {
                word.push(other);
                is_word = true;
            }
        }
    }
    words.extend(is_word.then_some(word));
    Some(words)
}

/// Runs the command in a folder with a copy of `scripts/`, without a database.
fn run(folder: &Folder, command: &[String]) -> Finished {
    run_with(folder, command, None)
}

fn run_with(folder: &Folder, command: &[String], database: Option<&str>) -> Finished {
    let run = folder.ghost(["run"].into_iter().chain(command.iter().map(String::as_str)));
    let run = database.into_iter().fold(run, |run, database| run.env("GHOST_SECRET_DB", database));
    run.finish().exits(0)
}

fn with_scripts() -> Folder {
    let folder = Folder::new();
    let status = std::process::Command::new("cp").arg("-r").arg(scripts()).arg(folder.path()).status();
    assert!(status.expect("cp runs").success());
    folder
}

#[test]
fn every_example_runs_as_its_first_line_says() {
    let mut examples = 0;
    let database = postgres::or_skip().map(|server| server.database("examples"));
    for entry in fs::read_dir(scripts()).expect("there are examples") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "js") {
            let source = fs::read_to_string(&path).expect("a script");
            let command =
                command_of(&source).unwrap_or_else(|| panic!("{} does not say how it is run", path.display()));
            if source.contains("g.sqldb") && database.is_none() {
                continue;
            }
            let folder = with_scripts();
            let first = run_with(&folder, &command, database.as_deref());
            assert!(!first.stdout.is_empty(), "{} returned nothing", path.display());
            run_with(&folder, &command, database.as_deref());
            examples += 1;
        }
    }
    assert!(examples >= 3, "only {examples} examples");
}

#[test]
fn importing_packages_twice_finds_them_the_second_time() {
    let folder = with_scripts();
    let command: Vec<_> =
        ["--input", "@scripts/data/packages.jsonl", "scripts/import-packages.js"].map(String::from).into();
    let records = fs::read_to_string(scripts().join("data/packages.jsonl")).expect("the data").lines().count();
    assert!(records > 1_500, "only {records} records");
    for _ in 0..2 {
        let report = run(&folder, &command).stdout;
        let report: serde_json::Value = serde_json::from_str(&report).expect("the report is JSON");
        assert!(report.is_object(), "{report}");
        let count = folder.script([], "export const main = () => g.store.count('packages');").finish().exits(0);
        assert_eq!(count.stdout.trim(), records.to_string());
    }
}

#[test]
fn indexed_packages_are_found() {
    let folder = with_scripts();
    let command: Vec<_> =
        ["--input", "@scripts/data/packages.jsonl", "scripts/index-packages.js"].map(String::from).into();
    let report: serde_json::Value = serde_json::from_str(&run(&folder, &command).stdout).expect("the report is JSON");
    assert!(report["indexed"].as_u64().expect("a number") > 1_500, "{report}");
    for question in ["library", "phrase", "prefix", "misspelled"] {
        assert_eq!(report[question].as_array().map(Vec::len), Some(3), "{question}: {report}");
    }
}

#[test]
fn a_report_of_a_database_reports_each_finding_once() {
    let Some(server) = postgres::or_skip() else { return };
    let database = server.database("report");
    let folder = with_scripts();
    let setup = "export async function main() {
      await g.sqldb.execute('db', 'drop table if exists report_orders, report_people');
      await g.sqldb.execute('db', 'create table report_people (id int primary key)');
      await g.sqldb.execute('db', 'create table report_orders (person int references report_people)');
    }";
    folder.script([], setup).env("GHOST_SECRET_DB", &database).finish().exits(0);
    let run = |command: &[String]| run_with(&folder, command, Some(&database));
    let command = ["scripts/sql-report.js".to_owned()];
    let report = |finished: Finished| serde_json::from_str::<serde_json::Value>(&finished.stdout).expect("it is JSON");
    let first = report(run(&command));
    assert!(first["new"].as_u64() >= Some(2), "{first}");
    let read = "export const main = () => g.store.get('sql-report', 'public.report_orders').data.findings;";
    let findings = "[\"no primary key\",\"no index for the foreign key report_orders_person_fkey (person)\"]\n";
    folder.script([], read).finish().exits(0).prints(findings);
    assert_eq!(report(run(&command))["new"], 0);
    let next = report(run(&["scripts/sql-report.js".to_owned(), "next".to_owned()]));
    assert!(next["data"]["finding"].is_string(), "{next}");
    run(&["scripts/sql-report.js".to_owned(), "done".to_owned(), next["id"].to_string()]);
}
