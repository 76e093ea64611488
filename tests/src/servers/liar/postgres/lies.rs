//! The lies: what is sent in the place of a message.

use std::io;

use super::{
    Liar, Lie,
    message::{column, field, message, with_length},
};

/// The tags of all messages of a server, and one of none.
const TAGS: &[u8] = b"RKSZ123CDEGHINTAVWcdnstv\0";
/// Lengths that are none, and lengths that nobody has room for.
const LENGTHS: [i32; 12] = [0, 1, 3, 4, 5, -1, -2, i32::MIN, i32::MAX, 1 << 30, 100_000_000, 2_000_000];

impl Liar {
    /// Whether the lie is one of a kind of message, whatever its place.
    pub(super) fn always_lies(&self, tag: u8) -> bool {
        match self.lie {
            Lie::RowCount | Lie::RowLength | Lie::LargeValue | Lie::Rows => tag == b'D',
            Lie::Columns | Lie::ManyColumns => matches!(tag, b'T' | b't'),
            Lie::Complete => tag == b'C',
            _ => false,
        }
    }

    /// Sends the lie in the place of a message.
    pub(super) async fn lie(&mut self, tag: u8, body: &[u8]) -> io::Result<()> {
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

    /// A login by SCRAM that goes wrong, or one that is not known.
    pub(super) async fn strange_login(&mut self) -> io::Result<()> {
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
}
