//! JSON of the script's values, by a writer of our own: `JSON.stringify` drops what it does not know without a word, and takes
//! longer.
//!
//! It writes what `JSON.stringify` writes, byte for byte, and differs in what it refuses. It does not call itself, so no
//! value is nested too deep for the stack.

mod classes;
mod held;
mod out;
mod path;
#[cfg(test)]
mod tests;

use javy::quickjs::{self, Ctx, Value, atom::PredefinedAtom};

use super::{Kept, fault::Fault, place::Place};
use classes::Class;
pub use classes::Classes;
use held::{Held, Kind, Names};
use out::Out;
pub use out::out_of_memory;
pub use path::{Path, Step};

/// The deepest nesting of data that is stored, as the host has it.
pub const DEPTH: usize = 1_000;
const PROMISE: &str = "a Promise";
/// The deepest nesting of other JSON.
const RESULT_DEPTH: usize = 20_000;

/// What a value loses by being written is refused.
pub fn strict(place: &Place<'_>, value: &Value<'_>) -> Result<String, Fault> {
    let trouble = match write(value, Rules::Strict) {
        Ok(Written { text: Some(text), .. }) => return Ok(text),
        Ok(Written { text: None, .. }) => Trouble::Refused(Path::default(), "undefined"),
        Err(Trouble::Thrown(error)) => return Err(error.into()),
        Err(trouble) => trouble,
    };
    let message = trouble.message(|path| format!("{place}{path}"));
    Err(if matches!(trouble, Trouble::TooDeep(_)) { Fault::Bounds(message) } else { Fault::Kind(message) })
}

/// What a value becomes by `JSON.stringify`.
pub fn loose(value: &Value<'_>) -> Result<Written, Trouble> {
    write(value, Rules::Loose)
}

/// What became of a value.
#[derive(Debug)]
pub struct Written {
    /// None for what has no JSON: `undefined`, a function, a symbol.
    pub text: Option<String>,
    /// What the text does not show, though nothing was refused.
    pub lost: Option<Lost>,
}

/// The first Map or the like in what was written.
#[derive(Debug, PartialEq, Eq)]
pub struct Lost {
    path: Path,
    /// With its article.
    what: &'static str,
    /// Whether the text shows some of it.
    has_members: bool,
    /// How many such values there are.
    count: usize,
}

impl Lost {
    /// What is not shown, in words. `place` names a part of the value.
    pub fn message(&self, place: impl Fn(&Path) -> String) -> String {
        let Self { path, what, has_members, count } = self;
        let shown = match has_members {
            true => "of which JSON shows only its own enumerable members",
            false => "which JSON shows as {}",
        };
        let advice = if *what == PROMISE { ": await it" } else { "" };
        let more = if *count > 1 { format!(" (the first of {count} such values)") } else { String::new() };
        format!("{} is {what}, {shown}{advice}{more}", place(path))
    }
}

/// Why a value was not written.
#[derive(Debug)]
pub enum Trouble {
    /// The script's own code threw, or there is no memory.
    Thrown(quickjs::Error),
    /// Something in it, which JSON can't hold.
    Refused(Path, &'static str),
    /// An object inside of itself: where it was met again, and where it was first.
    Cycle(Path, Path),
    /// It is nested deeper than this.
    TooDeep(usize),
}

impl From<quickjs::Error> for Trouble {
    fn from(error: quickjs::Error) -> Self {
        Self::Thrown(error)
    }
}

impl Trouble {
    /// What is wrong, in words that name the place; what was thrown is given back.
    /// What is wrong, in words. `place` names a part of the value.
    pub fn message(&self, place: impl Fn(&Path) -> String) -> String {
        match self {
            Self::Thrown(error) => error.to_string(),
            Self::Refused(path, what) => {
                let advice = if *what == PROMISE { ": await it" } else { "" };
                format!("{} is {what}, which JSON can't hold{advice}", place(path))
            }
            Self::Cycle(path, first) => {
                format!("{} is {} again, a cycle, which JSON can't hold", place(path), place(first))
            }
            Self::TooDeep(limit) => {
                format!("{} is nested deeper than the limit of {limit} levels", place(&Path::default()))
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rules {
    /// Nothing is lost.
    Strict,
    /// As `JSON.stringify`.
    Loose,
}

fn write(value: &Value<'_>, rules: Rules) -> Result<Written, Trouble> {
    let ctx = value.ctx();
    let kept = Kept::of(ctx)?;
    let out = Out::new(ctx);
    let mut writer = Writer { ctx, classes: &kept.classes, rules, out, open: Vec::new(), lost: None };
    if !writer.top(Held::of(ctx, value))? {
        return Ok(Written { text: None, lost: None });
    }
    while writer.step()? {}
    Ok(Written { text: Some(writer.out.finish()?), lost: writer.lost })
}

struct Writer<'c, 'js> {
    ctx: &'c Ctx<'js>,
    classes: &'c Classes<'js>,
    rules: Rules,
    out: Out<'c, 'js>,
    /// The objects and arrays that are not at their end, outermost first.
    open: Vec<Open<'c, 'js>>,
    lost: Option<Lost>,
}

/// An object or array of which a part is written.
struct Open<'c, 'js> {
    object: Held<'c, 'js>,
    members: Members<'c, 'js>,
    /// The next item or name.
    next: i64,
    is_first: bool,
}

enum Members<'c, 'js> {
    Items(i64),
    Named(Names<'c, 'js>),
}

/// What a value is the value of.
#[derive(Clone, Copy)]
enum Owner {
    Nothing,
    Array,
    Object,
}

impl<'c, 'js> Writer<'c, 'js> {
    /// The value as a whole; false when it has no JSON.
    fn top(&mut self, value: Held<'c, 'js>) -> Result<bool, Trouble> {
        let value = self.replaced(value, Owner::Nothing)?;
        self.value(value, Owner::Nothing)
    }

    /// Writes the next part of the innermost object or array; false at the end of all.
    fn step(&mut self) -> Result<bool, Trouble> {
        let Some(open) = self.open.last_mut() else { return Ok(false) };
        let index = open.next;
        open.next += 1;
        match &open.members {
            Members::Items(length) if index < *length => {
                let item = open.object.item(index)?;
                self.out.push(if index > 0 { "," } else { "" })?;
                let item = self.replaced(item, Owner::Array)?;
                self.value(item, Owner::Array)?;
            }
            Members::Named(names) if index < names.len() => {
                let member = open.object.member(names.name(index))?;
                let member = self.replaced(member, Owner::Object)?;
                self.member(index, member)?;
            }
            Members::Items(_) => self.close("]")?,
            Members::Named(_) => self.close("}")?,
        }
        Ok(true)
    }

    fn close(&mut self, bracket: &str) -> Result<(), Trouble> {
        self.open.pop();
        Ok(self.out.push(bracket)?)
    }

    /// Writes a member, with its name, if it has JSON.
    fn member(&mut self, index: i64, member: Held<'c, 'js>) -> Result<(), Trouble> {
        if self.is_absent(&member, Owner::Object)? {
            return Ok(());
        }
        let (out, open) = (&mut self.out, &mut self.open);
        if let Some(Open { members: Members::Named(names), is_first, .. }) = open.last_mut() {
            out.push(if std::mem::take(is_first) { "" } else { "," })?;
            names.with_bytes(index, |name| out.quoted(name))??;
            out.push(":")?;
        }
        self.value(member, Owner::Object)?;
        Ok(())
    }

    /// What `toJSON` makes of a value, where it has one.
    fn replaced(&mut self, value: Held<'c, 'js>, owner: Owner) -> Result<Held<'c, 'js>, Trouble> {
        if !matches!(value.kind(), Kind::Object | Kind::BigInt) {
            return Ok(value);
        }
        let to_json = value.member(PredefinedAtom::ToJSON as u32)?;
        if !to_json.is_function() {
            return Ok(value);
        }
        let replaced = to_json.call(&value, &self.name(owner)?)?;
        match replaced.kind() {
            Kind::Null if self.is_strict() && self.is_invalid_date(&value, &to_json)? => {
                Err(self.refused("an invalid Date"))
            }
            Kind::Undefined if self.is_strict() && !matches!(owner, Owner::Object) => {
                Err(self.refused("an object whose toJSON returns undefined"))
            }
            _ => Ok(replaced),
        }
    }

    fn is_invalid_date(&self, value: &Held<'c, 'js>, to_json: &Held<'c, 'js>) -> Result<bool, Trouble> {
        let is_date = value.kind() == Kind::Object && self.classes.of(value)? == Class::Date;
        Ok(is_date && self.classes.is_date_to_json(to_json) && self.classes.is_invalid_date(value.to_value())?)
    }

    /// The name of the value at hand.
    fn name(&self, owner: Owner) -> Result<Held<'c, 'js>, Trouble> {
        let open = self.open.last().filter(|_| !matches!(owner, Owner::Nothing));
        Ok(match open {
            None => Held::empty_string(self.ctx)?,
            Some(Open { members: Members::Items(_), next, .. }) => Held::index(self.ctx, next - 1)?,
            Some(Open { members: Members::Named(names), next, .. }) => names.to_text(next - 1)?,
        })
    }

    /// Whether a value has no JSON by itself, which may not be.
    fn is_absent(&self, value: &Held<'c, 'js>, owner: Owner) -> Result<bool, Trouble> {
        let what = match value.kind() {
            Kind::Undefined if matches!(owner, Owner::Object) => return Ok(true),
            Kind::Undefined => "undefined",
            Kind::Symbol => "a symbol",
            Kind::Object if value.is_function() => "a function",
            _ => return Ok(false),
        };
        if self.is_strict() { Err(self.refused(what)) } else { Ok(true) }
    }

    /// Writes a primitive value, or opens an object or array; false for the value as a whole that has no JSON.
    fn value(&mut self, value: Held<'c, 'js>, owner: Owner) -> Result<bool, Trouble> {
        match value.kind() {
            Kind::Whole(number) => self.out.whole(number)?,
            Kind::Number(number) if number.is_finite() => self.out.number(number)?,
            Kind::String => value.with_bytes(|text| self.out.quoted(text))??,
            Kind::Boolean(boolean) => self.boolean(boolean)?,
            Kind::Null => self.out.push("null")?,
            Kind::Number(number) if self.is_strict() => return Err(self.refused(named(number))),
            Kind::Number(_) => self.out.push("null")?,
            Kind::BigInt => return Err(self.refused("a BigInt")),
            Kind::Object | Kind::Undefined | Kind::Symbol => match (self.is_absent(&value, owner)?, owner) {
                (false, _) => self.object(value)?,
                (true, Owner::Array) => self.out.push("null")?,
                (true, _) => return Ok(false),
            },
        }
        Ok(true)
    }

    fn boolean(&mut self, boolean: bool) -> Result<(), Trouble> {
        Ok(self.out.push(if boolean { "true" } else { "false" })?)
    }

    fn object(&mut self, object: Held<'c, 'js>) -> Result<(), Trouble> {
        let class = self.classes.of(&object)?;
        match class {
            _ if object.is_proxy() => {}
            Class::Boolean => {
                let boolean = self.classes.boolean(object.to_value())?;
                return self.boolean(boolean);
            }
            Class::Number => return self.primitive(object.to_number()?),
            Class::String => return self.primitive(object.to_text()?),
            Class::RawJson => {
                return Ok(object.raw_json()?.with_bytes(|text| self.out.raw(text))??);
            }
            Class::BigInt => return Err(self.refused("a BigInt")),
            _ => {}
        }
        if self.is_strict() {
            self.not_lost(class)?;
        }
        self.begin(object, class)
    }

    fn primitive(&mut self, value: Held<'c, 'js>) -> Result<(), Trouble> {
        self.value(value, Owner::Array).map(drop)
    }

    /// Refuses what holds more than its members.
    fn not_lost(&self, class: Class) -> Result<(), Trouble> {
        match class {
            Class::Lost(what) | Class::Told(what) => Err(self.refused(what)),
            Class::Promise => Err(self.refused(PROMISE)),
            Class::Date => Err(self.refused("a Date without its toJSON")),
            _ => Ok(()),
        }
    }

    /// Opens an object or array.
    fn begin(&mut self, object: Held<'c, 'js>, class: Class) -> Result<(), Trouble> {
        if let Some(depth) = self.open.iter().position(|open| open.object.is(&object)) {
            return Err(Trouble::Cycle(self.path(), Path(self.steps().take(depth).collect())));
        }
        if self.open.len() >= self.limit() {
            return Err(Trouble::TooDeep(self.limit()));
        }
        let members = match object.target()?.as_ref().unwrap_or(&object).is_array() {
            true => Members::Items(object.length()?),
            false => Members::Named(object.names()?),
        };
        let is_empty = matches!(&members, Members::Named(names) if names.len() == 0);
        if self.is_strict() && is_empty && !object.is_proxy() && object.has_private_names()? {
            return Err(self.refused("an object of which all members are private"));
        }
        self.note(class, !is_empty);
        self.out.push(if matches!(members, Members::Items(_)) { "[" } else { "{" })?;
        self.open.try_reserve(1).map_err(|_| out_of_memory(self.ctx))?;
        self.open.push(Open { object, members, next: 0, is_first: true });
        Ok(())
    }

    /// Remembers what should not go without a word.
    fn note(&mut self, class: Class, has_members: bool) {
        let what = match class {
            Class::Told(what) => what,
            Class::Promise => PROMISE,
            _ => return,
        };
        match &mut self.lost {
            Some(first) => first.count += 1,
            None => self.lost = Some(Lost { path: self.path(), what, has_members, count: 1 }),
        }
    }

    fn is_strict(&self) -> bool {
        self.rules == Rules::Strict
    }

    fn limit(&self) -> usize {
        if self.is_strict() { DEPTH } else { RESULT_DEPTH }
    }

    fn refused(&self, what: &'static str) -> Trouble {
        Trouble::Refused(self.path(), what)
    }

    /// Where the value at hand is.
    fn path(&self) -> Path {
        Path(self.steps().collect())
    }

    fn steps(&self) -> impl Iterator<Item = Step> {
        self.open.iter().map(|open| match &open.members {
            Members::Items(_) => Step::Item(open.next - 1),
            Members::Named(names) => {
                let name = names.with_bytes(open.next - 1, |name| String::from_utf8_lossy(name).into_owned());
                Step::Member(name.unwrap_or_else(|_| {
                    drop(self.ctx.catch());
                    "\u{fffd}".to_owned()
                }))
            }
        })
    }
}

/// A number that JSON does not have.
fn named(number: f64) -> &'static str {
    match number {
        _ if number.is_nan() => "NaN",
        f64::INFINITY => "Infinity",
        _ => "-Infinity",
    }
}
