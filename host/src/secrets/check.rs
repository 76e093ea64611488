//! What a secret is good for.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;

use super::Secret;
use crate::{
    Error, Host, Limits, Origin,
    g::{self, Namespace},
    gate::Gate,
};

/// How long a check may take.
const CHECK: Duration = Duration::from_secs(60);

/// What a namespace made of a secret.
#[derive(Debug)]
#[non_exhaustive]
pub struct Checked {
    /// `sqldb`
    pub namespace: &'static str,
    /// Who answered, in a few words without anything secret; or why the connection failed.
    pub connected: Result<String, Error>,
}

impl Secret {
    /// The external namespaces that can read it, by its form alone.
    pub fn namespaces(&self) -> Vec<&'static str> {
        readers(self).map(|external| external.interface).collect()
    }
}

fn readers(secret: &Secret) -> impl Iterator<Item = &'static Namespace> {
    g::EXTERNAL.iter().filter(move |external| (external.fits)(secret))
}

impl Host {
    /// Connects with a secret, as each external namespace does that can read it; empty when none can.
    pub async fn check_secret(&self, secret: &Secret) -> Vec<Checked> {
        let limits = Limits::of(Origin::Local);
        let mut checked = Vec::new();
        for external in readers(secret) {
            let gate = Gate::new(&limits, Instant::now() + CHECK, None, Arc::clone(self.remote()));
            let connected = gate.call((), async |call, ()| (external.connect)(call, secret).await).await;
            gate.settle().await;
            checked.push(Checked { namespace: external.interface, connected });
        }
        checked
    }
}
