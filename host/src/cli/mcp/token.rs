//! The token that clients of the HTTP transport present.

use std::{
    env,
    fs::File,
    io::{self, Read},
    path::Path,
};

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256, digest::Output};

use crate::cli::input::reason;

const VARIABLE: &str = "GHOST_MCP_TOKEN";
/// The shortest token that is accepted, in characters.
const MIN_CHARACTERS: usize = 16;
/// The largest file of a token, in bytes.
const MAX_BYTES: u64 = 4 << 10;
/// The bytes of a generated token.
const RANDOM_BYTES: usize = 32;

/// The hash of a token. Hashes are compared, so the time of a comparison says nothing about the token.
pub(super) struct Token(Output<Sha256>);

impl Token {
    /// Reads the token from a file or the environment. If there is none, generates one, and returns it to be shown.
    pub(super) fn read(file: Option<&Path>) -> Result<(Self, Option<String>), String> {
        let given = match file {
            Some(path) => Some(("--token-file", from_file(path)?)),
            None => env::var(VARIABLE).ok().filter(|token| !token.is_empty()).map(|token| (VARIABLE, token)),
        };
        match given {
            Some((name, token)) => Ok((Self::of(name, token.trim())?, None)),
            None => {
                let token = random().map_err(|error| format!("no token can be generated: {}", reason(&error)))?;
                Ok((Self(Sha256::digest(&token)), Some(token)))
            }
        }
    }

    fn of(name: &str, token: &str) -> Result<Self, String> {
        if token.chars().count() < MIN_CHARACTERS {
            return Err(format!("{name}: the token has fewer than {MIN_CHARACTERS} characters"));
        }
        if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(format!("{name}: a token has only visible ASCII characters, without spaces"));
        }
        Ok(Self(Sha256::digest(token)))
    }

    /// Whether the value of an `Authorization` header presents the token.
    pub(super) fn is_in(&self, authorization: &[u8]) -> bool {
        let Some((scheme, token)) = authorization.split_at_checked("Bearer ".len()) else { return false };
        scheme.eq_ignore_ascii_case(b"Bearer ") && Sha256::digest(token.trim_ascii()) == self.0
    }
}

fn from_file(path: &Path) -> Result<String, String> {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(MAX_BYTES).read_to_string(&mut text));
    read.map_err(|error| format!("--token-file {}: {}", path.display(), reason(&error)))?;
    Ok(text)
}

fn random() -> io::Result<String> {
    let mut bytes = [0; RANDOM_BYTES];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(BASE64_URL_SAFE_NO_PAD.encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_token_is_accepted() {
        let token = Token::of("x", "0123456789abcdef").unwrap();
        for given in ["Bearer 0123456789abcdef", "bearer 0123456789abcdef", "Bearer  0123456789abcdef "] {
            assert!(token.is_in(given.as_bytes()), "{given}");
        }
        for given in [
            "",
            "Bearer",
            "Bearer ",
            "0123456789abcdef",
            "Basic 0123456789abcdef",
            "Bearer 0123456789abcde",
            "Bearer 0123456789abcdefg",
        ] {
            assert!(!token.is_in(given.as_bytes()), "{given}");
        }
    }

    #[test]
    fn weak_tokens_are_refused() {
        assert!(Token::of("x", "short").err().unwrap().contains("16"));
        assert!(Token::of("x", "0123456789 abcdef").err().unwrap().contains("ASCII"));
        let (first, second) = (random().unwrap(), random().unwrap());
        assert!(first != second && first.len() >= 43);
    }
}
