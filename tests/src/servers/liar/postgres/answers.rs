//! What the server answers to each message of the client.

use std::io;

use super::{
    Liar, Lie, STRANGE,
    message::{column, field, format_of, formats, message},
    sql::{asked, catalog_type, completed, is_about_types, returns_rows, selected},
};

/// The types that a column may be of: some are known to every client, the last ones to none.
const TYPES: [u32; 14] = [23, 25, 16, 17, 20, 114, 700, 1007, 1114, 1186, 1700, 3802, STRANGE, STRANGE + 1];

/// A statement and the formats of its results.
#[derive(Clone, Default)]
pub(super) struct Portal {
    sql: String,
    formats: Vec<i16>,
}

impl Liar {
    /// Answers one message of the client.
    pub(super) async fn answer(&mut self) -> io::Result<()> {
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
        self.send(b'C', format!("{}\0", completed(&verb, count)).as_bytes()).await
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
