//! A server in memory that answers each request with bytes that were made before.

use postgres_protocol::message::backend;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, duplex, split},
    task::JoinHandle,
};

use crate::g::sqldb::wire::{Client, Config, error::Result, login::login, socket::Opened};

/// A message.
pub(super) fn message(tag: u8, body: &[u8]) -> Vec<u8> {
    let length = i32::try_from(body.len() + 4).unwrap();
    [&[tag][..], &length.to_be_bytes(), body].concat()
}

/// A text with its end.
pub(super) fn text(text: &str) -> Vec<u8> {
    [text.as_bytes(), &[0]].concat()
}

pub(super) fn authentication(kind: i32, more: &[u8]) -> Vec<u8> {
    message(backend::AUTHENTICATION_TAG, &[&kind.to_be_bytes()[..], more].concat())
}

pub(super) fn ready() -> Vec<u8> {
    message(backend::READY_FOR_QUERY_TAG, b"I")
}

pub(super) fn complete(tag: &str) -> Vec<u8> {
    message(backend::COMMAND_COMPLETE_TAG, &text(tag))
}

pub(super) fn parameter(name: &str, value: &str) -> Vec<u8> {
    message(backend::PARAMETER_STATUS_TAG, &[text(name), text(value)].concat())
}

pub(super) fn error(severity: &str, code: &str, message: &str) -> Vec<u8> {
    let fields = [('S', severity), ('V', severity), ('C', code), ('M', message)];
    let fields = fields.map(|(kind, value)| text(&format!("{kind}{value}")));
    self::message(backend::ERROR_RESPONSE_TAG, &[fields.concat(), vec![0]].concat())
}

pub(super) fn notice(length: usize) -> Vec<u8> {
    let body = [b"SNOTICE\0M".to_vec(), vec![b'x'; length], vec![0, 0]].concat();
    message(backend::NOTICE_RESPONSE_TAG, &body)
}

/// The beginning of a connection without a password.
pub(super) fn welcome() -> Vec<u8> {
    let key = message(backend::BACKEND_KEY_DATA_TAG, &[0; 8]);
    [authentication(0, &[]), parameter("client_encoding", "UTF8"), key, ready()].concat()
}

pub(super) fn parameter_types(oids: &[u32]) -> Vec<u8> {
    let count = u16::try_from(oids.len()).unwrap().to_be_bytes().to_vec();
    let body = oids.iter().fold(count, |body, oid| [body, oid.to_be_bytes().to_vec()].concat());
    message(backend::PARAMETER_DESCRIPTION_TAG, &body)
}

/// Columns: types and formats.
pub(super) fn columns(columns: &[(u32, i16)]) -> Vec<u8> {
    let mut body = u16::try_from(columns.len()).unwrap().to_be_bytes().to_vec();
    for (at, (oid, format)) in columns.iter().enumerate() {
        body.extend(text(&format!("c{at}")));
        body.extend([0; 6]);
        body.extend(oid.to_be_bytes());
        body.extend([0; 6]);
        body.extend(format.to_be_bytes());
    }
    message(backend::ROW_DESCRIPTION_TAG, &body)
}

pub(super) fn row(values: &[Option<&[u8]>]) -> Vec<u8> {
    let mut body = u16::try_from(values.len()).unwrap().to_be_bytes().to_vec();
    for value in values {
        let length = value.map_or(-1, |value| i32::try_from(value.len()).unwrap());
        body.extend(length.to_be_bytes());
        body.extend(value.unwrap_or_default());
    }
    message(backend::DATA_ROW_TAG, &body)
}

/// What `describe` is answered.
pub(super) fn described(types: &[u32], of_columns: &[u32]) -> Vec<u8> {
    let of_columns: Vec<_> = of_columns.iter().map(|oid| (*oid, 0)).collect();
    let parsed = message(backend::PARSE_COMPLETE_TAG, &[]);
    [parsed, parameter_types(types), columns(&of_columns), ready()].concat()
}

/// What `execute` is answered.
pub(super) fn carried_out(of_columns: &[(u32, i16)], rows: &[Vec<u8>]) -> Vec<u8> {
    let [parsed, bound] = [backend::PARSE_COMPLETE_TAG, backend::BIND_COMPLETE_TAG].map(|tag| message(tag, &[]));
    [parsed, bound, columns(of_columns), rows.concat(), complete("SELECT 1"), ready()].concat()
}

/// What a small statement of the client's own is answered.
pub(super) fn small(of_columns: &[(u32, i16)], rows: &[Vec<u8>]) -> Vec<u8> {
    [columns(of_columns), rows.concat(), complete("SELECT 1"), ready()].concat()
}

/// Answers each request with the next bytes, and hangs up after the last.
pub(super) fn answering(answers: Vec<Vec<u8>>) -> DuplexStream {
    let (client, server) = duplex(64 << 10);
    let _task: JoinHandle<Option<()>> = tokio::spawn(async move {
        let (mut reader, mut writer) = split(server);
        for (at, answer) in answers.into_iter().enumerate() {
            request(&mut reader, at == 0).await?;
            writer.write_all(&answer).await.ok()?;
        }
        None
    });
    client
}

/// Answers each request with what a function makes of it; the first is the start of the connection.
pub(super) fn serve(
    capacity: usize,
    mut answer: impl FnMut(Vec<u8>) -> Option<Vec<u8>> + Send + 'static,
) -> DuplexStream {
    let (client, server) = duplex(capacity);
    let _task: JoinHandle<Option<()>> = tokio::spawn(async move {
        let (mut reader, mut writer) = split(server);
        let mut is_first = true;
        loop {
            let asked = request(&mut reader, is_first).await?;
            is_first = false;
            writer.write_all(&answer(asked)?).await.ok()?;
        }
    });
    client
}

/// The next request: all up to the message that asks for an answer. None when the client is gone.
async fn request(reader: &mut ReadHalf<DuplexStream>, is_first: bool) -> Option<Vec<u8>> {
    let mut asked = Vec::new();
    loop {
        let tag = if is_first { 0 } else { reader.read_u8().await.ok()? };
        let length = reader.read_u32().await.ok()?;
        let mut body = vec![0; usize::try_from(length).ok()?.checked_sub(4)?];
        reader.read_exact(&mut body).await.ok()?;
        asked.extend(body);
        match tag {
            b'X' => return None,
            0 | b'S' | b'Q' | b'p' | b'c' => return Some(asked),
            _ => {}
        }
    }
}

/// Logs in.
pub(super) async fn client(stream: DuplexStream) -> Result<Client> {
    let config = Config { user: "u".to_owned(), password: Some("p".to_owned()), ..Config::default() };
    login(Opened { stream: Box::new(stream), end_point: None }, &config).await
}
