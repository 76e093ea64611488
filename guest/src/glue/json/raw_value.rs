//! The engine's values without a handle each: a handle counts the context too, which takes as long as reading a number.
//! The writer's `unsafe` is here.
#![allow(unsafe_code, reason = "rquickjs has no borrowed values, names or texts")]

use std::{
    ffi::{c_char, c_int},
    ptr, slice,
};

use javy::quickjs::{Ctx, Error, Function, Result, Value, qjs};

/// An own, enumerable name that is a string.
const STRINGS: c_int = (qjs::JS_GPN_STRING_MASK | qjs::JS_GPN_ENUM_ONLY) as c_int;
const PRIVATE: c_int = qjs::JS_GPN_PRIVATE_MASK as c_int;

/// What a value is, and what it takes to write a primitive one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Undefined,
    Null,
    Boolean(bool),
    Whole(i32),
    Number(f64),
    String,
    BigInt,
    Symbol,
    Object,
}

/// A value that is owned, and given back when it is dropped.
pub struct Held<'c, 'js> {
    ctx: &'c Ctx<'js>,
    value: qjs::JSValue,
}

impl<'c, 'js> Held<'c, 'js> {
    /// Holds a value that somebody else holds too.
    pub fn of(ctx: &'c Ctx<'js>, value: &Value<'js>) -> Self {
        // SAFETY: A value may be counted once more while it is held.
        Self { ctx, value: unsafe { qjs::JS_DupValue(ctx.as_raw().as_ptr(), value.as_raw()) } }
    }

    pub fn empty_string(ctx: &'c Ctx<'js>) -> Result<Self> {
        // SAFETY: No byte is read.
        Self::owned(ctx, unsafe { qjs::JS_NewStringLen(Self::raw(ctx), c"".as_ptr(), 0) })
    }

    /// The name of an item, as `toJSON` is told.
    pub fn index(ctx: &'c Ctx<'js>, index: i64) -> Result<Self> {
        // SAFETY: A number that is a double has nothing that is counted.
        Self::owned(ctx, unsafe { qjs::JS_ToString(Self::raw(ctx), qjs::JS_NewFloat64(index as f64)) })
    }

    /// The same value with a handle.
    pub fn to_value(&self) -> Value<'js> {
        // SAFETY: It is counted once more for the handle.
        unsafe { Value::from_raw(self.ctx.clone(), qjs::JS_DupValue(Self::raw(self.ctx), self.value)) }
    }

    fn raw(ctx: &Ctx<'js>) -> *mut qjs::JSContext {
        ctx.as_raw().as_ptr()
    }

    /// What a function of the engine gave: an exception, or a value that is ours.
    fn owned(ctx: &'c Ctx<'js>, value: qjs::JSValue) -> Result<Self> {
        // SAFETY: Looks at the tag alone.
        if unsafe { qjs::JS_IsException(value) } { Err(Error::Exception) } else { Ok(Self { ctx, value }) }
    }

    pub fn kind(&self) -> Kind {
        let value = self.value;
        // SAFETY: What is read is what the tag says that it is.
        unsafe {
            match qjs::JS_VALUE_GET_NORM_TAG(value) {
                qjs::JS_TAG_UNDEFINED => Kind::Undefined,
                qjs::JS_TAG_NULL => Kind::Null,
                qjs::JS_TAG_BOOL => Kind::Boolean(qjs::JS_VALUE_GET_BOOL(value)),
                qjs::JS_TAG_INT => Kind::Whole(qjs::JS_VALUE_GET_INT(value)),
                qjs::JS_TAG_FLOAT64 => Kind::Number(qjs::JS_VALUE_GET_FLOAT64(value)),
                qjs::JS_TAG_STRING | qjs::JS_TAG_STRING_ROPE => Kind::String,
                qjs::JS_TAG_BIG_INT | qjs::JS_TAG_SHORT_BIG_INT => Kind::BigInt,
                qjs::JS_TAG_OBJECT => Kind::Object,
                // A tag that no script can have counts as what is always refused.
                _ => Kind::Symbol,
            }
        }
    }

    pub fn is_function(&self) -> bool {
        // SAFETY: The value is held.
        unsafe { qjs::JS_IsFunction(Self::raw(self.ctx), self.value) }
    }

    /// The number of an object's class.
    pub fn class(&self) -> u32 {
        // SAFETY: The value is held.
        unsafe { qjs::JS_GetClassID(self.value) }
    }

    /// Whether this object is that one.
    pub fn is(&self, other: &Self) -> bool {
        // SAFETY: Both are objects, by the callers' look at their kind; the addresses are not followed.
        unsafe { qjs::JS_VALUE_GET_PTR(self.value) == qjs::JS_VALUE_GET_PTR(other.value) }
    }

    pub fn is_kept(&self, function: &Function<'js>) -> bool {
        self.is(&Self::of(self.ctx, function.as_value()))
    }

    /// What a proxy stands for, whatever the number of proxies; none for another object. A revoked one is an exception.
    pub fn target(&self) -> Result<Option<Self>> {
        let mut target: Option<Self> = None;
        loop {
            let value = target.as_ref().map_or(self.value, |target| target.value);
            // SAFETY: The value is held, and the target that comes is ours.
            unsafe {
                if !qjs::JS_IsProxy(value) {
                    return Ok(target);
                }
                target = Some(Self::owned(self.ctx, qjs::JS_GetProxyTarget(Self::raw(self.ctx), value))?);
            }
        }
    }

    pub fn is_proxy(&self) -> bool {
        // SAFETY: The value is held.
        unsafe { qjs::JS_IsProxy(self.value) }
    }

    pub fn is_array(&self) -> bool {
        // SAFETY: The value is held.
        unsafe { qjs::JS_IsArray(self.value) }
    }

    /// A member, which may be a getter of the script's.
    pub fn member(&self, name: qjs::JSAtom) -> Result<Self> {
        // SAFETY: The value and the name are held.
        Self::owned(self.ctx, unsafe { qjs::JS_GetProperty(Self::raw(self.ctx), self.value, name) })
    }

    /// An item, which may be a getter of the script's.
    pub fn item(&self, index: i64) -> Result<Self> {
        // SAFETY: The value is held.
        Self::owned(self.ctx, unsafe { qjs::JS_GetPropertyInt64(Self::raw(self.ctx), self.value, index) })
    }

    /// The text of what `JSON.rawJSON` made.
    pub fn raw_json(&self) -> Result<Self> {
        // SAFETY: The value is held, and the name is a text that ends.
        let text = unsafe { qjs::JS_GetPropertyStr(Self::raw(self.ctx), self.value, c"rawJSON".as_ptr()) };
        Self::owned(self.ctx, text)
    }

    pub fn length(&self) -> Result<i64> {
        let mut length = 0;
        // SAFETY: The value is held.
        let status = unsafe { qjs::JS_GetLength(Self::raw(self.ctx), self.value, &mut length) };
        if status < 0 { Err(Error::Exception) } else { Ok(length) }
    }

    /// Calls this function with one argument.
    pub fn call(&self, this: &Self, argument: &Self) -> Result<Self> {
        let mut arguments = [argument.value];
        // SAFETY: All are held, and the function counts what it keeps.
        let returned = unsafe { qjs::JS_Call(Self::raw(self.ctx), self.value, this.value, 1, arguments.as_mut_ptr()) };
        Self::owned(self.ctx, returned)
    }

    pub fn to_number(&self) -> Result<Self> {
        // SAFETY: The value is held.
        Self::owned(self.ctx, unsafe { qjs::JS_ToNumber(Self::raw(self.ctx), self.value) })
    }

    pub fn to_text(&self) -> Result<Self> {
        // SAFETY: The value is held.
        Self::owned(self.ctx, unsafe { qjs::JS_ToString(Self::raw(self.ctx), self.value) })
    }

    /// Lends the bytes of a string: UTF-8, and halves of surrogate pairs as if they were characters.
    pub fn with_bytes<T>(&self, read: impl FnOnce(&[u8]) -> T) -> Result<T> {
        let mut length = 0;
        // SAFETY: The value is held.
        let text = unsafe { qjs::JS_ToCStringLen2(Self::raw(self.ctx), &mut length, self.value, false) };
        lend(self.ctx, text, length, read)
    }

    /// The object's own enumerable names that are strings, in their order.
    pub fn names(&self) -> Result<Names<'c, 'js>> {
        self.own_names(STRINGS)
    }

    pub fn has_private_names(&self) -> Result<bool> {
        Ok(self.own_names(PRIVATE)?.len() > 0)
    }

    fn own_names(&self, which: c_int) -> Result<Names<'c, 'js>> {
        let (mut names, mut length) = (ptr::null_mut(), 0);
        // SAFETY: The value is held. What comes is ours to give back.
        let status =
            unsafe { qjs::JS_GetOwnPropertyNames(Self::raw(self.ctx), &mut names, &mut length, self.value, which) };
        if status < 0 { Err(Error::Exception) } else { Ok(Names { ctx: self.ctx, names, length }) }
    }
}

impl Drop for Held<'_, '_> {
    fn drop(&mut self) {
        // SAFETY: It is owned, and this is the only place that gives it back.
        unsafe { qjs::JS_FreeValue(Self::raw(self.ctx), self.value) }
    }
}

/// The names of an object's members.
pub struct Names<'c, 'js> {
    ctx: &'c Ctx<'js>,
    names: *mut qjs::JSPropertyEnum,
    length: u32,
}

impl<'c, 'js> Names<'c, 'js> {
    pub fn len(&self) -> i64 {
        self.length.into()
    }

    /// The name at a place, which must be there.
    pub fn name(&self, index: i64) -> qjs::JSAtom {
        // SAFETY: That many are there as long as this is; none when there is no memory, and then the length is 0.
        let names = unsafe { slice::from_raw_parts(self.names, self.length as usize) };
        names[index as usize].atom
    }

    /// Lends the bytes of a name, as `Held::with_bytes` does.
    pub fn with_bytes<T>(&self, index: i64, read: impl FnOnce(&[u8]) -> T) -> Result<T> {
        let mut length = 0;
        // SAFETY: The name is held.
        let text = unsafe { qjs::JS_AtomToCStringLen(self.ctx.as_raw().as_ptr(), &mut length, self.name(index)) };
        lend(self.ctx, text, length, read)
    }

    /// The name as `toJSON` is told.
    pub fn to_text(&self, index: i64) -> Result<Held<'c, 'js>> {
        // SAFETY: The name is held.
        let text = unsafe { qjs::JS_AtomToString(self.ctx.as_raw().as_ptr(), self.name(index)) };
        Held::owned(self.ctx, text)
    }
}

impl Drop for Names<'_, '_> {
    fn drop(&mut self) {
        // SAFETY: They are ours, and this is the only place that gives them back.
        unsafe { qjs::JS_FreePropertyEnum(self.ctx.as_raw().as_ptr(), self.names, self.length) }
    }
}

fn lend<T>(ctx: &Ctx<'_>, text: *const c_char, length: qjs::size_t, read: impl FnOnce(&[u8]) -> T) -> Result<T> {
    if text.is_null() {
        return Err(Error::Exception);
    }
    // SAFETY: That many bytes are there until they are given back, and nothing else writes to them.
    let result = read(unsafe { slice::from_raw_parts(text.cast(), length as usize) });
    // SAFETY: As above; `read` has kept nothing of it, as its lifetime says.
    unsafe { qjs::JS_FreeCString(ctx.as_raw().as_ptr(), text) };
    Ok(result)
}
