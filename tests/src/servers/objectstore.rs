//! The S3 servers of the tests, which `tests/servers/objectstore` builds and starts.

use std::{path::PathBuf, sync::LazyLock};

use anyhow::Result;
use aws_sdk_s3::{
    Client, Config,
    config::{BehaviorVersion, Credentials, Region, RequestChecksumCalculation},
    error::ProvideErrorMetadata,
};
use aws_smithy_http_client::Builder;

use super::Server;

/// A server to test with.
pub struct Objectstore {
    /// On 127.0.0.1.
    pub port: u16,
    /// The access key of its user.
    pub access: String,
    /// The secret access key.
    pub secret: String,
    /// The certificate of the authority that signed the certificate of `localhost`, if the server has TLS.
    pub authority: PathBuf,
    server: Server,
    connection: String,
}

/// MinIO, or why there is none. All tests of a process share it.
pub fn minio() -> Result<&'static Objectstore, &'static str> {
    static SERVER: LazyLock<Result<Objectstore, String>> = LazyLock::new(|| start("minio"));
    SERVER.as_ref().map_err(String::as_str)
}

/// MinIO with TLS.
pub fn minio_with_tls() -> Result<&'static Objectstore, &'static str> {
    static SERVER: LazyLock<Result<Objectstore, String>> = LazyLock::new(|| start("minio-tls"));
    SERVER.as_ref().map_err(String::as_str)
}

/// The Versity gateway, which keeps objects as files.
pub fn versitygw() -> Result<&'static Objectstore, &'static str> {
    static SERVER: LazyLock<Result<Objectstore, String>> = LazyLock::new(|| start("versitygw"));
    SERVER.as_ref().map_err(String::as_str)
}

/// The connection string for MinIO, or why there is no server.
pub fn minio_connection() -> Result<&'static str, &'static str> {
    minio().map(|server| server.connection.as_str())
}

/// The connection string for the Versity gateway, or why there is no server.
pub fn versitygw_connection() -> Result<&'static str, &'static str> {
    versitygw().map(|server| server.connection.as_str())
}

fn start(kind: &str) -> Result<Objectstore, String> {
    let found = || -> Result<Objectstore> {
        let server = Server::start("objectstore", &[kind])?;
        let (port, access, secret): (_, String, String) =
            (server.port()?, server.value("access")?, server.value("secret")?);
        let connection = connection(port, &access, &secret);
        Ok(Objectstore { port, access, secret, authority: server.value("authority")?, server, connection })
    };
    found().map_err(|error| format!("there is no {kind} to test with: {error:#}"))
}

fn connection(port: u16, access: &str, secret: &str) -> String {
    format!("s3://{access}:{secret}@127.0.0.1:{port}?tls=false")
}

impl Objectstore {
    /// The connection string for ghost, in plain HTTP.
    pub fn connection(&self) -> &str {
        &self.connection
    }

    /// The same through another port, as of a proxy.
    pub fn connection_through(&self, port: u16) -> String {
        connection(port, &self.access, &self.secret)
    }

    /// A plain client, to look up what is at the server.
    pub fn client(&self) -> Client {
        self.client_through(self.port)
    }

    /// The same through a proxy at this port.
    pub fn client_through(&self, port: u16) -> Client {
        let credentials = Credentials::new(&self.access, &self.secret, None, None, "tests");
        let config = Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new("us-east-1"))
            .endpoint_url(format!("http://127.0.0.1:{port}"))
            .force_path_style(true)
            .credentials_provider(credentials)
            .request_checksum_calculation(RequestChecksumCalculation::WhenRequired)
            .http_client(Builder::new().build_http());
        Client::from_conf(config.build())
    }

    /// The ids of the uploads in parts to a key that are neither completed nor aborted.
    pub async fn unfinished_uploads(&self, bucket: &str, key: &str) -> Vec<String> {
        let listed = self.client().list_multipart_uploads().bucket(bucket).prefix(key).send().await;
        let uploads = listed.expect("the server lists its uploads").uploads.unwrap_or_default();
        uploads.into_iter().filter_map(|upload| upload.upload_id).collect()
    }

    /// The number of parts of these uploads.
    pub async fn unfinished_parts(&self, bucket: &str, key: &str) -> usize {
        let mut parts = 0;
        for id in self.unfinished_uploads(bucket, key).await {
            let listed = self.client().list_parts().bucket(bucket).key(key).upload_id(id).send().await;
            parts += match listed {
                Ok(listed) => listed.parts().len(),
                // It was aborted in between.
                Err(error) if error.as_service_error().and_then(ProvideErrorMetadata::code) == Some("NoSuchUpload") => {
                    0
                }
                Err(error) => panic!("the parts can't be listed: {error:?}"),
            };
        }
        parts
    }

    /// Its log so far.
    pub fn log(&self) -> Result<String> {
        self.server.log()
    }
}
