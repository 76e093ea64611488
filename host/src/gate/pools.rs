//! Pools of connections, one for each secret.

use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest, Sha256};

use crate::{Error, secrets::Secret};

/// How many pools a namespace keeps; the one that was used longest ago goes first.
const MOST: usize = 16;

/// What a pool belongs to: the content of the secret, so that one that was changed has a pool of its own, and the runtime
/// that its connections live on.
#[derive(PartialEq, Eq)]
struct Key([u8; 32], tokio::runtime::Id);

/// The pools of one namespace. A pool that is handed out stays alive as long as it is used.
pub(crate) struct Pools<P> {
    /// The one used last stands last.
    pools: Mutex<Vec<(Key, Arc<P>)>>,
}

impl<P> Default for Pools<P> {
    fn default() -> Self {
        Self { pools: Mutex::default() }
    }
}

impl<P> Pools<P> {
    /// The pool for a secret; made when there is none. `make` connects nothing.
    pub(crate) fn get(&self, secret: &Secret, make: impl FnOnce() -> Result<P, Error>) -> Result<Arc<P>, Error> {
        let content = Sha256::digest(secret.expose().as_bytes()).into();
        let key = Key(content, tokio::runtime::Handle::current().id());
        let mut pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        let known = pools.iter().position(|(other, _)| *other == key);
        let entry = match known {
            Some(place) => pools.remove(place),
            None => (key, Arc::new(make()?)),
        };
        let pool = Arc::clone(&entry.1);
        if pools.len() == MOST {
            pools.remove(0);
        }
        pools.push(entry);
        Ok(pool)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_secret_has_one_pool_and_the_oldest_goes_first() {
        let pools = Pools::default();
        let get = |number: usize| pools.get(&Secret::from(number.to_string()), || Ok(number)).unwrap();
        let first = get(0);
        assert!(Arc::ptr_eq(&first, &get(0)));
        for number in 1..MOST {
            get(number);
        }
        assert!(Arc::ptr_eq(&first, &get(0)), "it was used last, and none had to go");
        let second = get(1);
        get(MOST);
        assert!(Arc::ptr_eq(&first, &get(0)));
        assert!(Arc::ptr_eq(&second, &get(1)));
        assert_eq!(Arc::strong_count(&get(2)), 2, "made anew");
        assert!(pools.get(&Secret::from("new".to_owned()), || Err(Error::invalid("no"))).is_err());
    }
}
