//! Writes values of a script as JSON. `JSON.stringify` silently drops values that JSON can't represent, and is slower.
//!
//! The output is that of `JSON.stringify`, byte for byte; only the rejected values differ. The writer is not recursive,
//! so a deeply nested value can't overflow the stack.

mod classes;
mod out;
mod path;
mod raw_value;
#[cfg(test)]
mod tests;
mod written;

use javy::quickjs::{Ctx, Value, atom::PredefinedAtom};

use super::{Intrinsics, argument_path::ArgumentPath, error::CallError};
pub use classes::{Class, Classes};
pub use out::{Out, out_of_memory};
pub use path::{Path, Step};
pub use raw_value::checked;
pub use raw_value::{Kind, Names, RawValue};
use written::PROMISE;
pub use written::{Lost, WriteError, Written};

/// The maximum depth of data that is stored; the host has the same limit.
pub const MAX_DEPTH: usize = 1_000;
/// The maximum depth of other JSON.
const MAX_RESULT_DEPTH: usize = 20_000;

/// Writes a value, and rejects parts that JSON can't represent.
pub fn strict(argument: &ArgumentPath<'_>, value: &Value<'_>) -> Result<String, CallError> {
    let error = match write(value, Rules::Strict) {
        Ok(Written { text: Some(text), .. }) => return Ok(text),
        Ok(Written { text: None, .. }) => WriteError::Refused(Path::default(), "undefined"),
        Err(WriteError::Thrown(error)) => return Err(error.into()),
        Err(error) => error,
    };
    let message = error.message(|path| format!("{argument}{path}"));
    Err(if matches!(error, WriteError::TooDeep(_)) {
        CallError::OutOfBounds(message)
    } else {
        CallError::WrongType(message)
    })
}

/// Writes a value as `JSON.stringify` does.
pub fn loose(value: &Value<'_>) -> Result<Written, WriteError> {
    write(value, Rules::Loose)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rules {
    /// Rejects parts that JSON can't represent.
    Strict,
    /// Like `JSON.stringify`.
    Loose,
}

fn write(value: &Value<'_>, rules: Rules) -> Result<Written, WriteError> {
    let ctx = value.ctx();
    let intrinsics = Intrinsics::of(ctx)?;
    let out = Out::new(ctx);
    let mut writer = Writer { ctx, classes: &intrinsics.classes, rules, out, open: Vec::new(), lost: None };
    if !writer.top(RawValue::of(ctx, value))? {
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
    /// The objects and arrays that are partly written, outermost first.
    open: Vec<Open<'c, 'js>>,
    /// The first value whose content the JSON omits.
    lost: Option<Lost>,
}

/// A partly written object or array.
struct Open<'c, 'js> {
    object: RawValue<'c, 'js>,
    members: Members<'c, 'js>,
    /// The index of the next item or name.
    next: i64,
    is_first: bool,
}

enum Members<'c, 'js> {
    Items(i64),
    Named(Names<'c, 'js>),
}

/// The container of a value.
#[derive(Clone, Copy)]
enum Owner {
    Nothing,
    Array,
    Object,
}

impl<'c, 'js> Writer<'c, 'js> {
    /// Writes the top-level value. Returns false if it has no JSON.
    fn top(&mut self, value: RawValue<'c, 'js>) -> Result<bool, WriteError> {
        let value = self.replaced(value, Owner::Nothing)?;
        self.value(value, Owner::Nothing)
    }

    /// Writes the next part of the innermost object or array. Returns false at the end.
    fn step(&mut self) -> Result<bool, WriteError> {
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

    fn close(&mut self, bracket: &str) -> Result<(), WriteError> {
        self.open.pop();
        Ok(self.out.push(bracket)?)
    }

    /// Writes a member with its name, if its value has JSON.
    fn member(&mut self, index: i64, member: RawValue<'c, 'js>) -> Result<(), WriteError> {
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

    /// Returns the result of `toJSON` if a value has it, and the value otherwise.
    fn replaced(&mut self, value: RawValue<'c, 'js>, owner: Owner) -> Result<RawValue<'c, 'js>, WriteError> {
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

    fn is_invalid_date(&self, value: &RawValue<'c, 'js>, to_json: &RawValue<'c, 'js>) -> Result<bool, WriteError> {
        let is_date = value.kind() == Kind::Object && self.classes.of(value)? == Class::Date;
        Ok(is_date && self.classes.is_date_to_json(to_json) && self.classes.is_invalid_date(value.to_value())?)
    }

    /// Returns the name of the current value.
    fn name(&self, owner: Owner) -> Result<RawValue<'c, 'js>, WriteError> {
        let open = self.open.last().filter(|_| !matches!(owner, Owner::Nothing));
        Ok(match open {
            None => RawValue::empty_string(self.ctx)?,
            Some(Open { members: Members::Items(_), next, .. }) => RawValue::index(self.ctx, next - 1)?,
            Some(Open { members: Members::Named(names), next, .. }) => names.to_text(next - 1)?,
        })
    }

    /// Whether a value has no JSON. With strict rules, rejects it unless it is an undefined member.
    fn is_absent(&self, value: &RawValue<'c, 'js>, owner: Owner) -> Result<bool, WriteError> {
        let what = match value.kind() {
            Kind::Undefined if matches!(owner, Owner::Object) => return Ok(true),
            Kind::Undefined => "undefined",
            Kind::Symbol => "a symbol",
            Kind::Object if value.is_function() => "a function",
            _ => return Ok(false),
        };
        if self.is_strict() { Err(self.refused(what)) } else { Ok(true) }
    }

    /// Writes a primitive value, or opens an object or array. Returns false if a top-level value has no JSON.
    fn value(&mut self, value: RawValue<'c, 'js>, owner: Owner) -> Result<bool, WriteError> {
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

    fn boolean(&mut self, boolean: bool) -> Result<(), WriteError> {
        Ok(self.out.push(if boolean { "true" } else { "false" })?)
    }

    fn object(&mut self, object: RawValue<'c, 'js>) -> Result<(), WriteError> {
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
            self.refuse_omitted(class)?;
        }
        self.begin(object, class)
    }

    fn primitive(&mut self, value: RawValue<'c, 'js>) -> Result<(), WriteError> {
        self.value(value, Owner::Array).map(drop)
    }

    /// Rejects an object with contents other than its members.
    fn refuse_omitted(&self, class: Class) -> Result<(), WriteError> {
        match class {
            Class::Lost(what) | Class::Warned(what) => Err(self.refused(what)),
            Class::Promise => Err(self.refused(PROMISE)),
            Class::Date => Err(self.refused("a Date without its toJSON")),
            _ => Ok(()),
        }
    }

    /// Opens an object or array.
    fn begin(&mut self, object: RawValue<'c, 'js>, class: Class) -> Result<(), WriteError> {
        if let Some(depth) = self.open.iter().position(|open| open.object.is(&object)) {
            return Err(WriteError::Cycle(self.path(), Path(self.steps().take(depth).collect())));
        }
        if self.open.len() >= self.limit() {
            return Err(WriteError::TooDeep(self.limit()));
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

    /// Records an object that the user should be warned about.
    fn note(&mut self, class: Class, has_members: bool) {
        let what = match class {
            Class::Warned(what) => what,
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
        if self.is_strict() { MAX_DEPTH } else { MAX_RESULT_DEPTH }
    }

    fn refused(&self, what: &'static str) -> WriteError {
        WriteError::Refused(self.path(), what)
    }

    /// Returns the path of the current value.
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

/// Returns the name of a number that JSON can't represent.
fn named(number: f64) -> &'static str {
    match number {
        _ if number.is_nan() => "NaN",
        f64::INFINITY => "Infinity",
        _ => "-Infinity",
    }
}
