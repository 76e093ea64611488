//! Looks for parts of secrets in what a program has printed.

use base64::{Engine, engine::general_purpose::STANDARD_NO_PAD as BASE64};

use crate::folder::Finished;

/// The forms in which a text may be shown.
fn forms(text: &str) -> Vec<String> {
    let percent: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let hex: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
    let mixed = text.replace('+', "%2B").replace('/', "%2F").replace(':', "%3A");
    // In the middle of another text, the first and the last character depend on what is around it.
    let shifted = (0..3).map(|shift| {
        let before = " ".repeat(shift) + text;
        BASE64.encode(&before)[(shift * 8).div_ceil(6)..before.len() * 8 / 6].to_owned()
    });
    let plain =
        [text.to_owned(), text.to_uppercase(), mixed.to_lowercase(), mixed, percent.to_lowercase(), percent, hex];
    plain.into_iter().chain(shifted).collect()
}

/// Asserts that neither output of a program has one of these texts, in whatever form. `what` says what was run.
#[track_caller]
pub fn shows_none(finished: &Finished, texts: &[&str], what: &str) {
    for form in texts.iter().flat_map(|text| forms(text)) {
        let seen = finished.stdout.contains(&form) || finished.stderr.contains(&form);
        assert!(!seen, "{form} is seen of {what}\n{finished}");
    }
}

/// The same for `ghost secret check`, which shows its owner where the servers are, and nothing else of the secret.
#[track_caller]
pub fn check_shows_none(checked: Finished, texts: &[&str], what: &str) {
    shows_none(&without_addresses(checked), texts, what);
}

/// What `ghost secret check` has printed, without where the servers are.
pub fn without_addresses(mut checked: Finished) -> Finished {
    for output in [&mut checked.stdout, &mut checked.stderr] {
        *output = output.lines().map(without_address).collect::<Vec<_>>().join("\n");
    }
    checked
}

/// A line such as `g.sqldb at h:5432: connected to …` without `at h:5432`.
fn without_address(line: &str) -> String {
    let is_namespace = |text: &str| {
        let name = text.strip_prefix("error: ").unwrap_or(text).strip_prefix("g.");
        name.is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_lowercase()))
    };
    match line.split_once(" at ").and_then(|(before, rest)| Some((before, rest.split_once(": ")?.1))) {
        Some((before, after)) if is_namespace(before) => format!("{before}: {after}"),
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_address_of_a_check_is_left_out() {
        for (line, left) in [
            ("error: g.sqldb at canary:1: no", "error: g.sqldb: no"),
            ("error: g.sqldb: at canary: no", "error: g.sqldb: at canary: no"),
            ("g.sqldb at h:1: canary at b: c", "g.sqldb: canary at b: c"),
            ("WARN canary at h: no", "WARN canary at h: no"),
        ] {
            assert_eq!(without_address(line), left);
        }
    }

    #[test]
    fn a_text_is_found_in_each_form() {
        let whole = |before: &str| base64::engine::general_purpose::STANDARD.encode(format!("{before}canary=more"));
        for shown in ["canary", "CANARY", "%63%61%6e%61%72%79", "63616e617279", &whole(""), &whole("a"), &whole("ab")] {
            assert!(forms("canary").iter().any(|form| shown.contains(form)), "{shown}");
        }
        assert!(forms("a/b:c+d").contains(&"a%2Fb%3Ac%2Bd".to_owned()));
    }
}
