//! Values of the engine without a handle of rquickjs, which also counts references to the context and takes as long as
//! reading a number. All `unsafe` code of the writer is in this file.
#![allow(unsafe_code, reason = "rquickjs has no borrowed values, names or texts")]

use std::{
    ffi::{c_char, c_int},
    ptr, slice,
};

use javy::quickjs::{Ctx, Error, Function, Result, Value, qjs};

/// Selects own, enumerable names that are strings.
const STRINGS: c_int = (qjs::JS_GPN_STRING_MASK | qjs::JS_GPN_ENUM_ONLY) as c_int;
const PRIVATE: c_int = qjs::JS_GPN_PRIVATE_MASK as c_int;

/// The type of a value, with the data of a primitive one.
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

/// Returns the result of an engine function, which may be an exception.
pub fn checked(value: qjs::JSValue) -> Result<qjs::JSValue> {
    // SAFETY: Only reads the tag.
    if unsafe { qjs::JS_IsException(value) } { Err(Error::Exception) } else { Ok(value) }
}

/// An owned reference to a value, which is released when it is dropped.
pub struct RawValue<'c, 'js> {
    ctx: &'c Ctx<'js>,
    value: qjs::JSValue,
}

impl<'c, 'js> RawValue<'c, 'js> {
    /// Creates another reference to a value.
    pub fn of(ctx: &'c Ctx<'js>, value: &Value<'js>) -> Self {
        // SAFETY: The value is referenced, so its count can be increased.
        Self { ctx, value: unsafe { qjs::JS_DupValue(ctx.as_raw().as_ptr(), value.as_raw()) } }
    }

    pub fn empty_string(ctx: &'c Ctx<'js>) -> Result<Self> {
        // SAFETY: No byte is read.
        Self::owned(ctx, unsafe { qjs::JS_NewStringLen(Self::raw(ctx), c"".as_ptr(), 0) })
    }

    /// Creates an empty object.
    pub fn object(ctx: &'c Ctx<'js>) -> Result<Self> {
        // SAFETY: The context is valid.
        Self::owned(ctx, unsafe { qjs::JS_NewObject(Self::raw(ctx)) })
    }

    /// Creates an empty array.
    pub fn array(ctx: &'c Ctx<'js>) -> Result<Self> {
        // SAFETY: The context is valid.
        Self::owned(ctx, unsafe { qjs::JS_NewArray(Self::raw(ctx)) })
    }

    /// Returns the name of an item, for `toJSON`.
    pub fn index(ctx: &'c Ctx<'js>, index: i64) -> Result<Self> {
        // SAFETY: A double has no reference count.
        Self::owned(ctx, unsafe { qjs::JS_ToString(Self::raw(ctx), qjs::JS_NewFloat64(index as f64)) })
    }

    /// Returns the value as a handle.
    pub fn to_value(&self) -> Value<'js> {
        // SAFETY: The count is increased for the handle.
        unsafe { Value::from_raw(self.ctx.clone(), qjs::JS_DupValue(Self::raw(self.ctx), self.value)) }
    }

    fn raw(ctx: &Ctx<'js>) -> *mut qjs::JSContext {
        ctx.as_raw().as_ptr()
    }

    /// Takes ownership of the result of an engine function, which may be an exception.
    fn owned(ctx: &'c Ctx<'js>, value: qjs::JSValue) -> Result<Self> {
        checked(value).map(|value| Self { ctx, value })
    }

    pub fn kind(&self) -> Kind {
        let value = self.value;
        // SAFETY: Each read matches the tag.
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
                // Scripts have no values with other tags; treat them as rejected.
                _ => Kind::Symbol,
            }
        }
    }

    pub fn is_function(&self) -> bool {
        // SAFETY: The value is referenced.
        unsafe { qjs::JS_IsFunction(Self::raw(self.ctx), self.value) }
    }

    /// Returns the class id of an object.
    pub fn class(&self) -> u32 {
        // SAFETY: The value is referenced.
        unsafe { qjs::JS_GetClassID(self.value) }
    }

    /// Whether two references refer to the same object.
    pub fn is(&self, other: &Self) -> bool {
        // SAFETY: The callers have checked that both are objects; the addresses are only compared.
        unsafe { qjs::JS_VALUE_GET_PTR(self.value) == qjs::JS_VALUE_GET_PTR(other.value) }
    }

    /// Returns the address of an object, which is unique as long as the object is referenced.
    pub fn address(&self) -> usize {
        // SAFETY: The callers have checked that it is an object; the address is not used as a pointer.
        unsafe { qjs::JS_VALUE_GET_PTR(self.value) as usize }
    }

    pub fn is_intrinsic(&self, function: &Function<'js>) -> bool {
        self.is(&Self::of(self.ctx, function.as_value()))
    }

    /// Returns the target of a proxy, through any number of proxies; none for another object. A revoked proxy throws.
    pub fn target(&self) -> Result<Option<Self>> {
        let mut target: Option<Self> = None;
        loop {
            let value = target.as_ref().map_or(self.value, |target| target.value);
            // SAFETY: The value is referenced, and the returned target is owned.
            unsafe {
                if !qjs::JS_IsProxy(value) {
                    return Ok(target);
                }
                target = Some(Self::owned(self.ctx, qjs::JS_GetProxyTarget(Self::raw(self.ctx), value))?);
            }
        }
    }

    pub fn is_proxy(&self) -> bool {
        // SAFETY: The value is referenced.
        unsafe { qjs::JS_IsProxy(self.value) }
    }

    pub fn is_array(&self) -> bool {
        // SAFETY: The value is referenced.
        unsafe { qjs::JS_IsArray(self.value) }
    }

    /// Reads a member, which may call a getter of the script.
    pub fn member(&self, name: qjs::JSAtom) -> Result<Self> {
        // SAFETY: The value and the name are referenced.
        Self::owned(self.ctx, unsafe { qjs::JS_GetProperty(Self::raw(self.ctx), self.value, name) })
    }

    /// Whether an object that is not a proxy has its own member with this name.
    pub fn has_own(&self, name: qjs::JSAtom) -> Result<bool> {
        // SAFETY: The value and the name are referenced; without a descriptor, nothing is returned.
        match unsafe { qjs::JS_GetOwnProperty(Self::raw(self.ctx), ptr::null_mut(), self.value, name) } {
            status if status < 0 => Err(Error::Exception),
            status => Ok(status > 0),
        }
    }

    /// Defines an ordinary member of an object that no script has seen.
    pub fn define(&self, name: qjs::JSAtom, value: Self) -> Result<()> {
        let flags = (qjs::JS_PROP_CONFIGURABLE | qjs::JS_PROP_WRITABLE | qjs::JS_PROP_ENUMERABLE) as c_int;
        // SAFETY: The value and the name are referenced. The reference that is counted here passes to the member.
        let status = unsafe {
            let value = qjs::JS_DupValue(Self::raw(self.ctx), value.value);
            qjs::JS_DefinePropertyValue(Self::raw(self.ctx), self.value, name, value, flags)
        };
        if status < 0 { Err(Error::Exception) } else { Ok(()) }
    }

    /// Sets the length of an array that no script has seen.
    pub fn set_length(&self, length: i64) -> Result<()> {
        // SAFETY: The value is referenced.
        let status = unsafe { qjs::JS_SetLength(Self::raw(self.ctx), self.value, length) };
        if status < 0 { Err(Error::Exception) } else { Ok(()) }
    }

    /// Whether an object that is not a proxy has this prototype.
    pub fn has_prototype(&self, prototype: &Value<'js>) -> bool {
        // SAFETY: Both values are referenced; the addresses are only compared.
        unsafe {
            let own = qjs::JS_GetPrototype(Self::raw(self.ctx), self.value);
            let same = qjs::JS_IsObject(own) && qjs::JS_VALUE_GET_PTR(own) == qjs::JS_VALUE_GET_PTR(prototype.as_raw());
            qjs::JS_FreeValue(Self::raw(self.ctx), own);
            same
        }
    }

    /// Reads an item, which may call a getter of the script.
    pub fn item(&self, index: i64) -> Result<Self> {
        // SAFETY: The value is referenced.
        Self::owned(self.ctx, unsafe { qjs::JS_GetPropertyInt64(Self::raw(self.ctx), self.value, index) })
    }

    /// Returns the text of an object of `JSON.rawJSON`.
    pub fn raw_json(&self) -> Result<Self> {
        // SAFETY: The value is referenced, and the name is a terminated string.
        let text = unsafe { qjs::JS_GetPropertyStr(Self::raw(self.ctx), self.value, c"rawJSON".as_ptr()) };
        Self::owned(self.ctx, text)
    }

    pub fn length(&self) -> Result<i64> {
        let mut length = 0;
        // SAFETY: The value is referenced.
        let status = unsafe { qjs::JS_GetLength(Self::raw(self.ctx), self.value, &mut length) };
        if status < 0 { Err(Error::Exception) } else { Ok(length) }
    }

    /// Calls this function with one argument.
    pub fn call(&self, this: &Self, argument: &Self) -> Result<Self> {
        let mut arguments = [argument.value];
        // SAFETY: All values are referenced, and the function counts what it keeps.
        let returned = unsafe { qjs::JS_Call(Self::raw(self.ctx), self.value, this.value, 1, arguments.as_mut_ptr()) };
        Self::owned(self.ctx, returned)
    }

    pub fn to_number(&self) -> Result<Self> {
        // SAFETY: The value is referenced.
        Self::owned(self.ctx, unsafe { qjs::JS_ToNumber(Self::raw(self.ctx), self.value) })
    }

    pub fn to_text(&self) -> Result<Self> {
        // SAFETY: The value is referenced.
        Self::owned(self.ctx, unsafe { qjs::JS_ToString(Self::raw(self.ctx), self.value) })
    }

    /// Calls a function with the bytes of a string: UTF-8, with unpaired surrogates encoded like characters.
    pub fn with_bytes<T>(&self, read: impl FnOnce(&[u8]) -> T) -> Result<T> {
        let mut length = 0;
        // SAFETY: The value is referenced.
        let text = unsafe { qjs::JS_ToCStringLen2(Self::raw(self.ctx), &mut length, self.value, false) };
        with_c_string(self.ctx, text, length, read)
    }

    /// Returns the object's own enumerable string names, in order.
    pub fn names(&self) -> Result<Names<'c, 'js>> {
        self.own_names(STRINGS)
    }

    pub fn has_private_names(&self) -> Result<bool> {
        Ok(self.own_names(PRIVATE)?.len() > 0)
    }

    fn own_names(&self, which: c_int) -> Result<Names<'c, 'js>> {
        let (mut names, mut length) = (ptr::null_mut(), 0);
        // SAFETY: The value is referenced. The returned names are owned.
        let status =
            unsafe { qjs::JS_GetOwnPropertyNames(Self::raw(self.ctx), &mut names, &mut length, self.value, which) };
        if status < 0 { Err(Error::Exception) } else { Ok(Names { ctx: self.ctx, names, length }) }
    }
}

impl Clone for RawValue<'_, '_> {
    fn clone(&self) -> Self {
        // SAFETY: The value is referenced, so its count can be increased.
        Self { ctx: self.ctx, value: unsafe { qjs::JS_DupValue(Self::raw(self.ctx), self.value) } }
    }
}

impl Drop for RawValue<'_, '_> {
    fn drop(&mut self) {
        // SAFETY: The reference is owned, and released only here.
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

    /// Returns the name at an index, which must be in range.
    pub fn name(&self, index: i64) -> qjs::JSAtom {
        // SAFETY: The array has this length as long as `self` lives; after a failed allocation the length is 0.
        let names = unsafe { slice::from_raw_parts(self.names, self.length as usize) };
        names[index as usize].atom
    }

    /// Calls a function with the bytes of a name, as `RawValue::with_bytes` does.
    pub fn with_bytes<T>(&self, index: i64, read: impl FnOnce(&[u8]) -> T) -> Result<T> {
        let mut length = 0;
        // SAFETY: The name is referenced.
        let text = unsafe { qjs::JS_AtomToCStringLen(self.ctx.as_raw().as_ptr(), &mut length, self.name(index)) };
        with_c_string(self.ctx, text, length, read)
    }

    /// Returns the name as a value, for `toJSON`.
    pub fn to_text(&self, index: i64) -> Result<RawValue<'c, 'js>> {
        // SAFETY: The name is referenced.
        let text = unsafe { qjs::JS_AtomToString(self.ctx.as_raw().as_ptr(), self.name(index)) };
        RawValue::owned(self.ctx, text)
    }
}

impl Drop for Names<'_, '_> {
    fn drop(&mut self) {
        // SAFETY: The names are owned, and released only here.
        unsafe { qjs::JS_FreePropertyEnum(self.ctx.as_raw().as_ptr(), self.names, self.length) }
    }
}

fn with_c_string<T>(
    ctx: &Ctx<'_>,
    text: *const c_char,
    length: qjs::size_t,
    read: impl FnOnce(&[u8]) -> T,
) -> Result<T> {
    if text.is_null() {
        return Err(Error::Exception);
    }
    // SAFETY: The string has this length until it is released, and nothing writes to it.
    let result = read(unsafe { slice::from_raw_parts(text.cast(), length as usize) });
    // SAFETY: As above; the lifetime prevents `read` from keeping the bytes.
    unsafe { qjs::JS_FreeCString(ctx.as_raw().as_ptr(), text) };
    Ok(result)
}
