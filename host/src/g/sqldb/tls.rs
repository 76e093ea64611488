//! TLS to a database: verifies what `sslmode` asks for.

use std::{path::PathBuf, sync::Arc};

use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error as TlsError, RootCertStore, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    pki_types::{CertificateDer, ServerName, UnixTime},
};
use tokio::task::spawn_blocking;

use crate::{
    Error,
    gate::{
        ca_file,
        tls::{self, Trust},
    },
};

/// How a server's certificate is verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    /// Only that the server has its key, as in libpq for `require`.
    Nothing,
    /// That a trusted authority signed it.
    Chain,
    /// That a trusted authority signed it, for this host.
    ChainAndName,
}

/// The TLS options of a connection string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Security {
    pub(super) check: Check,
    /// A file with authorities in PEM; None for the system's.
    pub(super) roots: Option<PathBuf>,
}

/// The TLS configuration of connections.
#[derive(Clone)]
pub(super) struct Tls {
    /// One for each negotiation: after asking the server, and direct.
    config: [Arc<ClientConfig>; 2],
}

impl Tls {
    /// Reads the authorities, on a thread that may block.
    ///
    /// Fails with `secret-invalid` when their file can't be read or is damaged.
    pub(super) async fn load(Security { check, roots }: Security) -> Result<Self, Error> {
        let load = move || {
            let file = roots.as_deref().filter(|_| check != Check::Nothing);
            let pem = file.map(|file| ca_file::read(file, "sslrootcert")).transpose()?;
            Self::new(check, pem.as_deref())
        };
        spawn_blocking(load).await.map_err(Error::internal)?
    }

    /// `roots` are authorities in PEM; None for the system's.
    pub(super) fn new(check: Check, roots: Option<&[u8]>) -> Result<Self, Error> {
        let trust = roots.map_or(Trust::System, Trust::Only);
        let config = match check {
            Check::ChainAndName => (*tls::client(trust)?).clone(),
            Check::Chain => unchecked(Some(tls::roots(trust)?))?,
            Check::Nothing => unchecked(None)?,
        };
        // Direct negotiation requires the name of the protocol.
        let mut direct = config.clone();
        direct.alpn_protocols = vec![b"postgresql".to_vec()];
        Ok(Self { config: [config, direct].map(Arc::new) })
    }

    pub(super) fn config(&self, is_direct: bool) -> Arc<ClientConfig> {
        Arc::clone(&self.config[usize::from(is_direct)])
    }
}

/// Returns a configuration that does not verify the server's name; without roots, nor its authority.
fn unchecked(roots: Option<RootCertStore>) -> Result<ClientConfig, Error> {
    let provider = tls::provider();
    let chain = match roots {
        Some(roots) => {
            let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
            Some(verifier.build().map_err(Error::internal)?)
        }
        None => None,
    };
    let verifier = Arc::new(WithoutName { chain, provider: Arc::clone(&provider) });
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(Error::internal)?;
    Ok(builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth())
}

/// Verifies that the server has the key of its certificate, and the chain if there are roots.
#[derive(Debug)]
struct WithoutName {
    chain: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<rustls::crypto::CryptoProvider>,
}

impl ServerCertVerifier for WithoutName {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, TlsError> {
        let Some(chain) = &self.chain else { return Ok(ServerCertVerified::assertion()) };
        match chain.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            // The name is verified last, so the chain is valid.
            Err(TlsError::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        let known = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signature, known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        let known = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signature, known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
