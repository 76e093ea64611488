//! PostgreSQL's protocol, honestly and not.
//!
//! The name of the database is the seed; the user `patient` has a server that never ends a conversation by itself.

use std::{collections::HashMap, io};

use fastrand::Rng;

use super::Line;

/// The types that a column may be of: some are known to every client, the last ones to none.
const TYPES: [u32; 14] = [23, 25, 16, 17, 20, 114, 700, 1007, 1114, 1186, 1700, 3802, STRANGE, STRANGE + 1];
/// A type that a client has to ask for.
const STRANGE: u32 = 70_000;
/// The tags of all messages of a server, and one of none.
const TAGS: &[u8] = b"RKSZ123CDEGHINTAVWcdnstv\0";
/// Lengths that are none, and lengths that nobody has room for.
const LENGTHS: [i32; 12] = [0, 1, 3, 4, 5, -1, -2, i32::MIN, i32::MAX, 1 << 30, 100_000_000, 2_000_000];

/// What is not as it should be in a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lie {
    /// Nothing: the client and the server understand each other.
    None,
    /// The length of a message is another one, and as much follows.
    Length,
    /// A message has another content of the same length.
    Body,
    /// A few bytes of a message are others.
    Flip,
    /// A message is of another kind.
    Tag,
    /// A message ends in its middle: nothing more comes.
    Half,
    /// A message ends in its middle, and the connection with it.
    Close,
    /// The same without a farewell.
    Reset,
    /// Nothing more comes.
    Stall,
    /// A byte at a time, for ever.
    Drip,
    /// A message that nobody asked for.
    Insert,
    /// A message comes for ever.
    Repeat,
    /// A message does not come.
    Skip,
    /// A message comes after the next one.
    Late,
    /// Bytes that are no message, for ever.
    Noise,
    /// Notices for ever.
    Notices,
    /// Parameters of the session for ever, each with a name of its own.
    Parameters,
    /// Notifications for ever.
    Notifications,
    /// "Ready" for ever.
    Ready,
    /// An error of 50 MB.
    LargeError,
    /// An error with fields that none has.
    StrangeError,
    /// An error that ends the session, and does not.
    Fatal,
    /// A row with another number of values.
    RowCount,
    /// A row with a value of another length.
    RowLength,
    /// A value of 1 GB.
    LargeValue,
    /// Small rows for ever.
    Rows,
    /// Columns of other types, names and formats than they have.
    Columns,
    /// As many columns or parameters as there can be.
    ManyColumns,
    /// A tag of a command that counts beyond all numbers.
    Complete,
    /// A login that is none, or that costs the client all its time.
    Login,
    /// A copy that has no end.
    Copy,
    /// A type that is made of itself.
    TypeOfItself,
    /// A type that is made of another, and that of another, and so on.
    TypeOfAnother,
    /// A type that is made of any other, which may be made of it.
    TypeOfMany,
    /// A type that is not there, or there twice.
    TypeOfNothing,
}

impl Lie {
    const ALL: [Self; 35] = [
        Self::None,
        Self::Length,
        Self::Body,
        Self::Flip,
        Self::Tag,
        Self::Half,
        Self::Close,
        Self::Reset,
        Self::Stall,
        Self::Drip,
        Self::Insert,
        Self::Repeat,
        Self::Skip,
        Self::Late,
        Self::Noise,
        Self::Notices,
        Self::Parameters,
        Self::Notifications,
        Self::Ready,
        Self::LargeError,
        Self::StrangeError,
        Self::Fatal,
        Self::RowCount,
        Self::RowLength,
        Self::LargeValue,
        Self::Rows,
        Self::Columns,
        Self::ManyColumns,
        Self::Complete,
        Self::Login,
        Self::Copy,
        Self::TypeOfItself,
        Self::TypeOfAnother,
        Self::TypeOfMany,
        Self::TypeOfNothing,
    ];

    /// The lie of a conversation.
    pub fn of(seed: u64) -> Self {
        Self::ALL[usize::try_from(seed).unwrap_or_default() % Self::ALL.len()]
    }
}

/// Starts a server that lies; its port.
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
    if option("user").is_some_and(|user| user == "patient") {
        line.be_patient();
    }
    let mut random = Rng::with_seed(seed);
    let lie = Lie::of(seed);
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
            // TLS and GSSAPI are not had.
            80_877_103 | 80_877_104 => line.say(b"N").await?,
            // To cancel is to close.
            80_877_102 => return Ok(None),
            _ => return Ok(Some(rest)),
        }
    }
}

fn int(bytes: &[u8], at: usize) -> i32 {
    bytes[at..].first_chunk().map_or(0, |bytes| i32::from_be_bytes(*bytes))
}

fn message(tag: u8, body: &[u8]) -> Vec<u8> {
    with_length(tag, i32::try_from(body.len() + 4).unwrap_or(i32::MAX), body)
}

fn with_length(tag: u8, length: i32, body: &[u8]) -> Vec<u8> {
    [&[tag], length.to_be_bytes().as_slice(), body].concat()
}

fn field(kind: u8, text: &str) -> Vec<u8> {
    [&[kind], text.as_bytes(), &[0]].concat()
}

/// A statement and the formats of its results.
#[derive(Clone, Default)]
struct Portal {
    sql: String,
    formats: Vec<i16>,
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

    /// Whether the lie is one of a kind of message, whatever its place.
    fn always_lies(&self, tag: u8) -> bool {
        match self.lie {
            Lie::RowCount | Lie::RowLength | Lie::LargeValue | Lie::Rows => tag == b'D',
            Lie::Columns | Lie::ManyColumns => matches!(tag, b'T' | b't'),
            Lie::Complete => tag == b'C',
            _ => false,
        }
    }

    async fn lie(&mut self, tag: u8, body: &[u8]) -> io::Result<()> {
        let honest = message(tag, body);
        match self.lie {
            Lie::Length => self.wrong_length(tag, body).await,
            Lie::Body => {
                let noise: Vec<u8> = body.iter().map(|_| self.random.u8(..)).collect();
                self.line.say(&message(tag, &noise)).await
            }
            Lie::Flip => {
                let flipped = self.flipped(honest);
                self.line.say(&flipped).await
            }
            Lie::Tag => {
                let tag = self.random.choice(TAGS).copied().unwrap_or_default();
                self.line.say(&message(tag, body)).await
            }
            Lie::Half | Lie::Close | Lie::Reset => {
                let half = self.random.usize(..honest.len());
                self.line.say(&honest[..half]).await?;
                match self.lie {
                    Lie::Half => self.line.stall().await,
                    Lie::Close => self.line.flush().await.and(Err(io::ErrorKind::ConnectionAborted.into())),
                    _ => self.line.reset().await,
                }
            }
            Lie::Stall => self.line.stall().await,
            Lie::Drip => self.line.drip(&honest).await,
            Lie::Insert => {
                let tag = self.random.choice(TAGS).copied().unwrap_or_default();
                let noise: Vec<u8> = (0..self.random.usize(..40)).map(|_| self.random.u8(..)).collect();
                self.line.say(&message(tag, &noise)).await?;
                self.line.say(&honest).await
            }
            Lie::Repeat => self.line.flood(None, |_| honest.clone()).await,
            Lie::Skip => Ok(()),
            Lie::Late => {
                self.late = Some(honest);
                Ok(())
            }
            Lie::Noise => {
                let mut random = self.random.fork();
                self.line.flood(None, |_| (0..4_096).map(|_| random.u8(..)).collect()).await
            }
            Lie::Fatal => {
                let fields =
                    [field(b'S', "FATAL"), field(b'V', "FATAL"), field(b'C', "57P01"), field(b'M', "no"), vec![0]];
                self.line.say(&message(b'E', &fields.concat())).await?;
                self.line.say(&honest).await
            }
            Lie::LargeError | Lie::StrangeError => self.error(&honest).await,
            Lie::Notices | Lie::Parameters | Lie::Notifications | Lie::Ready => self.for_ever().await,
            Lie::RowCount | Lie::RowLength | Lie::LargeValue | Lie::Rows => self.row(body).await,
            Lie::Columns | Lie::ManyColumns => self.columns(tag, body).await,
            Lie::Complete => {
                let tags = ["", "SELECT", "SELECT x", "INSERT 0 99999999999999999999999", "UPDATE -1", "\u{1}", "é"];
                let mut text = self.random.choice(tags).unwrap_or_default().as_bytes().to_vec();
                text.extend(self.random.choice([&[0][..], &[], &[0xff, 0], &[0, 0]]).unwrap_or_default());
                self.line.say(&message(tag, &text)).await
            }
            Lie::None
            | Lie::Login
            | Lie::Copy
            | Lie::TypeOfItself
            | Lie::TypeOfAnother
            | Lie::TypeOfMany
            | Lie::TypeOfNothing => self.line.say(&honest).await,
        }
    }

    async fn wrong_length(&mut self, tag: u8, body: &[u8]) -> io::Result<()> {
        let length = self.random.choice(LENGTHS).unwrap_or_default();
        self.line.say(&with_length(tag, length, body)).await?;
        let missing = usize::try_from(length).unwrap_or_default().saturating_sub(4 + body.len());
        self.line.flood(Some(missing), |_| vec![b'x'; missing.min(64 << 10)]).await
    }

    fn flipped(&mut self, mut bytes: Vec<u8>) -> Vec<u8> {
        for _ in 0..self.random.usize(1..4) {
            let at = self.random.usize(..bytes.len());
            bytes[at] ^= 1 << self.random.u32(..8);
        }
        bytes
    }

    async fn error(&mut self, honest: &[u8]) -> io::Result<()> {
        if self.lie == Lie::LargeError {
            let head = [field(b'S', "ERROR"), field(b'C', "XX000"), vec![b'M']].concat();
            let length = 50 << 20;
            self.line
                .say(&with_length(b'E', 4 + i32::try_from(head.len() + length).unwrap_or(i32::MAX), &head))
                .await?;
            self.line.flood(Some(length - 2), |_| vec![b'm'; (length - 2).min(50 << 10)]).await?;
            // The pieces may have been more than was asked for by a part of the last one.
            return self.line.say(&[0, 0]).await;
        }
        let noise: Vec<u8> = (0..self.random.usize(..200)).map(|_| self.random.u8(..)).collect();
        let bodies = [
            Vec::new(),
            vec![0],
            field(b'C', "42"),
            [field(b'C', "00000"), vec![0]].concat(),
            [field(b'S', "ERROR"), field(b'C', "23505"), field(b'M', "\u{1b}[2J"), field(b'P', "-1"), vec![0]].concat(),
            [field(b'S', "ERROR"), field(b'C', "42601"), field(b'P', "99999999999999999999"), vec![0]].concat(),
            [vec![b'M', 0xff, 0xfe, 0], field(b'C', "é"), vec![0]].concat(),
            (0..10_000).flat_map(|_| field(b'D', "d")).collect(),
            noise,
        ];
        let body = self.random.choice(bodies).unwrap_or_default();
        self.line.say(&message(b'E', &body)).await?;
        self.line.say(honest).await
    }

    async fn for_ever(&mut self) -> io::Result<()> {
        let lie = self.lie;
        let size = self.random.choice([1, 100, 10_000]).unwrap_or(1);
        let text = "t".repeat(size);
        let piece = |number: usize| match lie {
            Lie::Notices => {
                message(b'N', &[field(b'S', "NOTICE"), field(b'C', "00000"), field(b'M', &text), vec![0]].concat())
            }
            Lie::Parameters => message(b'S', format!("name {number}\0{text}\0").as_bytes()),
            Lie::Notifications => message(b'A', format!("\0\0\0\x01channel {number}\0{text}\0").as_bytes()),
            _ => message(b'Z', b"I"),
        };
        self.line.flood(None, piece).await
    }

    async fn row(&mut self, body: &[u8]) -> io::Result<()> {
        match self.lie {
            Lie::RowCount => {
                let count = self.random.choice([0, 1, 2, 4, 1_000, i16::MAX, -1, i16::MIN]).unwrap_or_default();
                let body = [count.to_be_bytes().as_slice(), body.get(2..).unwrap_or_default()].concat();
                self.line.say(&message(b'D', &body)).await
            }
            Lie::RowLength => {
                let mut body = body.to_vec();
                let length = self.random.choice(LENGTHS).unwrap_or_default();
                if let Some(place) = body.get_mut(2..6) {
                    place.copy_from_slice(&length.to_be_bytes());
                }
                self.line.say(&message(b'D', &body)).await
            }
            Lie::LargeValue => {
                let length = 1 << 30;
                let head = [&3_i16.to_be_bytes()[..], &i32::to_be_bytes(length)].concat();
                self.line.say(&with_length(b'D', length + 18, &head)).await?;
                let length = usize::try_from(length).unwrap_or_default();
                self.line.flood(Some(length), |_| vec![b'v'; 64 << 10]).await?;
                self.line.say(&[255; 8]).await
            }
            _ => {
                let row = message(b'D', body);
                self.line.flood(None, |_| row.clone()).await
            }
        }
    }

    async fn columns(&mut self, tag: u8, body: &[u8]) -> io::Result<()> {
        if self.lie == Lie::ManyColumns {
            let count = self.random.choice([1_665_u16, 32_767, 65_535]).unwrap_or_default();
            let one = if tag == b't' { vec![0, 0, 0, 25] } else { column("c", 25, 1) };
            let all = one.repeat(usize::from(count));
            return self.line.say(&message(tag, &[&count.to_be_bytes(), all.as_slice()].concat())).await;
        }
        let count = self.random.choice([0_i16, 1, 2, 4, 100, i16::MAX, -1]).unwrap_or_default();
        let given = [&count.to_be_bytes()[..], body.get(2..).unwrap_or_default()].concat();
        let given = if self.random.bool() { self.flipped(given) } else { given };
        self.line.say(&message(tag, &given)).await
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

    /// A login by SCRAM that goes wrong, or one that is not known.
    async fn strange_login(&mut self) -> io::Result<()> {
        let sasl = |code: u8, text: &[u8]| message(b'R', &[&[0, 0, 0, code], text].concat());
        let many = b"SCRAM-SHA-256\0".repeat(4_000);
        match self.random.usize(..8) {
            0 => {
                let code = self.random.u8(..);
                self.line.say(&sasl(code, b"")).await?;
            }
            1 => self.line.say(&sasl(10, b"")).await?,
            2 => self.line.say(&sasl(10, b"SCRAM-SHA-512\0\0")).await?,
            3 => self.line.say(&sasl(10, &many)).await?,
            4 => self.line.say(&sasl(12, b"v=AAAA")).await?,
            5 => self.line.say(&message(b'v', &[0, 3, 0, 0, 0x7f, 0xff, 0xff, 0xff])).await?,
            _ => {
                self.line.say(&sasl(10, b"SCRAM-SHA-256\0\0")).await?;
                let (_, asked) = self.read().await?;
                let asked = String::from_utf8_lossy(&asked).into_owned();
                let nonce = asked.split("r=").nth(1).unwrap_or_default();
                let often = self.random.choice(["4294967295", "2000000000", "100000", "4096", "0", "-1", "x"]);
                let first = format!("r={nonce}liar,s=c2FsdA==,i={}", often.unwrap_or_default());
                self.line.say(&sasl(11, first.as_bytes())).await?;
                self.read().await?;
                self.line.say(&sasl(12, b"v=AAAA")).await?;
            }
        }
        self.line.say(&message(b'R', &[0; 4])).await
    }

    async fn ready(&mut self) -> io::Result<()> {
        self.send(b'Z', if self.in_transaction { b"T" } else { b"I" }).await
    }

    async fn read(&mut self) -> io::Result<(u8, Vec<u8>)> {
        let head = self.line.read(5).await?;
        let length = usize::try_from(int(&head, 1)).unwrap_or_default().saturating_sub(4);
        Ok((head[0], self.line.read(length).await?))
    }

    /// Answers one message of the client.
    async fn answer(&mut self) -> io::Result<()> {
        let (tag, body) = self.read().await?;
        let mut texts = body.split(|byte| *byte == 0).map(|text| String::from_utf8_lossy(text).into_owned());
        let mut text = || texts.next().unwrap_or_default();
        match tag {
            b'P' => {
                self.statements.insert(text(), text());
                self.send(b'1', &[]).await
            }
            b'B' => {
                let (portal, statement) = (text(), text());
                let rest = body.get(portal.len() + statement.len() + 2..).unwrap_or_default();
                let sql = self.statements.get(&statement).cloned().unwrap_or_default();
                self.portals.insert(portal, Portal { sql, formats: formats(rest) });
                self.send(b'2', &[]).await
            }
            b'D' => {
                let name = String::from_utf8_lossy(body.get(1..).unwrap_or_default()).trim_matches('\0').to_owned();
                let of_statement = body.first() == Some(&b'S');
                let portal = match of_statement {
                    true => self.statements.get(&name).map(|sql| Portal { sql: sql.clone(), formats: Vec::new() }),
                    false => self.portals.get(&name).cloned(),
                };
                self.describe(&portal.unwrap_or_default(), of_statement).await
            }
            b'E' => {
                let portal = self.portals.get(&text()).cloned().unwrap_or_default();
                self.execute(&portal).await
            }
            b'Q' => {
                let text = text();
                for sql in text.split(';').map(str::trim).filter(|sql| !sql.is_empty()) {
                    if returns_rows(sql) {
                        self.describe(&Portal { sql: sql.to_owned(), formats: Vec::new() }, false).await?;
                    }
                    self.execute(&Portal { sql: sql.to_owned(), formats: Vec::new() }).await?;
                }
                self.ready().await
            }
            b'C' => self.send(b'3', &[]).await,
            b'S' => self.ready().await,
            b'X' => Err(io::ErrorKind::ConnectionAborted.into()),
            _ => Ok(()),
        }
    }

    /// What a statement takes and gives; of one that is bound, what it gives, and how.
    async fn describe(&mut self, Portal { sql, formats }: &Portal, of_statement: bool) -> io::Result<()> {
        if of_statement {
            let count = (1..=9).filter(|number| sql.contains(&format!("${number}"))).count();
            // A number of a type, or a text.
            let ty = if is_about_types(sql) { 26 } else { 25 };
            let types = [&[0, u8::try_from(count).unwrap_or_default()][..], &[0, 0, 0, ty].repeat(count)].concat();
            self.send(b't', &types).await?;
        }
        if !returns_rows(sql) {
            return self.send(b'n', &[]).await;
        }
        let columns = self.columns_of(sql);
        let mut body = i16::try_from(columns.len()).unwrap_or(i16::MAX).to_be_bytes().to_vec();
        for (at, (name, ty)) in columns.iter().enumerate() {
            body.extend(column(name, *ty, format_of(formats, at)));
        }
        self.send(b'T', &body).await
    }

    /// The columns of a statement: those of a look at the catalog have names that say what they are.
    fn columns_of(&self, sql: &str) -> Vec<(String, u32)> {
        if is_about_types(sql) {
            return selected(sql)
                .into_iter()
                .map(|name| {
                    let ty = catalog_type(&name);
                    (name, ty)
                })
                .collect();
        }
        let strange = matches!(self.lie, Lie::TypeOfItself | Lie::TypeOfAnother | Lie::TypeOfMany | Lie::TypeOfNothing);
        let third = match self.lie {
            Lie::None => 16,
            _ if strange => STRANGE,
            _ => TYPES[self.at % TYPES.len()],
        };
        vec![("number".to_owned(), 23), ("text".to_owned(), 25), ("third".to_owned(), third)]
    }

    async fn execute(&mut self, portal: &Portal) -> io::Result<()> {
        let sql = portal.sql.as_str();
        if sql.contains("FROM STDIN") {
            self.send(b'G', &[0, 0, 3, 0, 0, 0, 0, 0, 0]).await?;
            loop {
                match self.read().await?.0 {
                    b'c' | b'S' => break,
                    b'f' => {
                        return self.send(b'E', &[field(b'S', "ERROR"), field(b'C', "57014"), vec![0]].concat()).await;
                    }
                    _ => {}
                }
            }
            return self.send(b'C', b"COPY 2\0").await;
        }
        if sql.contains("TO STDOUT") || self.lie == Lie::Copy {
            self.send(b'H', &[0, 0, 3, 0, 0, 0, 0, 0, 0]).await?;
            let line = message(b'd', b"1\ttext\t\\N\n");
            if self.lie == Lie::Copy {
                return self.line.flood(None, |_| line.clone()).await;
            }
            self.line.say(&line).await?;
            self.send(b'c', &[]).await?;
            return self.send(b'C', b"COPY 1\0").await;
        }
        let count = if returns_rows(sql) { self.rows(portal).await? } else { 0 };
        let verb = sql.split_whitespace().next().unwrap_or("SELECT").to_uppercase();
        match verb.as_str() {
            "BEGIN" => self.in_transaction = true,
            "COMMIT" | "ROLLBACK" => self.in_transaction = false,
            _ => {}
        }
        self.send(b'C', format!("{verb} {count}\0").as_bytes()).await
    }

    async fn rows(&mut self, portal: &Portal) -> io::Result<usize> {
        let columns = self.columns_of(&portal.sql);
        let about_types = is_about_types(&portal.sql);
        let asked = asked(&portal.sql);
        let count = match (about_types, self.lie) {
            (true, Lie::TypeOfNothing) => self.random.choice([0, asked.len() + 1]).unwrap_or_default(),
            (true, _) => asked.len(),
            (false, _) => 3,
        };
        for row in 0..count {
            let oid = asked.get(row).copied().unwrap_or(STRANGE);
            let mut body = i16::try_from(columns.len()).unwrap_or(i16::MAX).to_be_bytes().to_vec();
            for (at, (name, ty)) in columns.iter().enumerate() {
                let is_binary = format_of(&portal.formats, at) == 1;
                let value = match about_types {
                    true => self.of_type(oid, name, is_binary),
                    false => self.value(*ty, is_binary),
                };
                body.extend(i32::try_from(value.len()).unwrap_or(i32::MAX).to_be_bytes());
                body.extend(value);
            }
            self.send(b'D', &body).await?;
        }
        Ok(count)
    }

    fn value(&mut self, ty: u32, is_binary: bool) -> Vec<u8> {
        match (ty, is_binary) {
            (23, true) => 42_i32.to_be_bytes().to_vec(),
            (25, _) => b"text".to_vec(),
            (16, true) => vec![1],
            (_, false) => b"42".to_vec(),
            // Another thing that no honest server does.
            (_, true) => (0..self.random.usize(..24)).map(|_| self.random.u8(..4)).collect(),
        }
    }

    /// A value of the catalog of types.
    fn of_type(&mut self, oid: u32, column: &str, is_binary: bool) -> Vec<u8> {
        let number = match (column, self.lie) {
            ("typdelim", _) => return b",".to_vec(),
            ("typtype", _) => return b"d".to_vec(),
            ("typname" | "nspname", _) => return b"liar".to_vec(),
            ("oid", _) => oid,
            (_, Lie::TypeOfItself) => oid,
            (_, Lie::TypeOfMany) => STRANGE + self.random.u32(..100_000),
            _ => {
                self.types += 1;
                STRANGE + self.types
            }
        };
        if is_binary { number.to_be_bytes().to_vec() } else { number.to_string().into_bytes() }
    }
}

/// A column of a description.
fn column(name: &str, ty: u32, format: i16) -> Vec<u8> {
    let text = [name.as_bytes(), &[0]].concat();
    [&text[..], &[0; 6], &ty.to_be_bytes(), &[0, 4, 0, 0, 0, 0], &format.to_be_bytes()].concat()
}

/// The formats of the results, behind the names in a message that binds.
fn formats(mut rest: &[u8]) -> Vec<i16> {
    let mut short = |length: usize| {
        let (part, left) = rest.split_at_checked(length).unwrap_or_default();
        rest = left;
        part.to_vec()
    };
    let number = |bytes: &[u8]| bytes.first_chunk().map_or(0, |bytes| i16::from_be_bytes(*bytes));
    let count = number(&short(2));
    short(2 * usize::try_from(count).unwrap_or_default());
    for _ in 0..number(&short(2)) {
        let length = int(&[short(4), vec![0; 4]].concat(), 0);
        short(usize::try_from(length).unwrap_or_default());
    }
    (0..number(&short(2))).map(|_| number(&short(2))).collect()
}

/// The format of a column: one stands for all, none for text.
fn format_of(formats: &[i16], at: usize) -> i16 {
    let only = formats.first().filter(|_| formats.len() == 1);
    formats.get(at).or(only).copied().unwrap_or_default()
}

fn returns_rows(sql: &str) -> bool {
    let first = sql.split(|one: char| !one.is_alphabetic()).find(|word| !word.is_empty()).unwrap_or_default();
    ["select", "with", "values", "table", "show"].contains(&first.to_lowercase().as_str())
}

/// Whether it is the client's own question about types.
fn is_about_types(sql: &str) -> bool {
    sql.contains("typdelim") || sql.contains("typbasetype")
}

/// The names that a statement selects, without the tables that they are of.
fn selected(sql: &str) -> Vec<String> {
    let upper = sql.to_uppercase();
    let start = upper.find("SELECT").map_or(0, |at| at + 6);
    let end = upper.find("FROM").unwrap_or(sql.len()).max(start);
    let names = sql[start..end].split(',').map(|one| one.rsplit(['.', ' ', ':']).next().unwrap_or_default().trim());
    names.map(str::to_lowercase).collect()
}

/// The types that a statement asks for by their numbers.
fn asked(sql: &str) -> Vec<u32> {
    let list = sql.rsplit_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("", |(list, _)| list);
    let found: Vec<_> = list.split(',').filter_map(|oid| oid.trim().parse().ok()).collect();
    if found.is_empty() { vec![STRANGE] } else { found }
}

/// The type of a column of the catalog.
fn catalog_type(name: &str) -> u32 {
    match name {
        "typtype" | "typdelim" => 18,
        "typname" | "nspname" => 19,
        _ => 26,
    }
}
