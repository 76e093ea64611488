//! Which systems a secret is for, and whether they can be reached with it.

use std::time::Duration;

use tokio::time::Instant;

use super::Host;
use crate::{
    Limits, Origin,
    g::{self, Namespace},
    gate::Gate,
    secrets::{Checked, Secret},
};

/// How long a check may take.
const CHECK_TIMEOUT: Duration = Duration::from_secs(60);

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
            let gate = Gate::new(&limits, Instant::now() + CHECK_TIMEOUT, None, self.remote().clone());
            let connected = gate.call((), async |call, ()| (external.connect)(call, secret).await).await;
            gate.settle().await;
            checked.push(Checked { namespace: external.interface, connected });
        }
        checked
    }
}
