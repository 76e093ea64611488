//! Converts values of BSON. `documentdb.wit` defines their format.

pub mod classes;
#[cfg(feature = "external")]
mod read;
#[cfg(test)]
mod tests;
#[cfg(feature = "external")]
mod write;

use javy::quickjs::{Ctx, Function, Object, Result, Value, context::EvalOptions};

use super::json::RawValue;
#[cfg(feature = "external")]
pub use read::{result, results};
#[cfg(feature = "external")]
pub use write::{document, documents, filter, pipeline, update};

/// The maximum depth of a document.
const DEPTH: usize = 100;

/// The classes of `g.documentdb` and what the conversions need, read before a script can change it.
pub struct Kit<'js> {
    /// The classes, by their names.
    classes: Object<'js>,
    /// The prototypes of the classes, in the order of [`classes::NAMES`].
    prototypes: Vec<Value<'js>>,
    /// Creates an instance of a class: `make(name, members)`.
    make: Function<'js>,
    /// Creates a RegExp, or returns undefined: `pattern(source, flags)`.
    pattern: Function<'js>,
    /// Returns the names and values of a Map in an array.
    entries: Function<'js>,
    /// The source and the flags of a RegExp.
    source: Function<'js>,
    flags: Function<'js>,
    /// The remarks of objects that were read (`documentdb.wit`), a WeakMap, with its two methods.
    remarks: Value<'js>,
    remark_of: Function<'js>,
    #[cfg_attr(not(feature = "external"), allow(dead_code, reason = "as with sql"))]
    set_remark: Function<'js>,
    /// A model ObjectId, whose shape all others share.
    object_id: Object<'js>,
    ids: ClassIds,
}

/// The class ids of the engine.
struct ClassIds {
    date: u32,
    pattern: u32,
    map: u32,
}

impl<'js> Kit<'js> {
    pub fn new(ctx: &Ctx<'js>) -> Result<Self> {
        let mut options = EvalOptions::default();
        options.filename = Some("ghost:documentdb".to_owned());
        let define: Function = ctx.eval_with_options(include_str!("classes.js"), options)?;
        let random = Function::new(ctx.clone(), crate::builtins::random)?;
        let encode = Function::new(ctx.clone(), classes::encode)?;
        let decode = Function::new(ctx.clone(), classes::decode)?;
        let parts: Object = define.call((random, encode, decode))?;
        let classes: Object = parts.get("classes")?;
        let prototype = |name: &&str| classes.get::<_, Object>(*name)?.get("prototype");
        let make: Function = parts.get("make")?;
        let members = Object::new(ctx.clone())?;
        members.set("text", "")?;
        let id = |example: &str| -> Result<u32> { Ok(RawValue::of(ctx, &ctx.eval::<Value, _>(example)?).class()) };
        Ok(Self {
            prototypes: classes::NAMES.iter().map(prototype).collect::<Result<_>>()?,
            object_id: make.call(("ObjectId", members))?,
            classes,
            make,
            pattern: parts.get("pattern")?,
            entries: parts.get("entries")?,
            source: parts.get("source")?,
            flags: parts.get("flags")?,
            remarks: ctx.eval("new WeakMap()")?,
            remark_of: ctx.eval("WeakMap.prototype.get")?,
            set_remark: ctx.eval("WeakMap.prototype.set")?,
            ids: ClassIds { date: id("new Date()")?, pattern: id("/x/")?, map: id("new Map()")? },
        })
    }

    /// Creates an instance of a class with these members.
    #[cfg(feature = "external")]
    fn instance(&self, ctx: &Ctx<'js>, name: &str, members: &[(&str, Value<'js>)]) -> Result<Value<'js>> {
        let own = Object::new(ctx.clone())?;
        for (name, value) in members {
            super::define(&own, name, value.clone())?;
        }
        self.make.call((name, own))
    }
}
