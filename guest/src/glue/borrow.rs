//! Borrowed values of the engine: items of arrays, bytes of strings. A handle for each item (`Array::get`) and a copy
//! of each string would take longer than reading them.

use std::{mem::ManuallyDrop, ops::Deref, ptr, slice};

use javy::quickjs::{Array, CString, Result, Value, qjs};

use super::json::checked;

/// Returns the bytes of a string: UTF-8, except for unpaired surrogates.
pub fn bytes<'a>(text: &'a CString<'_>) -> &'a [u8] {
    // SAFETY: The text has that many bytes as long as it lives. Not `as_str`, which assumes that they are UTF-8.
    #[allow(unsafe_code)]
    unsafe {
        slice::from_raw_parts(text.as_ptr().cast(), text.len())
    }
}

/// A borrowed item of an array.
pub struct Item<'js>(ManuallyDrop<Value<'js>>);

impl<'js> Item<'js> {
    /// Reads an item, which may call a getter of the script.
    pub fn of(array: &Array<'js>, index: usize) -> Result<Self> {
        let ctx = array.ctx();
        // An array has no more items than that.
        let index = index as u32;
        // SAFETY: The array is of this context. The returned value is owned, and `drop` releases it. The context is not
        // counted again, so its count must not be decreased: it is inside a value that is never dropped, and outlives it,
        // as 'js requires.
        #[allow(unsafe_code)]
        unsafe {
            let item = checked(qjs::JS_GetPropertyUint32(ctx.as_raw().as_ptr(), array.as_raw(), index))?;
            Ok(Self(ManuallyDrop::new(Value::from_raw(ptr::read(ctx), item))))
        }
    }
}

impl<'js> Deref for Item<'js> {
    type Target = Value<'js>;

    fn deref(&self) -> &Value<'js> {
        &self.0
    }
}

impl Drop for Item<'_> {
    fn drop(&mut self) {
        // SAFETY: It was owned, and this is the only place that gives it back.
        #[allow(unsafe_code)]
        unsafe {
            qjs::JS_FreeValue(self.0.ctx().as_raw().as_ptr(), self.0.as_raw());
        }
    }
}
