//! structuredClone: copies a value and every object that it refers to. Not recursive, so a deeply nested value can't
//! overflow the stack.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

use javy::quickjs::{Array, Ctx, Error, Function, Object, Result, Value};

use crate::glue::json::{Kind, Names, RawValue, out_of_memory};

/// Returns the function that copies a value. `classes` contains an object of each class that can be copied, with the
/// functions that copy it if its contents are not its members. `refused` returns the error for any other value.
pub fn cloner<'js>(ctx: Ctx<'js>, classes: Array<'js>, refused: Function<'js>) -> Result<Function<'js>> {
    let classes = Classes { by_id: Class::all(&ctx, &classes)?, refused };
    Function::new(ctx, move |ctx: Ctx<'js>, value: Value<'js>| {
        let mut cloner = Cloner { ctx: &ctx, classes: &classes, copies: HashMap::default(), open: Vec::new() };
        let copy = cloner.value(RawValue::of(&ctx, &value))?;
        while cloner.step()? {}
        Ok::<_, Error>(copy.to_value())
    })
}

struct Classes<'js> {
    /// The classes at the indices of their ids.
    by_id: Vec<Option<Class<'js>>>,
    refused: Function<'js>,
}

/// How the objects of a class are copied.
enum Class<'js> {
    /// By their members.
    Plain,
    /// By functions.
    Special(Special<'js>),
}

/// The functions that copy an object whose contents are not its members. See `js/clone.js`.
struct Special<'js> {
    copy: Function<'js>,
    buffer: Option<Function<'js>>,
    children: Option<Function<'js>>,
    fill: Option<Function<'js>>,
}

impl<'js> Class<'js> {
    /// Returns the classes at the indices of their ids.
    fn all(ctx: &Ctx<'js>, classes: &Array<'js>) -> Result<Vec<Option<Self>>> {
        let mut by_id = Vec::new();
        for class in classes.iter::<Array<'js>>() {
            let class = class?;
            let id = RawValue::of(ctx, &class.get(0)?).class() as usize;
            by_id.resize_with(by_id.len().max(id + 1), || None);
            by_id[id] = Some(class.get::<Option<Object<'js>>>(1)?.map_or(Ok(Self::Plain), Self::special)?);
        }
        Ok(by_id)
    }

    fn special(functions: Object<'js>) -> Result<Self> {
        let (buffer, children, fill) = (functions.get("buffer")?, functions.get("children")?, functions.get("fill")?);
        Ok(Self::Special(Special { copy: functions.get("copy")?, buffer, children, fill }))
    }
}

struct Cloner<'c, 'js> {
    ctx: &'c Ctx<'js>,
    classes: &'c Classes<'js>,
    /// The objects that were copied, by their addresses, with their copies. The objects are kept, because an address could
    /// otherwise become that of another object.
    copies: HashMap<usize, (RawValue<'c, 'js>, RawValue<'c, 'js>), BuildHasherDefault<AddressHasher>>,
    /// The objects that are partly copied, outermost first.
    open: Vec<Open<'c, 'js>>,
}

/// A partly copied object or array.
struct Open<'c, 'js> {
    source: RawValue<'c, 'js>,
    copy: RawValue<'c, 'js>,
    names: Names<'c, 'js>,
    /// The index of the next name.
    next: i64,
    /// The length of an array.
    length: Option<i64>,
    /// The function that takes the copied children, and the object that they are for.
    fill: Option<(&'c Function<'js>, RawValue<'c, 'js>)>,
}

impl<'c, 'js> Cloner<'c, 'js> {
    /// Returns the copy of a value. The copy of an object is filled later.
    fn value(&mut self, value: RawValue<'c, 'js>) -> Result<RawValue<'c, 'js>> {
        match value.kind() {
            Kind::Object => self.object(value),
            Kind::Symbol => Err(self.refused(&value)),
            _ => Ok(value),
        }
    }

    fn object(&mut self, source: RawValue<'c, 'js>) -> Result<RawValue<'c, 'js>> {
        if let Some((_, copy)) = self.copies.get(&source.address()) {
            return Ok(copy.clone());
        }
        let classes = self.classes;
        match classes.by_id.get(source.class() as usize) {
            None | Some(None) => Err(self.refused(&source)),
            Some(Some(Class::Special(special))) => self.special(source, special),
            Some(Some(Class::Plain)) => {
                let copy = if source.is_array() { RawValue::array(self.ctx)? } else { RawValue::object(self.ctx)? };
                self.remember(&source, &copy)?;
                self.begin(source, copy.clone(), None)?;
                Ok(copy)
            }
        }
    }

    fn special(&mut self, source: RawValue<'c, 'js>, special: &'c Special<'js>) -> Result<RawValue<'c, 'js>> {
        let handle = source.to_value();
        let buffer = match &special.buffer {
            Some(buffer) => Some(self.object(RawValue::of(self.ctx, &buffer.call((handle.clone(),))?))?),
            None => None,
        };
        let copy: Value<'js> = special.copy.call((handle.clone(), buffer.map(|buffer| buffer.to_value())))?;
        let copy = RawValue::of(self.ctx, &copy);
        self.remember(&source, &copy)?;
        if let (Some(children), Some(fill)) = (&special.children, &special.fill) {
            let children: Value<'js> = children.call((handle,))?;
            self.begin(RawValue::of(self.ctx, &children), RawValue::array(self.ctx)?, Some((fill, copy.clone())))?;
        }
        Ok(copy)
    }

    fn remember(&mut self, source: &RawValue<'c, 'js>, copy: &RawValue<'c, 'js>) -> Result<()> {
        self.copies.try_reserve(1).map_err(|_| out_of_memory(self.ctx))?;
        self.copies.insert(source.address(), (source.clone(), copy.clone()));
        Ok(())
    }

    /// Starts to copy the members of an object.
    fn begin(
        &mut self,
        source: RawValue<'c, 'js>,
        copy: RawValue<'c, 'js>,
        fill: Option<(&'c Function<'js>, RawValue<'c, 'js>)>,
    ) -> Result<()> {
        let names = source.names()?;
        let length = if source.is_array() { Some(source.length()?) } else { None };
        self.open.try_reserve(1).map_err(|_| out_of_memory(self.ctx))?;
        self.open.push(Open { source, copy, names, next: 0, length, fill });
        Ok(())
    }

    /// Copies the next member of the innermost object. Returns false at the end.
    fn step(&mut self) -> Result<bool> {
        let Some(innermost) = self.open.len().checked_sub(1) else { return Ok(false) };
        let open = &mut self.open[innermost];
        if open.next == open.names.len() {
            return self.end().map(|()| true);
        }
        let name = open.names.name(open.next);
        open.next += 1;
        let member = open.source.member(name)?;
        // A getter may have deleted it.
        if member.kind() != Kind::Undefined || open.source.has_own(name)? {
            let member = self.value(member)?;
            self.open[innermost].copy.define(name, member)?;
        }
        Ok(true)
    }

    fn end(&mut self) -> Result<()> {
        let Some(Open { copy, length, fill, .. }) = self.open.pop() else { return Ok(()) };
        if let Some(length) = length {
            copy.set_length(length)?;
        }
        match fill {
            Some((fill, target)) => fill.call((target.to_value(), copy.to_value())),
            None => Ok(()),
        }
    }

    fn refused(&self, value: &RawValue<'c, 'js>) -> Error {
        match self.classes.refused.call::<_, Value<'js>>((value.to_value(), value.is_proxy())) {
            Ok(error) => self.ctx.throw(error),
            Err(error) => error,
        }
    }
}

/// Hashes an address, of which the lowest bits are always 0.
#[derive(Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_usize(usize::from(*byte)));
    }

    fn write_usize(&mut self, address: usize) {
        self.0 = (self.0 ^ address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 ^= self.0 >> 32;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
