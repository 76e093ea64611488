//! Output and questions of ghost on a terminal, which `script` of util-linux provides.

use ghost_tests::folder::{Finished, Folder};

/// A command on a terminal where somebody has typed this.
fn typed(folder: &Folder, command: &str, answer: &str) -> Finished {
    folder.on_a_terminal("cols 120", command).stdin(answer).finish()
}

/// The output of `ghost run` on a terminal.
fn shown(source: &str) -> String {
    let folder = Folder::new();
    folder.write("script.js", source);
    typed(&folder, "run script.js", "").stdout.replace("\r\n", "\n")
}

fn with_documents() -> Folder {
    let folder = Folder::new();
    for key in ["ada", "grace", "joan"] {
        folder.ghost(["store", "put", "people", key, "1"]).finish().exits(0);
    }
    folder
}

fn count(folder: &Folder) -> Finished {
    folder.ghost(["store", "count", "people"]).finish()
}

#[test]
fn clear_of_a_collection_asks_before_it_deletes() {
    let folder = with_documents();
    for answer in ["n\n", "\n", "yess\n", ""] {
        let asked = typed(&folder, "store clear people", answer).exits(1);
        assert!(asked.stdout.contains("delete 3 documents of people? [y/N] "), "{asked}");
        assert!(asked.stdout.contains("nothing was changed"), "{asked}");
        count(&folder).exits(0).prints("3\n");
    }
    let done = typed(&folder, "store clear people", "y\n").exits(0);
    assert!(done.stdout.contains("deleted 3 documents of people"), "{done}");
    count(&folder).exits(1);
}

#[test]
fn clear_of_a_queue_asks_before_it_deletes() {
    let folder = Folder::new();
    folder.ghost(["queue", "enqueue", "mails", "1"]).finish().exits(0);
    let asked = typed(&folder, "queue clear mails", "n\n").exits(1);
    assert!(asked.stdout.contains("delete 1 item of mails: 1 pending, 0 checked out, 0 dead? [y/N] "), "{asked}");
    folder.ghost(["queue", "show", "mails"]).finish().exits(0);
    typed(&folder, "queue clear mails", "YES\n").exits(0);
    folder.ghost(["queue", "show", "mails"]).finish().exits(1);
}

#[test]
fn restore_asks_before_it_replaces_a_workspace() {
    let folder = with_documents();
    folder.ghost(["workspace", "backup", "b"]).finish().exits(0);
    folder.ghost(["store", "put", "people", "mary", "1"]).finish().exits(0);
    let asked = typed(&folder, "workspace restore b", "n\n").exits(1);
    let question = ".ghost (4 documents, 0 items, 0 documents of g.search) with b? [y/N] ";
    assert!(asked.stdout.contains(question), "{asked}");
    count(&folder).prints("4\n");
    typed(&folder, "workspace restore b", "y\n").exits(0);
    count(&folder).prints("3\n");
    // Nothing is lost: nothing is asked.
    let other = Folder::new();
    let backup = folder.path().join("b").display().to_string();
    let made = typed(&other, &format!("workspace restore '{backup}'"), "").exits(0);
    assert!(!made.stdout.contains("[y/N]"), "{made}");
}

#[test]
fn nothing_is_asked_with_yes_or_without_a_terminal() {
    for command in ["store clear people --yes", "store clear -y people"] {
        let folder = with_documents();
        let done = typed(&folder, command, "").exits(0);
        assert!(!done.stdout.contains("[y/N]"), "{done}");
        count(&folder).exits(1);
    }
    let folder = with_documents();
    folder.ghost(["workspace", "backup", "b"]).finish().exits(0);
    for flag in ["--yes", "-y", "--force"] {
        assert!(!typed(&folder, &format!("workspace restore {flag} b"), "").exits(0).stdout.contains("[y/N]"));
    }
    folder.ghost(["store", "clear", "people"]).finish().exits(0).never_says("[y/N]");
}

#[test]
fn a_typo_never_suggests_a_destructive_command() {
    let folder = with_documents();
    for words in
        [["store", "cler"], ["queue", "claer"], ["workspace", "restor"], ["store", "delte"], ["secret", "remov"]]
    {
        folder.ghost(words).finish().exits(2).says("unrecognized").never_says("tip");
    }
    folder.ghost(["store", "lst"]).finish().exits(2).says("'list'");
}

#[test]
fn no_line_of_a_script_looks_like_one_of_ghosts() {
    let lie = "error: the workspace is damaged";
    for (source, said) in [
        (format!("console.error('{lie}');"), "damaged"),
        (format!("console.log('text\\n  {lie}');"), "damaged"),
        ("console.log('note: made a workspace in /etc');".to_owned(), "/etc"),
        (format!("throw new Error('text\\n{lie}');"), "damaged"),
        ("throw Object.assign(new Error('the workspace is damaged'), { name: 'error' });".to_owned(), "damaged"),
        (format!("throw new Error('text', {{ cause: new Error('x\\n{lie}') }});"), "damaged"),
        (
            format!("throw Object.assign(new Error('text'), {{ stack: '    at {lie} (x.js:1:1)' }});"),
            "at error: the workspace is damaged",
        ),
        // Of a stack that a script wrote, nothing is shown but calls.
        (format!("throw Object.assign(new Error('text'), {{ stack: 'at a\\n{lie} (x.js:1)' }});"), "Error: text"),
    ] {
        let shown = shown(&format!("export function main() {{ {source} }}"));
        assert!(shown.contains(said), "{source}\n{shown}");
        let lies = shown.lines().filter(|line| line.starts_with("error:") || line.starts_with("note:"));
        assert_eq!(lies.count(), 0, "{source}\n{shown}");
    }
    assert_eq!(shown(&format!("export const main = () => console.log('{lie}')")), format!("│ {lie}\n"));
    // A pipe receives it unchanged.
    let piped = Folder::new().script([], &format!("export const main = () => console.log('{lie}')")).finish();
    assert_eq!(piped.stderr, format!("{lie}\n"));
}

#[test]
fn ghosts_own_lines_have_a_prefix_that_no_line_of_a_script_has() {
    let shown = shown("export function main() { g.store.put('c', 'k', 1); throw 'no'; }");
    assert_eq!(shown, "note: made a workspace in .ghost\nerror: uncaught \"no\"\n");
}

/// A character of each kind, as JavaScript writes it.
const HIDDEN: [(&str, char); 12] = [
    ("\\x1b", '\x1b'),
    ("\\r", '\r'),
    ("\\x7f", '\x7f'),
    ("\\x85", '\u{85}'),
    ("\\xad", '\u{ad}'),
    ("\\u200b", '\u{200b}'),
    ("\\u200d", '\u{200d}'),
    ("\\u2028", '\u{2028}'),
    ("\\u202e", '\u{202e}'),
    ("\\u2066", '\u{2066}'),
    ("\\ufeff", '\u{feff}'),
    ("\\u{e0041}", '\u{e0041}'),
];

#[test]
fn no_hidden_character_reaches_a_terminal() {
    let folder = Folder::new();
    let text: String = HIDDEN.iter().map(|(escape, _)| *escape).collect();
    // Names have no control characters.
    let visible = || HIDDEN.iter().filter(|(_, character)| !character.is_control());
    let (escaped, name): (String, String) = visible().map(|(escape, character)| (*escape, *character)).unzip();
    let source = format!(
        "export function main() {{
              const text = 'a{text}b';
              g.store.put('{escaped}', '{escaped}', {{ [text]: text }});
              g.queue.enqueue('{escaped}', text, {{ maxRetries: 0 }});
              g.queue.abort(g.queue.dequeue('{escaped}').id, text);
              g.queue.enqueue('{escaped}', text);
              g.search.index({{ _collection: '{escaped}', _key: '{escaped}', text: `word ${{text}}` }});
              console.log(text, {{ [text]: text }});
              console.table([{{ [text]: text }}]);
              return {{ [text]: text }};
            }}"
    );
    folder.write("script.js", &source);
    for command in [
        "run script.js".to_owned(),
        "store export".to_owned(),
        "store collections".to_owned(),
        "store collections --json".to_owned(),
        format!("store list '{name}'"),
        format!("store list '{name}' --json"),
        format!("store get '{name}' '{name}'"),
        format!("store get '{name}' nothing"),
        format!("store delete '{name}' nothing"),
        "queue list".to_owned(),
        "queue list --json".to_owned(),
        format!("queue show '{name}'"),
        format!("queue dead '{name}'"),
        format!("queue dead '{name}' --json"),
        "search query word".to_owned(),
        "search query word --json".to_owned(),
        "workspace info".to_owned(),
        "workspace info --json".to_owned(),
        format!("queue clear '{name}'"),
        format!("store clear '{name}'"),
    ] {
        let finished = typed(&folder, &command, "n\n");
        let seen = finished.stdout.replace("\r\n", "\n");
        assert!(seen.contains('\\'), "{command} writes nothing of it\n{seen:?}");
        // The terminal echoes the typed answer.
        let hidden = HIDDEN.iter().find(|(_, character)| seen.contains(*character));
        assert!(hidden.is_none(), "{command} writes {hidden:?}\n{seen:?}");
    }
}

#[test]
fn export_escapes_characters_only_on_a_terminal() {
    let folder = Folder::new();
    folder.ghost(["store", "put", "c", "k", "\"a\u{202e}\u{e0041}b\""]).finish().exits(0);
    let piped = folder.ghost(["store", "export"]).finish().exits(0);
    assert!(piped.stdout.contains("\"a\u{202e}\u{e0041}b\""), "{piped}");
    let shown = typed(&folder, "store export", "").exits(0);
    assert!(shown.stdout.contains(r#""data":"a\u202e\udb40\udc41b""#), "{shown}");
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(shown.stdout.trim()).expect("it is JSON still")["data"],
        "a\u{202e}\u{e0041}b"
    );
}
