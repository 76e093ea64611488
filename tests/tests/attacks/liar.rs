//! A server that speaks PostgreSQL's protocol honestly but for one lie.

use std::{
    io::{self, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

/// Letters for the first two packets of a conversation, which have none.
pub const STARTUP: u8 = 0;
pub const TLS: u8 = 1;

/// The reply to a message of the client.
pub enum Reply {
    /// These bytes; the conversation continues.
    Bytes(Vec<u8>),
    /// These bytes without end.
    Flood(Vec<u8>),
    /// The first bytes, then the second without end.
    BytesThenFlood(Vec<u8>, Vec<u8>),
    /// A byte every 20 ms, without end.
    Drip(Vec<u8>),
    /// These bytes, and the end.
    Last(Vec<u8>),
    /// Nothing any more, but the connection stays.
    Silence,
}

/// The reply to a message (its letter, its body) that replaces the honest one; none for the honest one.
pub type Lie = fn(u8, &[u8]) -> Option<Reply>;

/// A server that ends with the process.
pub struct Liar {
    /// On 127.0.0.1.
    pub port: u16,
    told: Arc<AtomicUsize>,
}

impl Liar {
    /// Starts one.
    pub fn start(lie: Lie) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let (port, told) = (listener.local_addr()?.port(), Arc::default());
        let count = Arc::clone(&told);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let told = Arc::clone(&count);
                // Most conversations end with an error: the client has had enough.
                thread::spawn(move || drop(converse(stream, lie, &told)));
            }
        });
        Ok(Self { port, told })
    }

    /// How often it has lied.
    pub fn told(&self) -> usize {
        self.told.load(Ordering::Relaxed)
    }
}

fn converse(mut stream: TcpStream, lie: Lie, told: &AtomicUsize) -> io::Result<()> {
    stream.set_write_timeout(Some(Duration::from_secs(20)))?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    let mut started = false;
    loop {
        let letter = if started { byte(&mut stream)? } else { STARTUP };
        let mut length = [0; 4];
        stream.read_exact(&mut length)?;
        let mut body = vec![0; (u32::from_be_bytes(length) as usize).saturating_sub(4).min(64 << 20)];
        stream.read_exact(&mut body)?;
        let letter = if letter == STARTUP && body == 80_877_103_u32.to_be_bytes() { TLS } else { letter };
        started |= letter == STARTUP;
        let lie = lie(letter, &body);
        told.fetch_add(usize::from(lie.is_some()), Ordering::Relaxed);
        let reply = lie.unwrap_or_else(|| Reply::Bytes(honest(letter, &body)));
        match reply {
            Reply::Bytes(bytes) => stream.write_all(&bytes)?,
            Reply::Flood(bytes) => flood(&mut stream, &bytes)?,
            Reply::BytesThenFlood(first, bytes) => {
                stream.write_all(&first)?;
                flood(&mut stream, &bytes)?;
            }
            Reply::Drip(bytes) => loop {
                for byte in &bytes {
                    stream.write_all(&[*byte])?;
                    thread::sleep(Duration::from_millis(20));
                }
            },
            Reply::Last(bytes) => return stream.write_all(&bytes),
            Reply::Silence => loop {
                byte(&mut stream)?;
            },
        }
    }
}

fn byte(stream: &mut TcpStream) -> io::Result<u8> {
    let mut byte = [0];
    stream.read_exact(&mut byte)?;
    Ok(byte[0])
}

fn flood(stream: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
    let piece = bytes.repeat((1 << 16) / bytes.len().max(1) + 1);
    loop {
        stream.write_all(&piece)?;
    }
}

/// One message.
pub fn message(letter: u8, body: &[u8]) -> Vec<u8> {
    let length = (body.len() as u32 + 4).to_be_bytes();
    [&[letter], length.as_slice(), body].concat()
}

/// A message whose length says this, whatever its body is.
pub fn with_length(letter: u8, length: i32, body: &[u8]) -> Vec<u8> {
    [&[letter], length.to_be_bytes().as_slice(), body].concat()
}

pub fn ready(status: u8) -> Vec<u8> {
    message(b'Z', &[status])
}

pub fn logged_in() -> Vec<u8> {
    let parameter = |text: &str| message(b'S', text.as_bytes());
    let key = message(b'K', &[0, 0, 0, 7, 0, 0, 0, 9]);
    let parameters = [
        parameter("server_version\x0015.4\0"),
        parameter("client_encoding\0UTF8\0"),
        parameter("standard_conforming_strings\0on\0"),
        parameter("integer_datetimes\0on\0"),
    ];
    [message(b'R', &[0; 4]), parameters.concat(), key, ready(b'I')].concat()
}

/// A description of columns: name, OID of the type.
pub fn columns(all: &[(&str, u32)]) -> Vec<u8> {
    let mut body = (all.len() as u16).to_be_bytes().to_vec();
    for (name, oid) in all {
        body.extend(name.as_bytes());
        body.extend([0; 7]);
        body.extend(oid.to_be_bytes());
        body.extend([0, 4, 0xff, 0xff, 0xff, 0xff, 0, 1]);
    }
    message(b'T', &body)
}

/// A row of these values.
pub fn row(values: &[&[u8]]) -> Vec<u8> {
    let mut body = (values.len() as u16).to_be_bytes().to_vec();
    for value in values {
        body.extend((value.len() as u32).to_be_bytes());
        body.extend(*value);
    }
    message(b'D', &body)
}

pub fn complete(tag: &str) -> Vec<u8> {
    message(b'C', &[tag.as_bytes(), b"\0"].concat())
}

pub fn error(fields: &[(u8, &str)]) -> Vec<u8> {
    let mut body = Vec::new();
    for (field, text) in fields {
        body.push(*field);
        body.extend(text.as_bytes());
        body.push(0);
    }
    body.push(0);
    message(b'E', &body)
}

/// The honest reply of a server with one table of one row: `a` is 1.
fn honest(letter: u8, body: &[u8]) -> Vec<u8> {
    match letter {
        STARTUP => logged_in(),
        TLS => b"N".to_vec(),
        b'P' => message(b'1', b""),
        b'D' if body.first() == Some(&b'P') => columns(&[("a", 23)]),
        b'D' => [message(b't', &[0, 0]), columns(&[("a", 23)])].concat(),
        b'B' => message(b'2', b""),
        b'E' => [row(&[&[0, 0, 0, 1]]), complete("SELECT 1")].concat(),
        b'C' => message(b'3', b""),
        b'S' => ready(b'I'),
        b'Q' => {
            let word = String::from_utf8_lossy(body).split([' ', ';', '\0']).next().unwrap_or_default().to_uppercase();
            [complete(&word), ready(if word == "BEGIN" { b'T' } else { b'I' })].concat()
        }
        _ => Vec::new(),
    }
}
