//! Checks which namespaces can use a secret.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;

use super::Secret;
use crate::{
    Error, Host, Limits, Origin,
    g::{self, External},
    gate::Gate,
};

/// The time limit of a check.
const CHECK_TIMEOUT: Duration = Duration::from_secs(60);

/// The result of a check by one namespace.
#[derive(Debug)]
#[non_exhaustive]
pub struct Checked {
    /// The name of the namespace, for example `sqldb`.
    pub namespace: &'static str,
    /// A short description of the server, without secrets; or the error of the connection.
    pub connected: Result<String, Error>,
}

impl Secret {
    /// Returns the external namespaces whose format the secret has. Does not connect.
    pub fn namespaces(&self) -> Vec<&'static str> {
        readers(self).map(|external| external.interface).collect()
    }
}

fn readers(secret: &Secret) -> impl Iterator<Item = &'static External> {
    g::EXTERNAL.iter().filter(move |external| (external.fits)(secret))
}

impl Host {
    /// Connects with a secret once for each external namespace whose format it has. Returns an empty list if none has it.
    pub async fn check_secret(&self, secret: &Secret) -> Vec<Checked> {
        let limits = Limits::of(Origin::Local);
        let mut checked = Vec::new();
        for external in readers(secret) {
            let gate = Gate::new(&limits, Instant::now() + CHECK_TIMEOUT, None, Arc::clone(self.remote()));
            let connected = gate.call((), async |call, ()| (external.connect)(call, secret).await).await;
            gate.settle().await;
            checked.push(Checked { namespace: external.interface, connected });
        }
        checked
    }
}
