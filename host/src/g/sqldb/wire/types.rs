//! Types of the server, as far as values need them.

use std::{
    collections::{HashMap, HashSet},
    fmt::Write,
    sync::Arc,
};

use postgres_protocol::Oid;
use postgres_types::{Kind, Type as Builtin};

use super::{
    client::Client,
    error::{Error, Result},
};
use crate::ErrorCode;

/// How deep types may be made of others: an array of a domain of an array takes 3. A server that says more is lying.
const DEPTH: usize = 32;
/// How many types a statement may need that have to be looked up. A row has 1,664 columns at the most.
const LOOKED_UP: usize = 1_000;
/// How many types a connection keeps.
const KEPT: usize = 1_000;

/// A type. A domain is what it is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// One that every server has by this number, and made of no other here.
    Builtin(Builtin),
    /// Any other: an enum, a composite, an extension's. What it is to a script is its text.
    Other(Oid),
    Array {
        item: Arc<Type>,
        /// The number of the items' type, which may be a domain.
        oid: Oid,
        /// What stands between the items of its text.
        separator: char,
    },
}

impl Type {
    /// A type that needs no look-up.
    pub(crate) fn builtin(oid: Oid) -> Option<Self> {
        Builtin::from_oid(oid).map(Self::from)
    }

    pub(crate) fn is(&self, builtin: &Builtin) -> bool {
        matches!(self, Self::Builtin(own) if own == builtin)
    }

    pub(crate) fn is_json(&self) -> bool {
        self.is(&Builtin::JSON) || self.is(&Builtin::JSONB)
    }

    /// What an error calls it.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Builtin(builtin) => builtin.name().to_owned(),
            Self::Other(oid) => format!("number {oid}"),
            Self::Array { item, .. } => format!("{}[]", item.name()),
        }
    }
}

impl From<Builtin> for Type {
    fn from(builtin: Builtin) -> Self {
        match builtin.kind() {
            // Their text has no braces, and no SQL makes another of them.
            Kind::Array(_) if matches!(builtin, Builtin::INT2_VECTOR | Builtin::OID_VECTOR) => Self::Builtin(builtin),
            Kind::Array(item) => Self::Array {
                oid: item.oid(),
                separator: if *item == Builtin::BOX { ';' } else { ',' },
                item: Arc::new(item.clone().into()),
            },
            _ => Self::Builtin(builtin),
        }
    }
}

/// The types that a connection has looked up. A number stands for one type as long as that exists.
#[derive(Default)]
pub(super) struct Types(HashMap<Oid, Type>);

/// What the catalogue says of a type.
struct Entry {
    /// Of its items, if it is an array.
    item: Option<Oid>,
    /// What it is made of, if it is a domain.
    base: Option<Oid>,
    /// Of an array of it, or of its own items.
    separator: char,
}

impl Client {
    /// A type that is built in or was looked up.
    pub(crate) fn known_type(&self, oid: Oid) -> Option<Type> {
        Type::builtin(oid).or_else(|| self.types.0.get(&oid).cloned())
    }

    /// Types by their numbers, looked up where that is needed.
    ///
    /// Fails with `limit` for more of them, or deeper ones, than a server can mean.
    pub(crate) async fn types(&mut self, oids: &[Oid]) -> Result<Vec<Type>> {
        let unknown: HashSet<Oid> = oids.iter().copied().filter(|oid| self.known_type(*oid).is_none()).collect();
        if !unknown.is_empty() {
            self.look_up(unknown).await?;
        }
        Ok(oids.iter().map(|oid| self.known_type(*oid).unwrap_or(Type::Other(*oid))).collect())
    }

    async fn look_up(&mut self, wanted: HashSet<Oid>) -> Result<()> {
        let mut found = HashMap::new();
        let mut next = wanted.clone();
        for _ in 0..DEPTH {
            if next.is_empty() {
                break;
            }
            if found.len() + next.len() > LOOKED_UP {
                return Err(too_many());
            }
            for (oid, entry) in self.entries(&next).await? {
                if !next.contains(&oid) {
                    return Err(self.protocol_error("a type comes that was not asked for"));
                }
                found.insert(oid, entry);
            }
            let parts = found.values().flat_map(|entry| [entry.item, entry.base]).flatten();
            next = parts.filter(|oid| !found.contains_key(oid) && self.known_type(*oid).is_none()).collect();
        }
        if !next.is_empty() {
            return Err(too_many());
        }
        if self.types.0.len() + found.len() > KEPT {
            self.types.0.clear();
        }
        for oid in wanted {
            let ty = self.build(oid, &found, DEPTH)?;
            self.types.0.insert(oid, ty);
        }
        Ok(())
    }

    fn build(&self, oid: Oid, found: &HashMap<Oid, Entry>, depth: usize) -> Result<Type> {
        let depth = depth.checked_sub(1).ok_or_else(too_many)?;
        if let Some(known) = self.known_type(oid) {
            return Ok(known);
        }
        Ok(match found.get(&oid) {
            Some(Entry { base: Some(base), .. }) => self.build(*base, found, depth)?,
            Some(Entry { item: Some(item), separator, .. }) => {
                Type::Array { item: Arc::new(self.build(*item, found, depth)?), oid: *item, separator: *separator }
            }
            _ => Type::Other(oid),
        })
    }

    async fn entries(&mut self, oids: &HashSet<Oid>) -> Result<Vec<(Oid, Entry)>> {
        let mut list = String::new();
        for oid in oids {
            let separator = if list.is_empty() { "" } else { "," };
            // Writing to a String does not fail.
            let _ = write!(list, "{separator}{oid}");
        }
        // An array is what the type of its items calls one. Others have items too: a point, two numbers.
        let sql = format!(
            "SELECT t.oid, CASE WHEN e.typarray = t.oid THEN e.oid END, CASE t.typtype WHEN 'd' THEN t.typbasetype END, \
             t.typdelim FROM pg_catalog.pg_type t LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem \
             WHERE t.oid IN ({list})"
        );
        let rows = self.small_rows(&sql, oids.len()).await?;
        let entries = rows.iter().map(|row| entry(row));
        entries.collect::<Option<_>>().ok_or_else(|| self.protocol_error("the description of a type is not right"))
    }
}

fn entry(row: &[Option<Vec<u8>>]) -> Option<(Oid, Entry)> {
    let [oid, item, base, separator] = row else { return None };
    let number = |value: &Option<Vec<u8>>| match value {
        Some(digits) => std::str::from_utf8(digits).ok()?.parse().ok().map(Some),
        None => Some(None),
    };
    let [separator] = separator.as_deref()? else { return None };
    let entry = Entry { item: number(item)?, base: number(base)?, separator: char::from(*separator) };
    Some((number(oid)??, entry))
}

fn too_many() -> Error {
    Error::Limit(crate::Error::new(
        ErrorCode::Limit,
        format!("the statement needs more than {LOOKED_UP} types that are not built in, or deeper ones than {DEPTH}"),
    ))
}
