//! The items of an array, lent. With a handle for each, as `Array::get` gives it, a quarter of the time that rows take would
//! go into counting references.

use std::{mem::ManuallyDrop, ops::Deref, ptr};

use javy::quickjs::{Array, Error, Result, Value, qjs};

/// An item of an array, for as long as it is looked at.
pub struct Item<'js>(ManuallyDrop<Value<'js>>);

impl<'js> Item<'js> {
    /// Reads an item, which may be a getter of the script's.
    pub fn of(array: &Array<'js>, index: usize) -> Result<Self> {
        let ctx = array.ctx();
        // An array has no more items than that.
        let index = index as u32;
        // SAFETY: The array is of this context. What comes is owned, and `drop` gives it back. The context is not counted
        // anew, so nothing may count it off: it is inside of a value that is never dropped, and outlives it, as 'js says.
        #[allow(unsafe_code)]
        unsafe {
            let item = qjs::JS_GetPropertyUint32(ctx.as_raw().as_ptr(), array.as_raw(), index);
            if qjs::JS_IsException(item) {
                return Err(Error::Exception);
            }
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
