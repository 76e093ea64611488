//! `ghost secret`, and the places where a secret must not show.

use std::{fs, process::Command, thread, time::Duration};

use ghost_tests::{
    folder::{Finished, Folder, Running},
    program::binary,
};

const CANARY: &str = "postgres://user:canary@127.0.0.1:1/database";

/// Fails if any part of the secret was shown.
#[track_caller]
fn shows_nothing(finished: Finished) -> Finished {
    assert!(!finished.stdout.contains("canary") && !finished.stderr.contains("canary"), "{finished}");
    finished
}

fn set(folder: &Folder, name: &str, value: &str) -> Finished {
    shows_nothing(folder.ghost(["secret", "set", name]).stdin(value).finish())
}

#[test]
fn a_secret_is_stored_listed_and_removed() {
    let folder = Folder::new();
    folder.ghost(["secret", "list"]).finish().exits(0).prints("[]\n");
    set(&folder, "orders", &format!("{CANARY}\n")).exits(0).prints("").says("made a workspace in .ghost");
    set(&folder, "a.b-c", "s3://key:canary@host").exits(0);
    shows_nothing(folder.ghost(["secret", "list"]).finish())
        .exits(0)
        .prints("[{\"name\":\"a.b-c\"},{\"name\":\"orders\"}]\n");
    folder.ghost(["secret", "remove", "a.b-c"]).finish().exits(0);
    folder.ghost(["secret", "remove", "a.b-c"]).finish().exits(1).says("there is no secret a.b-c");
    folder.ghost(["secret", "list"]).finish().exits(0).prints("[{\"name\":\"orders\"}]\n");
}

#[test]
fn secrets_on_disk_are_encrypted_and_the_key_is_stored_elsewhere() {
    let folder = Folder::new();
    set(&folder, "orders", CANARY).exits(0);
    let stored = fs::read(folder.path().join(".ghost/secrets/orders.age")).expect("it is stored");
    assert!(!stored.windows(6).any(|part| part == b"canary"));
    assert!(folder.path().join(".config/ghost/key").is_file());
    let other = folder.path().join("other");
    let moved = folder.ghost(["secret", "check", "orders"]).env("XDG_CONFIG_HOME", other.to_str().expect("UTF-8"));
    shows_nothing(moved.finish()).exits(1).says("the key that encrypted it is missing");
}

#[test]
fn an_invalid_name_is_refused_and_not_shown() {
    let folder = Folder::new();
    for name in [CANARY, "", "a/b", "../canary", "a b"] {
        for command in ["set", "remove", "check"] {
            let finished = folder.ghost(["secret", command, "--", name]).stdin("x").finish();
            shows_nothing(finished).exits(2).says("1 to 64 letters, digits");
        }
    }
    assert!(!folder.path().join(".ghost").exists(), "nothing was made");
}

#[test]
fn an_empty_value_and_one_that_is_too_long_are_refused() {
    let folder = Folder::new();
    set(&folder, "orders", "\n").exits(2).says("the secret is 0 bytes, 1 to 65536 are allowed");
    set(&folder, "orders", &"x".repeat(65_537)).exits(2).says("the secret is 65537 bytes");
    folder.ghost(["secret", "set", "orders"]).stdin(b"\xff\xfe".to_vec()).finish().exits(2).says("can't be read");
    folder.ghost(["secret", "list"]).finish().exits(0).prints("[]\n");
}

#[test]
fn a_damaged_secret_is_reported() {
    let folder = Folder::new();
    set(&folder, "orders", CANARY).exits(0);
    folder.write(".ghost/secrets/orders.age", "age-encryption.org/v1\ndamaged");
    let finished = folder.ghost(["secret", "check", "orders"]).finish();
    shows_nothing(finished).exits(1).says("its file is damaged; to store it again: ghost secret set orders");
}

#[test]
fn a_failed_write_is_reported() {
    let folder = Folder::new();
    folder.write("file", "");
    let no_folder = folder.ghost(["secret", "set", "orders"]).env("XDG_CONFIG_HOME", "/dev/null/config").stdin(CANARY);
    shows_nothing(no_folder.finish()).fails_clearly(1).says("the key of the secrets").says("can't be");
    let relative = folder.ghost(["secret", "set", "orders"]).env("HOME", "").env("XDG_CONFIG_HOME", "relative");
    shows_nothing(relative.stdin(CANARY).finish()).fails_clearly(1).says("no configuration folder");
    folder.write(".ghost/secrets", "");
    set(&folder, "orders", CANARY)
        .fails_clearly(1)
        .says("the secret orders can't be written: .ghost/secrets is a file, not a folder");
    folder
        .ghost(["secret", "list"])
        .finish()
        .fails_clearly(1)
        .says("the secrets can't be listed: .ghost/secrets is a file, not a folder");
    let elsewhere = folder.ghost(["secret", "set", "orders", "--workspace", "file"]).stdin(CANARY);
    shows_nothing(elsewhere.finish()).fails_clearly(2);
}

#[test]
fn a_folder_of_a_workspace_that_is_empty_becomes_one() {
    let folder = Folder::new();
    fs::create_dir(folder.path().join(".ghost")).expect("a folder");
    set(&folder, "orders", CANARY).exits(0).says("made a workspace in");
    folder.ghost(["store", "put", "c", "k", "1"]).finish().exits(0);
}

#[test]
fn a_backup_holds_no_secret_and_a_restore_keeps_those_that_are_there() {
    let folder = Folder::new();
    set(&folder, "orders", CANARY).exits(0);
    folder.ghost(["workspace", "backup", "copy"]).finish().exits(0);
    folder.ghost(["workspace", "restore", "copy"]).finish().exits(0);
    folder.ghost(["secret", "list"]).finish().exits(0).prints("[{\"name\":\"orders\"}]\n");
    fs::create_dir(folder.path().join("other")).expect("a folder");
    folder.ghost(["workspace", "restore", "copy", "--workspace", "other"]).finish().exits(0);
    folder.ghost(["secret", "list", "--workspace", "other"]).finish().exits(0).prints("[]\n");
}

#[test]
fn a_secret_that_no_namespace_can_use_is_reported() {
    let folder = Folder::new();
    folder.ghost(["secret", "check", "orders"]).finish().exits(1).says("there is no secret orders");
    set(&folder, "orders", "canary").exits(0).says("no namespace of g can use it");
    let finished = folder.ghost(["secret", "check", "orders"]).finish();
    shows_nothing(finished).exits(1).says("no namespace can use the secret orders");
}

#[test]
fn a_value_is_never_accepted_on_the_command_line() {
    let folder = Folder::new();
    for command in ["set", "check", "remove"] {
        let finished = folder.ghost(["secret", command, "orders", CANARY]).finish();
        shows_nothing(finished).exits(2).says("ghost prompts for the secret, or reads it from standard input");
    }
    assert!(!folder.path().join(".ghost").exists());
}

#[test]
fn a_run_without_a_workspace_says_that_secrets_are_in_one() {
    let folder = Folder::new();
    set(&folder, "orders", "x").exits(0);
    let source = "export const main = () => g.sqldb.query('orders', 'select 1');";
    let reported = "there is no secret orders: this run has no workspace, and GHOST_SECRET_ORDERS is not set";
    folder.script(["--no-workspace"], source).finish().exits(1).says(reported);
}

#[test]
fn a_variable_takes_precedence_over_a_stored_secret() {
    let folder = Folder::new();
    folder.write(".ghost-is-not-here", "");
    let check = || folder.ghost(["secret", "check", "orders-eu"]).env("GHOST_SECRET_ORDERS_EU", "canary").finish();
    shows_nothing(check()).exits(1).says("no namespace can use the secret orders-eu");
    set(&folder, "orders-eu", "x").exits(0);
    folder.write(".ghost/secrets/orders-eu.age", "damaged");
    shows_nothing(check()).exits(1).says("no namespace can use the secret orders-eu");
    let empty = folder.ghost(["secret", "check", "orders-eu"]).env("GHOST_SECRET_ORDERS_EU", "").finish();
    empty.exits(1).says("its file is damaged");
}

#[test]
fn a_script_can_not_read_secrets() {
    let folder = Folder::new();
    set(&folder, "orders", CANARY).exits(0);
    let source = "export function main() {
  const seen = new Set();
  const names = (value, path) => {
    if (value === null || (typeof value !== 'object' && typeof value !== 'function') || seen.has(value)) return [];
    seen.add(value);
    return Object.getOwnPropertyNames(value).flatMap((name) => {
      let inner; try { inner = value[name]; } catch { return []; }
      return [`${path}.${name}`, typeof inner === 'string' ? inner : '', ...names(inner, `${path}.${name}`)];
    });
  };
  return names(globalThis, '').filter((name) => /canary|secret/i.test(name) && !/SECRET/.test(name));
}";
    let finished = folder.script([], source).env("GHOST_SECRET_ORDERS", CANARY).finish();
    shows_nothing(finished).exits(0).prints("[]\n");
}

/// Commands of a shell on a terminal.
fn on_a_terminal(folder: &Folder, commands: &str) -> Running {
    let mut terminal = Command::new("script");
    terminal.args(["-qec", &format!("tty > terminal; {}", commands.replace("ghost", &binary().display().to_string()))]);
    terminal.arg("/dev/null");
    folder.command(terminal).env("TERM", "xterm").start_open()
}

fn settings(folder: &Folder) -> String {
    let terminal = fs::read_to_string(folder.path().join("terminal")).unwrap_or_default();
    let settings = Command::new("stty").args(["-a", "-F", terminal.trim()]).output().expect("stty runs");
    String::from_utf8(settings.stdout).expect("stty writes UTF-8")
}

/// Waits until keys are not shown.
fn until_asked(folder: &Folder) {
    for _ in 0..5_000 {
        if settings(folder).contains("-echo ") {
            return;
        }
        thread::sleep(Duration::from_millis(2));
    }
    panic!("nothing was asked");
}

#[test]
fn a_typed_secret_is_not_shown() {
    let folder = Folder::new();
    let mut terminal = on_a_terminal(&folder, "ghost secret set orders && ghost secret list; stty -a");
    until_asked(&folder);
    terminal.types(&format!("{CANARY}\r"));
    let finished = shows_nothing(terminal.finish().exits(0));
    assert!(finished.stdout.starts_with("Connection string for orders (not shown): "), "{finished}");
    assert!(finished.stdout.contains("SECRET\r\norders\r\n"), "{finished}");
    assert!(finished.stdout.contains(" echo "), "{finished}");
    assert!(folder.path().join(".ghost/secrets/orders.age").is_file());
}

#[test]
fn an_interrupted_prompt_restores_the_terminal() {
    let by_key = |_: &Folder, terminal: &mut Running| terminal.types("canary\x03");
    let by_signal = |folder: &Folder, _: &mut Running| {
        let number = fs::read_to_string(folder.path().join("number")).expect("the shell wrote it");
        assert!(Command::new("kill").arg(number.trim()).status().expect("kill runs").success());
    };
    for interrupt in [&by_key as &dyn Fn(&Folder, &mut Running), &by_signal] {
        let folder = Folder::new();
        let mut terminal =
            on_a_terminal(&folder, "sh -c 'echo $$ > number; exec ghost secret set orders'; echo status $?; stty -a");
        until_asked(&folder);
        interrupt(&folder, &mut terminal);
        let finished = shows_nothing(terminal.finish());
        assert!(finished.stdout.contains("interrupted; nothing was changed\r\nstatus 130"), "{finished}");
        assert!(finished.stdout.contains(" echo "), "{finished}");
        assert!(!folder.path().join(".ghost").exists());
    }
}
