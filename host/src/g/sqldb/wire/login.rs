//! The login: user, password, and the parameters of the session.

use fallible_iterator::FallibleIterator;
use postgres_protocol::{
    authentication::{
        md5_hash,
        sasl::{self, ScramSha256},
    },
    message::{
        backend::{AuthenticationSaslBody, Message},
        frontend,
    },
};
use tokio::task::spawn_blocking;

use super::{
    client::Client,
    config::{ChannelBinding, Config},
    error::{Error, Result},
    inbox::Received,
    socket::Opened,
};

const NO_WAY: Error = Error::Unsupported("the server requires an authentication method that ghost does not support");
const NOT_BOUND: Error = Error::Unsupported("the server does not bind the login to its certificate");

/// Logs in on a stream that was opened.
pub(super) async fn login(Opened { stream, end_point }: Opened, config: &Config) -> Result<Client> {
    let mut client = Client::new(stream);
    client.send(|out| frontend::startup_message(parameters(config), out)).await?;
    authenticate(&mut client, config, end_point).await?;
    loop {
        match client.receive(None).await? {
            Received::Other(Message::BackendKeyData(key)) => client.key = Some((key.process_id(), key.secret_key())),
            Received::Other(Message::ReadyForQuery(ready)) => {
                client.ready(ready.status())?;
                return Ok(client);
            }
            Received::Error(answer) => return Err(Error::Server(answer)),
            _ => return Err(unexpected()),
        }
    }
}

fn unexpected() -> Error {
    Error::protocol("a message is not one of a login")
}

fn parameters(config: &Config) -> impl Iterator<Item = (&str, &str)> {
    let always = [
        ("client_encoding", "UTF8"),
        ("user", config.user.as_str()),
        ("application_name", config.application_name.as_str()),
    ];
    let database = config.dbname.as_deref().map(|name| ("database", name));
    let options = config.options.as_deref().map(|options| ("options", options));
    always.into_iter().chain(database).chain(options)
}

async fn authenticate(client: &mut Client, config: &Config, end_point: Option<Vec<u8>>) -> Result<()> {
    let password = || config.password.as_deref().ok_or(Error::NoPassword);
    match next(client).await? {
        Message::AuthenticationOk => return check_bound(config, false),
        Message::AuthenticationCleartextPassword => {
            check_bound(config, false)?;
            let password = password()?;
            client.send(|out| frontend::password_message(password.as_bytes(), out)).await?;
        }
        Message::AuthenticationMd5Password(asked) => {
            check_bound(config, false)?;
            let hash = md5_hash(config.user.as_bytes(), password()?.as_bytes(), asked.salt());
            client.send(|out| frontend::password_message(hash.as_bytes(), out)).await?;
        }
        Message::AuthenticationSasl(asked) => scram(client, config, &asked, end_point).await?,
        _ => return Err(NO_WAY),
    }
    match next(client).await? {
        Message::AuthenticationOk => Ok(()),
        _ => Err(unexpected()),
    }
}

async fn next(client: &mut Client) -> Result<Message> {
    match client.receive(None).await? {
        Received::Other(message) => Ok(message),
        Received::Error(answer) => Err(Error::Server(answer)),
        _ => Err(unexpected()),
    }
}

fn check_bound(config: &Config, is_bound: bool) -> Result<()> {
    if is_bound || config.channel_binding != ChannelBinding::Require { Ok(()) } else { Err(NOT_BOUND) }
}

async fn scram(
    client: &mut Client,
    config: &Config,
    asked: &AuthenticationSaslBody,
    end_point: Option<Vec<u8>>,
) -> Result<()> {
    let password = config.password.as_deref().ok_or(Error::NoPassword)?;
    let known: Vec<String> = asked.mechanisms().map(|name| Ok(name.to_owned())).collect().map_err(|_| unexpected())?;
    let has = |name: &str| known.iter().any(|known| known == name);
    let end_point = end_point.filter(|_| config.channel_binding != ChannelBinding::Disable);
    let (binding, mechanism) = match end_point {
        Some(end_point) if has(sasl::SCRAM_SHA_256_PLUS) => {
            (sasl::ChannelBinding::tls_server_end_point(end_point), sasl::SCRAM_SHA_256_PLUS)
        }
        // The server can tell from it when somebody between left the other mechanism out.
        Some(_) if has(sasl::SCRAM_SHA_256) => (sasl::ChannelBinding::unrequested(), sasl::SCRAM_SHA_256),
        None if has(sasl::SCRAM_SHA_256) => (sasl::ChannelBinding::unsupported(), sasl::SCRAM_SHA_256),
        _ => return Err(NO_WAY),
    };
    check_bound(config, mechanism == sasl::SCRAM_SHA_256_PLUS)?;

    let mut scram = ScramSha256::new(password.as_bytes(), binding);
    client.send(|out| frontend::sasl_initial_response(mechanism, scram.message(), out)).await?;
    let Message::AuthenticationSaslContinue(challenge) = next(client).await? else { return Err(unexpected()) };
    if rounds(challenge.data()) == Some(0) {
        return Err(Error::protocol("the challenge of the login asks for no round of hashing"));
    }
    // The server says how often the password is hashed (the library takes up to 100,000 times): not on a thread of the runtime.
    let hashing = spawn_blocking(move || scram.update(challenge.data()).map(|()| scram));
    let hashed = hashing.await.map_err(|_| Error::protocol("the password could not be hashed"))?;
    let mut scram = hashed.map_err(|_| Error::protocol("the challenge of the login is not right"))?;
    client.send(|out| frontend::sasl_response(scram.message(), out)).await?;
    let Message::AuthenticationSaslFinal(proof) = next(client).await? else { return Err(unexpected()) };
    scram.finish(proof.data()).map_err(|_| Error::protocol("the server could not prove that it knows the password"))
}

/// How often the password is to be hashed: `r=<nonce>,s=<salt>,i=<rounds>` (RFC 5802).
fn rounds(challenge: &[u8]) -> Option<u32> {
    str::from_utf8(challenge).ok()?.split(',').find_map(|part| part.strip_prefix("i="))?.parse().ok()
}
