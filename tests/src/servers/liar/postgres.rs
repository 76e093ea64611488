//! PostgreSQL's protocol, honestly and not.
//!
//! The name of the database is the seed; the user `patient` has a server that never ends a conversation by itself.

mod answers;
mod lie;
mod lies;
mod message;
mod sql;

use std::{collections::HashMap, io};

use fastrand::Rng;

use self::{
    answers::Portal,
    message::{int, message},
};
use super::Line;

pub use lie::Lie;

/// A type that a client has to ask for.
const STRANGE: u32 = 70_000;

/// Starts a server that lies, and returns its port.
pub fn start() -> u16 {
    super::start(serve)
}

async fn serve(mut line: Line) -> io::Result<()> {
    let Some(startup) = startup(&mut line).await? else { return Ok(()) };
    let option = |name: &str| {
        let mut texts = startup.split(|byte| *byte == 0);
        texts.find(|text| *text == name.as_bytes())?;
        Some(String::from_utf8_lossy(texts.next()?).into_owned())
    };
    let seed = option("database").and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut random = Rng::with_seed(seed);
    let lie = Lie::of(seed);
    // To end a conversation that pauses would be a lie, too.
    if lie == Lie::None || option("user").is_some_and(|user| user == "patient") {
        line.be_patient();
    }
    // The client says more than one thing in a login, and a few for a statement.
    let at = if random.bool() { random.usize(..8) } else { random.usize(..30) };
    let mut liar = Liar {
        line,
        random,
        lie,
        at,
        number: 0,
        late: None,
        statements: HashMap::new(),
        portals: HashMap::new(),
        types: 0,
        in_transaction: false,
    };
    liar.login().await?;
    liar.ready().await?;
    loop {
        liar.answer().await?;
    }
}

/// The options of the client, when it asks for a session.
async fn startup(line: &mut Line) -> io::Result<Option<Vec<u8>>> {
    loop {
        let head = line.read(8).await?;
        let length = usize::try_from(int(&head, 0)).unwrap_or_default().saturating_sub(8);
        let rest = line.read(length.min(1 << 16)).await?;
        match int(&head, 4) {
            // TLS and GSSAPI are not supported.
            80_877_103 | 80_877_104 => line.say(b"N").await?,
            // A cancel request closes the connection.
            80_877_102 => return Ok(None),
            _ => return Ok(Some(rest)),
        }
    }
}

struct Liar {
    line: Line,
    random: Rng,
    lie: Lie,
    /// The number of the message that is the lie, where every one can be.
    at: usize,
    number: usize,
    late: Option<Vec<u8>>,
    statements: HashMap<String, String>,
    portals: HashMap<String, Portal>,
    /// How many types were asked for.
    types: u32,
    in_transaction: bool,
}

impl Liar {
    /// Sends a message, or the lie.
    async fn send(&mut self, tag: u8, body: &[u8]) -> io::Result<()> {
        let is_now = self.number == self.at;
        self.number += 1;
        let late = self.late.take();
        if is_now || self.always_lies(tag) {
            self.lie(tag, body).await?;
        } else {
            self.line.say(&message(tag, body)).await?;
        }
        match late {
            Some(late) => self.line.say(&late).await,
            None => Ok(()),
        }
    }

    async fn login(&mut self) -> io::Result<()> {
        if self.lie == Lie::Login {
            return self.strange_login().await;
        }
        let asked: &[u8] = self.random.choice([&[][..], &[0, 0, 0, 3], &[0, 0, 0, 5, 1, 2, 3, 4]]).unwrap_or_default();
        if !asked.is_empty() {
            self.send(b'R', asked).await?;
            self.read().await?;
        }
        self.send(b'R', &[0; 4]).await?;
        for (name, value) in [("server_version", "15.0"), ("client_encoding", "UTF8"), ("integer_datetimes", "on")] {
            self.send(b'S', format!("{name}\0{value}\0").as_bytes()).await?;
        }
        self.send(b'K', &[0, 0, 0, 7, 0, 0, 0, 8]).await
    }

    async fn ready(&mut self) -> io::Result<()> {
        self.send(b'Z', if self.in_transaction { b"T" } else { b"I" }).await
    }

    async fn read(&mut self) -> io::Result<(u8, Vec<u8>)> {
        let head = self.line.read(5).await?;
        let length = usize::try_from(int(&head, 1)).unwrap_or_default().saturating_sub(4);
        Ok((head[0], self.line.read(length).await?))
    }
}
