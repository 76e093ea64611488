//! The classes of objects, by the class ids of the engine. A script can change the members of an object, but not its
//! class.

use javy::quickjs::{Ctx, Function, Object, Result, Value};

use super::raw_value::RawValue;

/// How an object is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// By its members or items.
    Plain,
    /// As its primitive value.
    Boolean,
    Number,
    String,
    /// As its text (`JSON.rawJSON`).
    RawJson,
    /// By its `toJSON`.
    Date,
    /// Always rejected, as in `JSON.stringify`.
    BigInt,
    /// Rejected by the strict rules, because its contents are not its members.
    Lost(&'static str),
    /// Rejected by the strict rules; the loose rules report it.
    Warned(&'static str),
    Promise,
}

/// An upper bound for the class ids of the engine.
const MAX_CLASSES: usize = 128;

/// An expression for an object of each class, to read its class id. Classes that this engine does not have are skipped.
const EXAMPLES: [(&str, Class); 48] = [
    ("new Boolean(true)", Class::Boolean),
    ("new Number(1)", Class::Number),
    ("new String('')", Class::String),
    ("JSON.rawJSON('1')", Class::RawJson),
    ("new Date()", Class::Date),
    ("Promise.resolve()", Class::Promise),
    ("new Map()", Class::Warned("a Map")),
    ("new Set()", Class::Warned("a Set")),
    ("new Error()", Class::Warned("an Error")),
    ("new DOMException()", Class::Warned("a DOMException")),
    ("Object(1n)", Class::BigInt),
    ("Object(Symbol())", Class::Lost("a symbol")),
    ("/x/", Class::Lost("a RegExp")),
    ("new WeakMap()", Class::Lost("a WeakMap")),
    ("new WeakSet()", Class::Lost("a WeakSet")),
    ("new WeakRef({})", Class::Lost("a WeakRef")),
    ("new FinalizationRegistry(() => {})", Class::Lost("a FinalizationRegistry")),
    ("new DisposableStack()", Class::Lost("a DisposableStack")),
    ("new AsyncDisposableStack()", Class::Lost("an AsyncDisposableStack")),
    ("new ArrayBuffer(0)", Class::Lost("an ArrayBuffer")),
    ("new SharedArrayBuffer(0)", Class::Lost("a SharedArrayBuffer")),
    ("new DataView(new ArrayBuffer(0))", Class::Lost("a DataView")),
    ("new Int8Array()", Class::Lost("an Int8Array")),
    ("new Uint8Array()", Class::Lost("a Uint8Array")),
    ("new Uint8ClampedArray()", Class::Lost("a Uint8ClampedArray")),
    ("new Int16Array()", Class::Lost("an Int16Array")),
    ("new Uint16Array()", Class::Lost("a Uint16Array")),
    ("new Int32Array()", Class::Lost("an Int32Array")),
    ("new Uint32Array()", Class::Lost("a Uint32Array")),
    ("new BigInt64Array()", Class::Lost("a BigInt64Array")),
    ("new BigUint64Array()", Class::Lost("a BigUint64Array")),
    ("new Float16Array()", Class::Lost("a Float16Array")),
    ("new Float32Array()", Class::Lost("a Float32Array")),
    ("new Float64Array()", Class::Lost("a Float64Array")),
    ("(function* () {})()", Class::Lost("a generator")),
    ("(async function* () {})()", Class::Lost("an async generator")),
    ("[].values()", Class::Lost("an iterator")),
    ("new Map().entries()", Class::Lost("an iterator")),
    ("new Set().values()", Class::Lost("an iterator")),
    ("''[Symbol.iterator]()", Class::Lost("an iterator")),
    ("''.matchAll(/x/g)", Class::Lost("an iterator")),
    ("[].values().map((item) => item)", Class::Lost("an iterator")),
    ("Iterator.from({ next() {} })", Class::Lost("an iterator")),
    ("Iterator.concat([])", Class::Lost("an iterator")),
    ("new Proxy({}, {})", Class::Plain),
    ("[]", Class::Plain),
    ("({})", Class::Plain),
    ("(function () { return arguments; })()", Class::Plain),
];

/// The classes and functions that the writer needs, read before a script can change them.
pub struct Classes<'js> {
    classes: [Class; MAX_CLASSES],
    boolean_value: Function<'js>,
    date_value: Function<'js>,
    date_to_json: Function<'js>,
}

impl<'js> Classes<'js> {
    pub fn new(ctx: &Ctx<'js>) -> Result<Self> {
        let mut classes = [Class::Plain; MAX_CLASSES];
        for (example, class) in EXAMPLES {
            match ctx.eval::<Value, _>(example) {
                Ok(value) => classes[RawValue::of(ctx, &value).class() as usize] = class,
                Err(_) => drop(ctx.catch()),
            }
        }
        let prototype = |name: &str| ctx.globals().get::<_, Object>(name)?.get::<_, Object>("prototype");
        let date = prototype("Date")?;
        Ok(Self {
            classes,
            boolean_value: prototype("Boolean")?.get("valueOf")?,
            date_value: date.get("valueOf")?,
            date_to_json: date.get("toJSON")?,
        })
    }

    /// Returns how an object is written; for a proxy, how its target is.
    pub fn of(&self, object: &RawValue<'_, 'js>) -> Result<Class> {
        let target = object.target()?;
        let class = target.as_ref().unwrap_or(object).class();
        Ok(self.classes.get(class as usize).copied().unwrap_or(Class::Plain))
    }

    /// Returns the value of a Boolean object.
    pub fn boolean(&self, object: Value<'js>) -> Result<bool> {
        self.boolean_value.call((javy::quickjs::function::This(object),))
    }

    /// Whether a Date is invalid; its `toJSON` then returns null.
    pub fn is_invalid_date(&self, object: Value<'js>) -> Result<bool> {
        let time: f64 = self.date_value.call((javy::quickjs::function::This(object),))?;
        Ok(time.is_nan())
    }

    pub fn is_date_to_json(&self, function: &RawValue<'_, 'js>) -> bool {
        function.is_intrinsic(&self.date_to_json)
    }
}
