//! Every example script runs, on the data that its first line names.

use std::{collections::BTreeMap, fs, path::PathBuf};

use ghost_tests::{
    folder::{Finished, Folder},
    program::repository,
    servers::{self, cluster, objectstore, or_skip, postgres},
};
use serde_json::Value;

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

/// Runs the command in a folder with a copy of `scripts/`, without a server.
fn run(folder: &Folder, command: &[String]) -> Finished {
    run_with(folder, command, &[])
}

/// Runs the command with these variables, which make connection strings secrets.
fn run_with(folder: &Folder, command: &[String], variables: &[(&str, &str)]) -> Finished {
    let run = folder.ghost(["run"].into_iter().chain(command.iter().map(String::as_str)));
    variables.iter().fold(run, |run, (name, value)| run.env(name, value)).finish().exits(0)
}

/// The variables for the servers of a script's namespaces, without sqldb; none when a server is missing and need not exist.
fn variables(source: &str) -> Option<Vec<(&'static str, &'static str)>> {
    let used =
        ["documentdb", "clustersearch"].into_iter().filter(|namespace| source.contains(&format!("g.{namespace}")));
    let needed: Vec<_> = used.filter_map(|namespace| servers::of(namespace).next()).collect();
    if needed.iter().any(|needed| needed.skipped().is_some()) {
        return None;
    }
    Some(needed.into_iter().map(|needed| needed.variable().expect("the server starts")).collect())
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
            // Those of g.objectstore have a test of their own.
            if source.contains("g.objectstore") || (source.contains("g.sqldb") && database.is_none()) {
                continue;
            }
            let Some(mut variables) = variables(&source) else { continue };
            variables.extend(database.as_deref().map(|database| ("GHOST_SECRET_DB", database)));
            let folder = with_scripts();
            let first = run_with(&folder, &command, &variables);
            assert!(!first.stdout.is_empty(), "{} returned nothing", path.display());
            run_with(&folder, &command, &variables);
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
    for before in [0, records] {
        let report = run(&folder, &command).stdout;
        let report: serde_json::Value = serde_json::from_str(&report).expect("the report is JSON");
        let counts = ["imported", "before", "now"].map(|name| report[name].as_u64().expect("a number"));
        assert_eq!(counts, [records, before, records].map(|count| count as u64), "{report}");
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
    let data = fs::read_to_string(scripts().join("data/packages.jsonl")).expect("the data");
    let packages: BTreeMap<String, Vec<String>> = data.lines().map(words).collect();
    assert_eq!(report["indexed"].as_u64(), Some(packages.len() as u64), "{report}");
    let has = |words: &[String], question: &str| match question {
        "library" => words.iter().any(|word| word == "library"),
        "phrase" => words.windows(2).any(|pair| pair == ["command", "line"]),
        "prefix" => words.iter().any(|word| word.starts_with("pars")),
        _ => words.iter().any(|word| ["database", "databases"].contains(&word.as_str())),
    };
    for question in ["library", "phrase", "prefix", "misspelled"] {
        let found: Vec<_> = report[question].as_array().expect("an array").iter().filter_map(Value::as_str).collect();
        assert_eq!(found.len(), 3, "{question}: {report}");
        assert!(found.iter().all(|name| has(&packages[*name], question)), "{question}: {report}");
    }
}

/// The name of a package, and the words of all that its record has.
fn words(record: &str) -> (String, Vec<String>) {
    let parsed: Value = serde_json::from_str(record).expect("a record is JSON");
    let name = parsed["name"].as_str().expect("a name").to_owned();
    let words = record.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    (name, words.map(str::to_lowercase).collect())
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
    let run = |command: &[String]| run_with(&folder, command, &[("GHOST_SECRET_DB", database.as_str())]);
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

#[test]
fn a_mirror_uploads_what_changed_and_downloads_it() {
    let Some(server) = or_skip(objectstore::minio()) else { return };
    let folder = with_scripts();
    let source = fs::read_to_string(scripts().join("mirror.js")).expect("the script");
    let command = command_of(&source).expect("the script says how it is run");
    let run = |arguments: &[&str]| {
        let run = folder.ghost(["run"].into_iter().chain(arguments.iter().copied()));
        let finished = run.env("GHOST_SECRET_STORE", server.connection()).finish().exits(0);
        serde_json::from_str::<serde_json::Value>(&finished.stdout).expect("the result is JSON")
    };
    let up: Vec<_> = command.iter().map(String::as_str).collect();
    assert_eq!(run(&up)["changed"], serde_json::json!(["data/packages.csv"]));
    assert_eq!(run(&up)["changed"], serde_json::json!([]));
    let down = run(&["--dir", "scripts", "scripts/mirror.js", "down"]);
    assert_eq!(down["files"], 1);
    let read = |path: &str| fs::read(folder.path().join(path)).expect("the file");
    assert!(read("scripts/mirror/data/packages.csv") == read("scripts/data/packages.csv"));
}

#[test]
fn an_index_of_packages_is_kept_up_to_date() {
    for found in [cluster::elasticsearch(), cluster::opensearch()] {
        let Some(cluster) = or_skip(found) else { return };
        let secrets = [("GHOST_SECRET_CLUSTER", cluster.secret.as_str())];
        let folder = with_scripts();
        let drop = "export const main = () => g.clustersearch.deleteIndex('cluster', 'ghost-packages');";
        folder.script([], drop).env(secrets[0].0, secrets[0].1).finish().exits(0);
        let run = |more: &[&str]| {
            let command = ["--input", "@scripts/data/packages.jsonl", "scripts/cluster-packages.js"];
            let command: Vec<_> = command.iter().chain(more).map(|word| (*word).to_owned()).collect();
            let report = run_with(&folder, &command, &secrets).stdout;
            serde_json::from_str::<serde_json::Value>(&report).expect("the report is JSON")
        };
        let first = run(&[]);
        assert!(first["stored"].as_u64() > Some(1_500) && first["refused"] == 0, "{first}");
        assert_eq!(first["packages"], first["stored"]);
        assert_eq!(first["sections"].as_array().map(Vec::len), Some(3), "{first}");
        let second = run(&[]);
        assert_eq!((&second["sent"], &second["packages"]), (&0.into(), &first["packages"]));
        let found = run(&["search", "ancient", "warfare"]);
        assert_eq!(found[0]["name"], "0ad", "{found}");
    }
}

#[test]
fn a_survey_of_documents_reports_what_has_changed() {
    let Some(connection) = servers::documentdb::java_or_skip() else { return };
    let folder = with_scripts();
    let survey = ["scripts/document-members.js", "survey"].map(String::from);
    let run = |command: &[String]| run_with(&folder, command, &[("GHOST_SECRET_DOCS", connection)]);
    let script = |source: &str| {
        folder.script([], source).env("GHOST_SECRET_DOCS", connection).finish().exits(0);
    };
    script(
        "export const main = () => g.documentdb.insertMany('docs', 'survey', 'people', [{ name: 'Ada', age: 36 }, { name: 'Alan' }]);",
    );
    run(&survey).prints("{\"collections\":1,\"documents\":2,\"changes\":0}\n");
    script(
        "export const main = () => g.documentdb.insertOne('docs', 'survey', 'people', { name: 5, at: new Date(0) });",
    );
    run(&survey).prints("{\"collections\":1,\"documents\":3,\"changes\":2}\n");
    let next = run(&["scripts/document-members.js", "next"].map(String::from)).stdout;
    assert!(next.contains("\"collection\":\"survey.people\""), "{next}");
}

#[test]
fn orders_reach_the_store_the_cluster_the_bucket_and_the_queue() {
    let (Some(server), Some(cluster), Some(bucket)) =
        (postgres::or_skip(), or_skip(cluster::elasticsearch()), or_skip(objectstore::minio_connection()))
    else {
        return;
    };
    let database = server.database("orders");
    let variables = [
        ("GHOST_SECRET_DB", database.as_str()),
        ("GHOST_SECRET_CLUSTER", cluster.secret.as_str()),
        ("GHOST_SECRET_STORE", bucket),
    ];
    let folder = with_scripts();
    let evaluate = |source: &str| {
        let run = folder.script([], source);
        variables.iter().fold(run, |run, (name, value)| run.env(name, value)).finish().exits(0).stdout
    };
    evaluate(
        "export async function main() {
          await g.clustersearch.deleteIndex('cluster', 'ghost-orders');
          await g.sqldb.execute('db', 'drop table if exists orders');
          await g.sqldb.execute('db', 'create table orders (id int primary key, customer text, weight text, changed timestamptz)');
          await g.sqldb.execute('db', `insert into orders select i, 'customer ' || i % 3,
            case i when 7 then 'heavy' else (i * 1.5)::text end, timestamptz '2026-01-01' + i * interval '1 s' from generate_series(1, 25) i`);
        }",
    );
    let run = |more: &[&str]| {
        let command: Vec<_> = ["scripts/orders.js"].iter().chain(more).map(|word| (*word).to_owned()).collect();
        let report = run_with(&folder, &command, &variables).stdout;
        serde_json::from_str::<serde_json::Value>(&report).expect("the report is JSON")
    };
    let counts =
        |report: serde_json::Value| [&report["read"], &report["indexed"], &report["failed"]].map(|one| one.as_u64());
    assert_eq!(counts(run(&[])), [Some(25), Some(24), Some(1)]);
    assert_eq!(counts(run(&[])), [Some(0), Some(0), Some(0)]);
    let look = "export const main = async () => [g.store.count('orders'), g.store.count('orders-pending'),
        g.queue.peek('orders-failed').data.id, (await g.clustersearch.search('cluster', 'ghost-orders', {})).total.value,
        (await g.objectstore.listObjects('store', 'ghost-orders', { prefix: 'reports/' })).length >= 2];";
    assert_eq!(evaluate(look).trim(), r#"[25,0,"7",24,true]"#);
    evaluate(
        "export const main = () => g.sqldb.execute('db', `update orders set weight = '7', changed = now() where id = 7`);",
    );
    assert_eq!(run(&["retry"])["retried"], 1);
    assert_eq!(counts(run(&[])), [Some(1), Some(1), Some(0)]);
}
