//! Reads the arguments of a call into a tuple.

use serde::{
    Deserializer,
    de::{DeserializeOwned, DeserializeSeed, Error as _, SeqAccess, Visitor, value::Error as Mismatch},
    forward_to_deserialize_any,
};

use crate::{Error, data::validate::skip_string};

/// Reads arguments, each of which is JSON.
pub(super) fn read<T: DeserializeOwned>(arguments: &[String]) -> Result<T, Error> {
    T::deserialize(Arguments(arguments)).map_err(|error| Error::wrong_kind(error.to_string()))
}

/// An estimate, from above, of the memory that `serde_json::Value` needs for a JSON text in addition to its strings.
pub(super) fn tree_bytes(json: &str) -> usize {
    /// An item of an array, which grows by doubling.
    const ITEM: usize = 64;
    /// A member of an object: its name and its value, in a tree whose nodes are half full.
    const MEMBER: usize = 128;
    /// The first node of an object.
    const OBJECT: usize = 640;
    let (mut bytes, mut rest) = (ITEM, json.bytes());
    while let Some(byte) = rest.next() {
        match byte {
            b',' | b'[' => bytes += ITEM,
            b':' => bytes += MEMBER,
            b'{' => bytes += OBJECT,
            b'"' => skip_string(&mut rest),
            _ => {}
        }
    }
    bytes
}

struct Arguments<'a>(&'a [String]);

impl Arguments<'_> {
    fn check_count(&self, most: usize) -> Result<(), Mismatch> {
        let takes = match most {
            _ if self.0.len() <= most => return Ok(()),
            0 => "no arguments".to_owned(),
            1 => "1 argument".to_owned(),
            _ => format!("{most} arguments"),
        };
        Err(Mismatch::custom(format!("the method takes {takes}, not {}", self.0.len())))
    }
}

impl<'de> Deserializer<'de> for Arguments<'de> {
    type Error = Mismatch;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_seq(Items { given: self.0, next: 0, count: self.0.len() })
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, count: usize, visitor: V) -> Result<V::Value, Mismatch> {
        self.check_count(count)?;
        visitor.visit_seq(Items { given: self.0, next: 0, count })
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        count: usize,
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        self.deserialize_tuple(count, visitor)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        self.check_count(0)?;
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit_struct newtype_struct
        seq map struct enum identifier ignored_any
    }
}

struct Items<'a> {
    given: &'a [String],
    next: usize,
    /// The number of items to read, of which the last ones may be missing.
    count: usize,
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Mismatch;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Mismatch> {
        let index = self.next;
        if index >= self.count {
            return Ok(None);
        }
        self.next += 1;
        let given = self.given.get(index);
        let mut json = serde_json::Deserializer::from_str(given.map_or("null", String::as_str));
        let read = seed.deserialize(&mut json).and_then(|item| json.end().map(|()| item));
        read.map(Some).map_err(|error| match given {
            Some(_) => Mismatch::custom(format!("arguments[{index}]: {}", without_position(&error))),
            None => Mismatch::custom(format!("arguments[{index}] is missing")),
        })
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.count - self.next)
    }
}

/// A message without the line and column, which are those of a text that the script does not see.
fn without_position(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    message.strip_suffix(&position).unwrap_or(&message).to_owned()
}
