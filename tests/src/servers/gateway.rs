//! A gateway in front of a search cluster, over TLS or in plain text: it checks who logs in, as a cluster with security does,
//! answers in the place of the cluster where a test says so, and notes what it was asked.

use std::{
    fs,
    path::Path,
    process::Command,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use rustls::{
    ServerConfig,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader},
    net::TcpStream,
    sync::Barrier,
    time::sleep,
};
use tokio_rustls::TlsAcceptor;

use super::listener::listen;

/// A request that arrived.
#[derive(Clone, Debug)]
pub struct Asked {
    /// `POST /index/_bulk?refresh=true`
    pub line: String,
    /// In lower case, with their values.
    pub headers: Vec<(String, String)>,
    /// The body as text.
    pub body: String,
}

impl Asked {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// What the gateway does with a request.
#[derive(Clone, Debug)]
pub enum Reply {
    /// The cluster answers.
    Pass,
    /// The cluster answers after some time.
    Later(Duration),
    /// An answer of the gateway: the status, the content type and the body.
    Own(u16, &'static str, String),
    /// The same after some time.
    OwnLater(Duration, u16, &'static str, String),
    /// The same once as many requests have arrived as the barrier is for.
    OwnTogether(Arc<Barrier>, u16, &'static str, String),
    /// Bytes instead of an answer, and the end of the connection.
    Raw(Vec<u8>),
    /// The head of an answer and a part of its body; then nothing, for a minute.
    Stall(Vec<u8>),
    /// The head of an answer, and then these bytes for ever.
    Endless(Vec<u8>, Vec<u8>),
}

type Rule = Box<dyn FnMut(&Asked) -> Reply + Send>;

struct State {
    /// The value of `Authorization` that is required.
    authorization: Option<String>,
    rule: Rule,
    asked: Vec<Asked>,
}

/// A gateway on a port of its own. It ends with the process.
pub struct Gateway {
    /// On 127.0.0.1.
    pub port: u16,
    state: Arc<Mutex<State>>,
}

impl Gateway {
    /// A gateway in plain text in front of a port of 127.0.0.1.
    ///
    /// # Panics
    ///
    /// When no port is free.
    pub fn plain(server: u16) -> Self {
        let state = State::new();
        let shared = Arc::clone(&state);
        let port = listen(move |stream| serve(stream, server, Arc::clone(&shared)));
        Self { port, state }
    }

    /// A gateway over TLS, with a certificate.
    ///
    /// # Panics
    ///
    /// When no port is free, or the certificate can't be read.
    pub fn tls(server: u16, certificate: &Certificate) -> Self {
        let state = State::new();
        let (shared, acceptor) = (Arc::clone(&state), certificate.acceptor());
        let port = listen(move |stream| {
            let (shared, acceptor) = (Arc::clone(&shared), acceptor.clone());
            async move {
                // A client that does not trust it ends the handshake.
                let Ok(stream) = acceptor.accept(stream).await else { return };
                serve(stream, server, shared).await;
            }
        });
        Self { port, state }
    }

    /// Requires a value of `Authorization` from now on.
    #[must_use]
    pub fn with_login(self, authorization: &str) -> Self {
        self.state().authorization = Some(authorization.to_owned());
        self
    }

    /// Sets what it does with requests from now on.
    pub fn rule(&self, rule: impl FnMut(&Asked) -> Reply + Send + 'static) {
        self.state().rule = Box::new(rule);
    }

    /// The requests since the last time.
    pub fn take_asked(&self) -> Vec<Asked> {
        std::mem::take(&mut self.state().asked)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn new() -> Arc<Mutex<Self>> {
        Arc::new(Mutex::new(Self { authorization: None, rule: Box::new(|_| Reply::Pass), asked: Vec::new() }))
    }

    fn reply(&mut self, asked: &Asked) -> Reply {
        self.asked.push(asked.clone());
        let allowed = self.authorization.as_deref().is_none_or(|wanted| asked.header("authorization") == Some(wanted));
        if allowed { (self.rule)(asked) } else { refused_login(asked) }
    }
}

/// As Elasticsearch refuses a login: with the name of the user.
fn refused_login(asked: &Asked) -> Reply {
    let given = asked.header("authorization").unwrap_or("nobody");
    let reason = format!("unable to authenticate user [{given}] for REST request [{}]", asked.line);
    let cause =
        serde_json::json!({ "type": "security_exception", "reason": reason, "header": { "WWW-Authenticate": given } });
    let mut error = cause.clone();
    error["root_cause"] = serde_json::json!([cause]);
    Reply::Own(401, "application/json", serde_json::json!({ "error": error, "status": 401 }).to_string())
}

/// Answers the requests of a connection, one after the other.
async fn serve(stream: impl AsyncRead + AsyncWrite + Unpin, server: u16, state: Arc<Mutex<State>>) {
    let mut client = BufReader::new(stream);
    while let Some(asked) = read_request(&mut client).await {
        let reply = state.lock().unwrap_or_else(PoisonError::into_inner).reply(&asked);
        let answer = match reply {
            Reply::Pass => pass(&asked, server).await,
            Reply::Later(time) => {
                sleep(time).await;
                pass(&asked, server).await
            }
            Reply::Own(status, ty, body) => Some(own(status, ty, &body)),
            Reply::OwnLater(time, status, ty, body) => {
                sleep(time).await;
                Some(own(status, ty, &body))
            }
            Reply::OwnTogether(barrier, status, ty, body) => {
                barrier.wait().await;
                Some(own(status, ty, &body))
            }
            Reply::Raw(bytes) => {
                // Whether it arrives is for the client to say.
                let _ = client.get_mut().write_all(&bytes).await;
                let _ = client.get_mut().shutdown().await;
                return;
            }
            Reply::Stall(bytes) => {
                let _ = client.get_mut().write_all(&bytes).await;
                let _ = client.get_mut().flush().await;
                sleep(Duration::from_secs(60)).await;
                return;
            }
            Reply::Endless(head, piece) => {
                let _ = client.get_mut().write_all(&head).await;
                while client.get_mut().write_all(&piece).await.is_ok() {}
                return;
            }
        };
        let Some(answer) = answer else { return };
        if client.get_mut().write_all(&answer).await.is_err() || client.get_mut().flush().await.is_err() {
            return;
        }
    }
}

fn own(status: u16, ty: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status} Status\r\ncontent-type: {ty}\r\ncontent-length: {length}\r\n\r\n{body}").into_bytes()
}

async fn read_request(client: &mut (impl AsyncBufRead + Unpin)) -> Option<Asked> {
    let head = read_head(client).await?;
    let mut lines = head.lines();
    let line = lines.next()?.strip_suffix(" HTTP/1.1")?.to_owned();
    let headers: Vec<(String, String)> = lines.filter_map(header).collect();
    let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    client.read_exact(&mut body).await.ok()?;
    Some(Asked { line, headers, body: String::from_utf8_lossy(&body).into_owned() })
}

/// Reads the lines before a body, without the empty one at the end.
async fn read_head(from: &mut (impl AsyncBufRead + Unpin)) -> Option<String> {
    let mut head = String::new();
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        if line == "\r\n" {
            return Some(head);
        }
        head += &line;
    }
}

fn header(line: &str) -> Option<(String, String)> {
    let (name, value) = line.split_once(':')?;
    Some((name.to_ascii_lowercase(), value.trim().to_owned()))
}

/// Asks the cluster, on a connection for this request.
async fn pass(asked: &Asked, server: u16) -> Option<Vec<u8>> {
    let mut stream = BufReader::new(TcpStream::connect(("127.0.0.1", server)).await.ok()?);
    let Asked { line, body, .. } = asked;
    let ty = asked.header("content-type").map(|ty| format!("content-type: {ty}\r\n")).unwrap_or_default();
    let length = body.len();
    let head = format!("{line} HTTP/1.1\r\nhost: cluster\r\nconnection: close\r\ncontent-length: {length}\r\n{ty}\r\n");
    stream.get_mut().write_all(&[head.as_bytes(), body.as_bytes()].concat()).await.ok()?;
    let head = read_head(&mut stream).await?;
    let kept: String =
        head.lines().filter(|line| !is_about_connection(line)).map(|line| format!("{line}\r\n")).collect();
    let mut content = Vec::new();
    stream.read_to_end(&mut content).await.ok()?;
    let length = content.len();
    Some([format!("{kept}content-length: {length}\r\n\r\n").as_bytes(), &content].concat())
}

fn is_about_connection(line: &str) -> bool {
    let name = header(line).map(|(name, _)| name);
    name.is_some_and(|name| matches!(name.as_str(), "connection" | "content-length" | "transfer-encoding"))
}

/// A certificate with its authority, both of the tests' own.
pub struct Certificate {
    folder: TempDir,
}

impl Certificate {
    /// Makes a certificate for a name (`DNS:localhost`) that is valid for some days; negative for one that has expired.
    ///
    /// # Panics
    ///
    /// When `openssl` does not make it.
    pub fn new(name: &str, days: i32) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let script = r#"set -e
            # Two authorities of one name would be mistaken for each other.
            key=(-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes)
            openssl req -x509 "${key[@]}" -days 30 -keyout ca.key -out ca.crt -subj "/CN=ghost test authority $RANDOM$$" \
              -addext 'basicConstraints=critical,CA:TRUE' -addext 'keyUsage=critical,keyCertSign,cRLSign'
            openssl req "${key[@]}" -keyout server.key -out server.csr -subj '/CN=server'
            printf 'basicConstraints=CA:FALSE\nsubjectAltName=%s\nextendedKeyUsage=serverAuth\n' "$1" >extensions
            mkdir certs && touch index.txt && echo 01 >serial
            printf '[ca]\ndefault_ca=d\n[d]\ndatabase=index.txt\nserial=serial\nnew_certs_dir=certs\ndefault_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n' >ca.conf
            openssl ca -batch -config ca.conf -in server.csr -cert ca.crt -keyfile ca.key -out server.crt -notext \
              -extfile extensions -startdate "$(date -u -d '-10 days' +%Y%m%d%H%M%SZ)" \
              -enddate "$(date -u -d "$2 days" +%Y%m%d%H%M%SZ)""#;
        let mut command = Command::new("bash");
        command.args(["-c", script, "certificate", name, &days.to_string()]).current_dir(folder.path());
        let made = command.output().expect("bash runs");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        Self { folder }
    }

    /// The certificate of its authority, in PEM.
    ///
    /// # Panics
    ///
    /// When it can't be read.
    pub fn authority(&self) -> String {
        fs::read_to_string(self.path().join("ca.crt")).expect("the certificate of the authority")
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn acceptor(&self) -> TlsAcceptor {
        let pem = fs::read(self.path().join("server.crt")).expect("the certificate");
        let chain = CertificateDer::pem_slice_iter(&pem).map(|one| one.expect("a certificate")).collect();
        let key = PrivateKeyDer::from_pem_file(self.path().join("server.key")).expect("the key");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let builder = builder.expect("the versions are supported").with_no_client_auth();
        TlsAcceptor::from(Arc::new(builder.with_single_cert(chain, key).expect("the key is that of the certificate")))
    }
}
