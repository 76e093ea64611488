//! Secrets that are stored.

use std::{fs, path::PathBuf};

use tempfile::TempDir;

use super::{Secret, Stored, check_name, variable};
use crate::ErrorCode;

struct Place {
    folder: TempDir,
    key: PathBuf,
}

fn place() -> Place {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".ghost")).unwrap();
    let key = folder.path().join("config/ghost/key");
    Place { folder, key }
}

impl Place {
    fn stored(&self) -> Stored {
        Stored::at(self.folder.path(), &self.key)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(format!(".ghost/secrets/{name}.age"))
    }

    fn refusal(&self, name: &str) -> String {
        let error = self.stored().get(name).unwrap_err();
        assert_eq!(error.code, ErrorCode::SecretInvalid);
        let told = format!("{error} {error:?}");
        assert!(!told.contains("canary") && !told.contains("AGE-SECRET-KEY"), "{told}");
        error.message
    }
}

const CANARY: &str = "postgres://user:canary@host/database";

#[test]
fn a_stored_secret_is_found_and_encrypted() {
    let place = place();
    assert!(place.stored().get("orders").unwrap().is_none());
    assert!(place.stored().list().unwrap().is_empty());
    place.stored().set("orders", &Secret::from(CANARY.to_owned())).unwrap();
    place.stored().set("a.b-c_D", &Secret::from("é".repeat(100))).unwrap();
    assert_eq!(place.stored().get("orders").unwrap().unwrap().expose(), CANARY);
    assert_eq!(place.stored().list().unwrap(), ["a.b-c_D", "orders"]);
    let on_disk = fs::read(place.file("orders")).unwrap();
    assert!(!on_disk.windows(6).any(|part| part == b"canary"));
    assert!(place.stored().remove("orders").unwrap());
    assert!(!place.stored().remove("orders").unwrap());
    assert!(place.stored().get("orders").unwrap().is_none());
}

#[cfg(unix)]
#[test]
fn the_key_is_made_once_and_for_its_user_alone() {
    use std::os::unix::fs::PermissionsExt;
    let place = place();
    place.stored().set("a", &Secret::from("one".to_owned())).unwrap();
    let first = fs::read(&place.key).unwrap();
    assert_eq!(fs::metadata(&place.key).unwrap().permissions().mode() & 0o777, 0o600);
    place.stored().set("a", &Secret::from("two".to_owned())).unwrap();
    assert_eq!(fs::read(&place.key).unwrap(), first);
    assert_eq!(place.stored().get("a").unwrap().unwrap().expose(), "two");

    fs::set_permissions(&place.key, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(place.refusal("a").contains("is accessible to other users (mode 644); to fix it: chmod 600"));
}

#[test]
fn a_key_that_does_not_fit_is_told() {
    let place = place();
    place.stored().set("orders", &Secret::from(CANARY.to_owned())).unwrap();
    let key = fs::read(&place.key).unwrap();
    fs::remove_file(&place.key).unwrap();
    assert!(place.refusal("orders").contains("the key that encrypted it is missing"));
    place.stored().set("other", &Secret::from("x".to_owned())).unwrap();
    assert!(place.refusal("orders").contains("a different key"));
    fs::write(&place.key, "AGE-SECRET-KEY-canary").unwrap();
    assert!(place.refusal("orders").contains("is damaged"));
    fs::write(&place.key, key).unwrap();
    assert_eq!(place.stored().get("orders").unwrap().unwrap().expose(), CANARY);
}

#[test]
fn every_damage_of_a_file_is_told() {
    let place = place();
    place.stored().set("orders", &Secret::from(CANARY.to_owned())).unwrap();
    let whole = fs::read(place.file("orders")).unwrap();
    for end in 0..whole.len() {
        fs::write(place.file("orders"), &whole[..end]).unwrap();
        place.refusal("orders");
    }
    for position in 0..whole.len() {
        let mut flipped = whole.clone();
        flipped[position] ^= 1;
        fs::write(place.file("orders"), &flipped).unwrap();
        place.refusal("orders");
    }
    fs::remove_file(place.file("orders")).unwrap();
    fs::create_dir(place.file("orders")).unwrap();
    assert!(place.refusal("orders").contains("can't be read"));
}

#[test]
fn names_and_sizes_are_checked() {
    for name in ["a", "A-1_b.c", "..", &"x".repeat(64)] {
        assert!(check_name(name).is_ok(), "{name}");
    }
    for name in ["", "a/b", "../x", "a b", "é", "a\0", &"x".repeat(65)] {
        assert_eq!(check_name(name).unwrap_err().code, ErrorCode::InvalidArgument, "{name}");
    }
    let place = place();
    for size in [0, (64 << 10) + 1] {
        let refused = place.stored().set("a", &Secret::from("x".repeat(size))).unwrap_err();
        assert_eq!(refused.code, ErrorCode::InvalidArgument);
    }
    let longest = "x".repeat(64 << 10);
    place.stored().set("..", &Secret::from(longest.clone())).unwrap();
    assert_eq!(place.stored().get("..").unwrap().unwrap().expose(), longest);
    assert!(place.file("..").is_file());
}

#[test]
fn a_name_has_a_variable() {
    assert_eq!(variable("orders-eu.1_x"), "GHOST_SECRET_ORDERS_EU_1_X");
}
