//! The HTTP client: rustls with ring, and the trusted authorities of the secret or of the system.

use std::time::Duration;

use aws_sdk_s3::config::SharedHttpClient;
use aws_smithy_http_client::{
    Builder,
    tls::{Provider, TlsContext, TrustStore, rustls_provider::CryptoMode},
};

use crate::{
    Error,
    gate::tls::{self, Trust},
};

/// Creates a client that closes a connection after it was idle for `idle`.
///
/// Fails with `secret-invalid` when the PEM contains no certificate or an invalid one.
pub(super) fn client(ca: Option<&str>, idle: Duration) -> Result<SharedHttpClient, Error> {
    let trust = match ca {
        // The client panics on certificates that it can't read.
        Some(pem) => {
            tls::roots(Trust::Only(pem.as_bytes()))?;
            TrustStore::empty().with_pem_certificate(pem.as_bytes())
        }
        None => TrustStore::default(),
    };
    let context = TlsContext::builder().with_trust_store(trust).build().map_err(Error::internal)?;
    let builder = Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring)).tls_context(context);
    Ok(builder.pool_idle_timeout(idle).build_https())
}
