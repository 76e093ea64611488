//! Checks which namespaces can use a secret.

use std::time::Duration;

use tokio::time::Instant;

use super::Host;
use crate::{
    Error, Limits, Origin,
    g::{AnyExternal, EXTERNAL},
    gate::Gate,
    secrets::{Checked, Secret},
};

/// How long a check may take.
const CHECK_TIMEOUT: Duration = Duration::from_secs(60);

impl Secret {
    /// Returns the external namespaces whose format the secret has. Does not connect.
    pub fn namespaces(&self) -> Vec<&'static str> {
        readers(self).map(|external| external.namespace.name()).collect()
    }

    /// Returns the external namespaces whose format the secret has but that can't use it, each with the reason. Does not
    /// connect.
    pub fn problems(&self) -> Vec<(&'static str, Error)> {
        let read = |external: &AnyExternal| Some((external.namespace.name(), (external.read)(self).err()?));
        readers(self).filter_map(read).collect()
    }
}

fn readers(secret: &Secret) -> impl Iterator<Item = &'static AnyExternal> {
    EXTERNAL.iter().filter(move |external| (external.fits)(secret))
}

impl Host {
    /// Connects with a secret, once for each external namespace of the host whose format the secret has. Returns an empty list
    /// if the secret has the format of none.
    pub async fn check_secret(&self, secret: &Secret) -> Vec<Checked> {
        let limits = Limits::of(Origin::Local);
        let mut checked = Vec::new();
        for external in readers(secret).filter(|external| self.offers(external.namespace)) {
            let gate = Gate::new(&limits, Instant::now() + CHECK_TIMEOUT, None, self.connections().clone());
            let connected = gate.call((), async |call, ()| (external.connect)(call, secret).await).await;
            gate.finish_cleanup().await;
            let address = (external.read)(secret).ok();
            checked.push(Checked { namespace: external.namespace.name(), address, connected });
        }
        checked
    }
}
