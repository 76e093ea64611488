//! Reads the text of values that a script sends. The text is not trusted: a component may send anything.

use std::fmt::Write;

use mongodb::bson::{
    Binary, Bson, DateTime, Decimal128, Document, JavaScriptCodeWithScope, Regex, Timestamp, Uuid, oid::ObjectId,
    raw::CString, spec::BinarySubtype,
};

use super::{MAX_DEPTH, MAX_DOCUMENT, extended};
use crate::{Error, gate::ByteCounter};

/// What an argument has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::g::documentdb) enum Expected {
    Document,
    Documents,
    /// A document, or an array of them.
    Either,
}

/// Counts the memory of the values that are read.
pub(in crate::g::documentdb) trait Memory {
    fn grow(&mut self, bytes: usize) -> Result<(), Error>;
    fn shrink(&mut self, bytes: usize);
}

impl Memory for ByteCounter {
    fn grow(&mut self, bytes: usize) -> Result<(), Error> {
        Self::grow(self, bytes)
    }

    fn shrink(&mut self, bytes: usize) {
        Self::shrink(self, bytes);
    }
}

#[cfg(test)]
impl Memory for () {
    fn grow(&mut self, _: usize) -> Result<(), Error> {
        Ok(())
    }

    fn shrink(&mut self, _: usize) {}
}

/// The memory of a value in addition to its text.
const VALUE: usize = size_of::<Bson>();
/// The memory of a member in addition to its value and its name.
const MEMBER: usize = 64;
/// The number of bytes that are collected before `Memory` counts them.
const COUNTED_BYTES: usize = 64 << 10;
/// The size from which on a document is refused while it is read, in encoded bytes. More than `MAX_DOCUMENT`, since the
/// Base64 of Extended JSON is longer than its bytes.
const MAX_BYTES: usize = MAX_DOCUMENT / 3 * 4 + 4096;

/// Reads the text of an argument. `argument` is its name, for errors. Also returns the bytes by which `memory` has
/// grown.
pub(in crate::g::documentdb) fn read(
    argument: &str,
    text: &str,
    expected: Expected,
    memory: &mut dyn Memory,
) -> Result<(Bson, usize), Error> {
    let mut reader = Reader::new(text, memory);
    let value = reader.value(0, Extended::Interpreted).and_then(|value| reader.end().map(|()| value));
    let value = value.map_err(|problem| problem.error(argument))?;
    let bytes = reader.memory_of_value().map_err(|problem| problem.error(argument))?;
    let fits = match (&value, expected) {
        (Bson::Document(_), Expected::Document | Expected::Either) => true,
        (Bson::Array(items), Expected::Documents | Expected::Either) => {
            items.iter().all(|item| item.as_document().is_some())
        }
        _ => false,
    };
    if fits { Ok((value, bytes)) } else { Err(wrong(argument, expected)) }
}

/// Reads an array of documents one by one, so that only one tree exists at a time. `each` gets the path of a document
/// and its tree, and returns the bytes that it keeps of the document, which `memory` counts.
pub(in crate::g::documentdb) fn documents(
    argument: &str,
    text: &str,
    memory: &mut dyn Memory,
    each: &mut dyn FnMut(&str, Document) -> Result<usize, Error>,
) -> Result<(), Error> {
    let mut reader = Reader::new(text, memory);
    if reader.peek() != Some(b'[') {
        return Err(wrong(argument, Expected::Documents));
    }
    reader.at += 1;
    let mut index = 0;
    while reader.peek() != Some(b']') {
        let path = format!("{argument}[{index}]");
        let value = reader.value(0, Extended::Interpreted).map_err(|problem| problem.error(&path))?;
        let bytes = reader.memory_of_value().map_err(|problem| problem.error(&path))?;
        let Bson::Document(document) = value else { return Err(wrong(argument, Expected::Documents)) };
        let kept = each(&path, document)?;
        reader.memory.grow(kept)?;
        reader.memory.shrink(bytes);
        index += 1;
    }
    reader.at += 1;
    reader.end().map_err(|problem| problem.error(argument))
}

fn wrong(argument: &str, expected: Expected) -> Error {
    let allowed = match expected {
        Expected::Document => "a document",
        Expected::Documents => "an array of documents",
        Expected::Either => "a document or an array of documents",
    };
    Error::wrong_kind(format!("{argument} must be {allowed}, not a value of Extended JSON"))
}

/// Whether objects such as `{ $oid }` are Extended JSON.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extended {
    /// Yes.
    Interpreted,
    /// No: they are ordinary documents, which the server sent in this form.
    Literal,
}

/// Why a text can't be read.
struct Problem {
    /// The path of the value within the argument, innermost step first.
    path: Vec<Step>,
    message: String,
    scope: Scope,
}

/// What a problem is about.
enum Scope {
    /// The value at the path.
    Value,
    /// The whole argument.
    Argument,
    /// The memory of the run, with the error about it.
    Run(Box<Error>),
}

enum Step {
    Member(String),
    Item(usize),
}

impl Problem {
    fn at(mut self, step: impl FnOnce() -> Step) -> Self {
        if matches!(self.scope, Scope::Value) {
            self.path.push(step());
        }
        self
    }

    fn error(self, argument: &str) -> Error {
        if let Scope::Run(error) = self.scope {
            return *error;
        }
        let mut path = argument.to_owned();
        for step in self.path.iter().rev() {
            // A `String` can't fail.
            let _infallible = match step {
                Step::Member(name) if name.len() <= 60 && !name.contains(|c: char| c.is_control() || c == '.') => {
                    write!(path, ".{name}")
                }
                Step::Member(name) => write!(path, "[{:?}]", name.chars().take(60).collect::<String>()),
                Step::Item(index) => write!(path, "[{index}]"),
            };
        }
        Error::invalid(format!("{path} {}", self.message))
    }
}

fn problem<T>(message: impl Into<String>) -> Result<T, Problem> {
    Err(Problem { path: Vec::new(), message: message.into(), scope: Scope::Value })
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    /// A lower bound of the encoded size of the document that is being read, in bytes.
    encoded: usize,
    memory: &'t mut dyn Memory,
    /// The bytes of the value that is being read: those that `memory` counts, and those that it does not count yet.
    counted: usize,
    pending: usize,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, memory: &'t mut dyn Memory) -> Self {
        Self { text, at: 0, encoded: 0, memory, counted: 0, pending: 0 }
    }

    /// Counts a part of a value: its encoded bytes, and its memory.
    fn count(&mut self, encoded: usize, memory: usize) -> Result<(), Problem> {
        self.encoded += encoded;
        if self.encoded > MAX_BYTES {
            let message = format!("is at least {} bytes, the limit is {MAX_DOCUMENT}", self.encoded);
            return Err(Problem { path: Vec::new(), message, scope: Scope::Argument });
        }
        self.pending += memory;
        if self.pending >= COUNTED_BYTES { self.count_pending() } else { Ok(()) }
    }

    fn count_pending(&mut self) -> Result<(), Problem> {
        let bytes = std::mem::take(&mut self.pending);
        self.counted += bytes;
        let failed = |error| Problem { path: Vec::new(), message: String::new(), scope: Scope::Run(Box::new(error)) };
        self.memory.grow(bytes).map_err(failed)
    }

    /// Counts the rest of a value that was read completely, and returns its bytes. Resets the counters for the next
    /// value.
    fn memory_of_value(&mut self) -> Result<usize, Problem> {
        self.count_pending()?;
        self.encoded = 0;
        Ok(std::mem::take(&mut self.counted))
    }

    /// Takes a text, and counts it.
    fn string(&mut self) -> Result<&'t str, Problem> {
        let text = self.length_prefixed()?;
        self.count(text.len(), text.len())?;
        Ok(text)
    }

    fn malformed<T>(&self) -> Result<T, Problem> {
        problem(format!("is malformed at byte {}", self.at))
    }

    fn end(&self) -> Result<(), Problem> {
        if self.at == self.text.len() { Ok(()) } else { self.malformed() }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, length: usize) -> Result<&'t str, Problem> {
        let taken = self.at.checked_add(length).and_then(|end| self.text.get(self.at..end));
        let Some(taken) = taken else { return self.malformed() };
        self.at += length;
        Ok(taken)
    }

    /// Takes the text before a delimiter, and the delimiter.
    fn until(&mut self, delimiter: char) -> Result<&'t str, Problem> {
        // Numbers are short; a missing delimiter must not cost a scan of the whole text.
        let rest = &self.text.as_bytes()[self.at..];
        let found = rest.iter().take(64).position(|byte| *byte == delimiter as u8);
        let Some(length) = found else { return self.malformed() };
        let taken = self.take(length)?;
        self.at += 1;
        Ok(taken)
    }

    fn parsed<T: std::str::FromStr>(&mut self, delimiter: char) -> Result<T, Problem> {
        match self.until(delimiter)?.parse() {
            Ok(parsed) => Ok(parsed),
            Err(_) => self.malformed(),
        }
    }

    /// Takes a length, a colon, and a text of that many bytes.
    fn length_prefixed(&mut self) -> Result<&'t str, Problem> {
        let length = self.parsed(':')?;
        self.take(length)
    }

    fn value(&mut self, depth: usize, extended: Extended) -> Result<Bson, Problem> {
        let Some(letter) = self.peek() else { return self.malformed() };
        self.at += 1;
        self.count(1, VALUE)?;
        Ok(match letter {
            b'n' => Bson::Null,
            b't' => Bson::Boolean(true),
            b'f' => Bson::Boolean(false),
            b'i' => Bson::Int32(self.parsed(';')?),
            b'l' => Bson::Int64(self.parsed(';')?),
            b'd' => Bson::Double(self.parsed(';')?),
            b's' => Bson::String(self.string()?.to_owned()),
            b'D' => Bson::DateTime(DateTime::from_millis(self.parsed(';')?)),
            b'm' => Bson::MinKey,
            b'M' => Bson::MaxKey,
            b'{' => self.document(b'}', depth, extended)?,
            b'(' => self.document(b')', depth, Extended::Literal)?,
            b'[' => self.array(depth, extended)?,
            _ => self.instance(letter, depth)?,
        })
    }

    /// Reads an instance of a class of `g.documentdb`, or a RegExp.
    fn instance(&mut self, letter: u8, depth: usize) -> Result<Bson, Problem> {
        match letter {
            b'O' => {
                let text = self.take(24)?;
                ObjectId::parse_str(text).map(Bson::ObjectId).or_else(|_| problem("is not 24 hexadecimal digits"))
            }
            b'U' => {
                let text = self.take(36)?;
                Uuid::parse_str(text).map(Bson::from).or_else(|_| problem("is not a UUID"))
            }
            b'N' => decimal(self.length_prefixed()?),
            b'T' => {
                let (time, increment) = (self.parsed(':')?, self.parsed(';')?);
                Ok(Bson::Timestamp(Timestamp { time, increment }))
            }
            b'b' => {
                let subtype: u8 = self.parsed(';')?;
                let base64 = self.length_prefixed()?;
                self.count(base64.len() / 4 * 3, base64.len())?;
                binary(base64, subtype)
            }
            b'R' => {
                let (pattern, options) = (self.string()?, self.string()?);
                pattern_of(pattern, options)
            }
            b'C' => Ok(Bson::JavaScriptCode(self.string()?.to_owned())),
            b'W' => {
                let code = self.string()?.to_owned();
                // The code is a level of its own, and its scope another.
                let depth = Self::deeper(depth)?;
                if !matches!(self.peek(), Some(b'{' | b'(')) {
                    return problem("has a scope that is not a document");
                }
                match self.value(depth, Extended::Interpreted)? {
                    Bson::Document(scope) => Ok(Bson::JavaScriptCodeWithScope(JavaScriptCodeWithScope { code, scope })),
                    _ => problem("has a scope that is not a document"),
                }
            }
            _ => self.malformed(),
        }
    }

    fn deeper(depth: usize) -> Result<usize, Problem> {
        if depth < MAX_DEPTH { Ok(depth + 1) } else { problem(format!("is nested deeper than {MAX_DEPTH} levels")) }
    }

    fn document(&mut self, end: u8, depth: usize, extended: Extended) -> Result<Bson, Problem> {
        let depth = Self::deeper(depth)?;
        let before = self.encoded;
        let mut document = Document::new();
        // Only the document itself is literal. The documents inside it have their own marks.
        while self.peek() != Some(end) {
            let name = self.string()?;
            self.count(1, MEMBER)?;
            if name.contains('\0') {
                return problem("has a member with NUL in its name");
            }
            let value = self.value(depth, Extended::Interpreted);
            let value = value.map_err(|problem| problem.at(|| Step::Member(name.to_owned())))?;
            if document.insert(name, value).is_some() {
                return problem(format!("has two members {name:?}"));
            }
        }
        self.at += 1;
        match extended {
            Extended::Interpreted => {
                let value = extended::interpret(document).or_else(problem)?;
                if value.as_document().is_none() {
                    // The value has fewer bytes than its Extended JSON.
                    self.encoded = before;
                }
                Ok(value)
            }
            Extended::Literal => Ok(Bson::Document(document)),
        }
    }

    fn array(&mut self, depth: usize, extended: Extended) -> Result<Bson, Problem> {
        let depth = Self::deeper(depth)?;
        let mut items = Vec::new();
        while self.peek() != Some(b']') {
            let index = items.len();
            // BSON stores each item with its index as its name.
            self.count(2 + index.checked_ilog10().unwrap_or(0) as usize, 0)?;
            items.push(self.value(depth, extended).map_err(|problem| problem.at(|| Step::Item(index)))?);
        }
        self.at += 1;
        Ok(Bson::Array(items))
    }
}

fn decimal(text: &str) -> Result<Bson, Problem> {
    let parsed: Result<Decimal128, _> = text.parse();
    parsed.map(Bson::Decimal128).or_else(|_| problem("is not a number that a Decimal128 can hold exactly"))
}

fn binary(base64: &str, subtype: u8) -> Result<Bson, Problem> {
    let subtype = BinarySubtype::from(subtype);
    Binary::from_base64(base64, subtype).map(Bson::Binary).or_else(|_| problem("is not Base64"))
}

fn pattern_of(pattern: &str, options: &str) -> Result<Bson, Problem> {
    let text = |text: &str| CString::try_from(text.to_owned()).or_else(|_| problem("contains NUL"));
    Ok(Bson::RegularExpression(Regex { pattern: text(pattern)?, options: text(options)? }))
}
