//! TLS for all clients: rustls with the system's root certificates, or with those of the secret only. The cryptography is
//! ring, unless the program has installed another default provider.

use std::{
    net::IpAddr,
    sync::{Arc, OnceLock},
};

use rustls::{
    ClientConfig, RootCertStore,
    crypto::CryptoProvider,
    pki_types::{CertificateDer, pem::PemObject},
};

use crate::{Error, ErrorCode};

/// Trusted certificate authorities.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Trust<'a> {
    /// The system's authorities.
    System,
    /// Only these, as PEM.
    Only(&'a [u8]),
}

/// Returns a client's configuration, which verifies the chain and the name of the server.
///
/// Fails with `secret-invalid` when the PEM contains no certificate or an invalid one.
pub(crate) fn client(trust: Trust<'_>) -> Result<Arc<ClientConfig>, Error> {
    let roots = roots(trust)?;
    let builder = ClientConfig::builder_with_provider(provider()).with_safe_default_protocol_versions();
    let builder = builder.map_err(Error::internal)?;
    Ok(Arc::new(builder.with_root_certificates(roots).with_no_client_auth()))
}

/// Whether a host is this machine, to which a connection may be unencrypted: a loopback address, `localhost`, or the
/// path of a socket.
pub(crate) fn is_this_machine(host: &str) -> bool {
    host == "localhost" || host.starts_with('/') || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

/// Returns the certificates of the trusted authorities.
///
/// Fails as [`client`] does.
pub(crate) fn roots(trust: Trust<'_>) -> Result<RootCertStore, Error> {
    match trust {
        Trust::System => Ok(system().clone()),
        Trust::Only(pem) => read(pem),
    }
}

/// Returns the cryptography provider of all clients.
pub(crate) fn provider() -> Arc<CryptoProvider> {
    CryptoProvider::get_default().cloned().unwrap_or_else(|| Arc::new(rustls::crypto::ring::default_provider()))
}

/// Returns the system's certificates, which are read once: there are more than a hundred.
fn system() -> &'static RootCertStore {
    static SYSTEM: OnceLock<RootCertStore> = OnceLock::new();
    SYSTEM.get_or_init(|| {
        let found = rustls_native_certs::load_native_certs();
        for error in &found.errors {
            tracing::warn!("some of the system's certificates can't be read: {error}");
        }
        let mut roots = RootCertStore::empty();
        let (added, ignored) = roots.add_parsable_certificates(found.certs);
        tracing::debug!(added, ignored, "read the system's certificates");
        roots
    })
}

fn read(pem: &[u8]) -> Result<RootCertStore, Error> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let added = certificate.map_err(|_| damaged()).and_then(|one| roots.add(one).map_err(|_| damaged()));
        added?;
    }
    if roots.is_empty() { Err(damaged()) } else { Ok(roots) }
}

fn damaged() -> Error {
    Error::new(ErrorCode::SecretInvalid, "the certificates of the authority are not in PEM, or damaged")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_may_be_reached_unencrypted() {
        for host in ["localhost", "127.0.0.1", "127.1.2.3", "::1", "/run/postgresql"] {
            assert!(is_this_machine(host), "{host}");
        }
        for host in ["localhost.example.com", "10.0.0.1", "0.0.0.0", "::", "example.com", "@run", ""] {
            assert!(!is_this_machine(host), "{host}");
        }
    }

    #[test]
    fn an_invalid_certificate_is_refused() {
        for pem in ["", "no PEM", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
            let refused = client(Trust::Only(pem.as_bytes())).map(drop).unwrap_err();
            assert_eq!(refused.code, ErrorCode::SecretInvalid, "{pem}");
        }
        assert!(client(Trust::System).is_ok());
    }
}
