//! An array of objects with the same members, as the rows of a table. QuickJS describes the members of an object by a
//! shape, which objects can share. The shape is found once here, not again for each member of each object.
#![allow(unsafe_code, reason = "rquickjs creates an object one member at a time")]

use std::mem;

use javy::quickjs::{Atom, Ctx, Error, Object, Result, Value, object::Property, qjs};

unsafe extern "C" {
    /// From `quickjs.patch`: an object with the members of `model` and `values`, one for each member, which it takes over.
    fn ghost_new_like(context: *mut qjs::JSContext, model: qjs::JSValue, values: *mut qjs::JSValue) -> qjs::JSValue;
}

/// An array under construction, and its next object.
pub struct Alike<'c, 'js> {
    ctx: &'c Ctx<'js>,
    model: Object<'js>,
    /// The member of each column: of several columns with one name, the last one counts.
    members: Vec<usize>,
    /// The values of the next object, one for each member.
    next: Vec<qjs::JSValue>,
    objects: Vec<qjs::JSValue>,
}

impl<'c, 'js> Alike<'c, 'js> {
    /// An empty array, for objects with a member for each of these columns.
    pub fn new(ctx: &'c Ctx<'js>, columns: &[String]) -> Result<Self> {
        let model = Object::new(ctx.clone())?;
        let mut names: Vec<&str> = Vec::new();
        let mut members = Vec::new();
        for column in columns {
            let member = names.iter().position(|name| name == column).unwrap_or(names.len());
            members.push(member);
            if member == names.len() {
                names.push(column);
                let name = Atom::from_str(ctx.clone(), column)?;
                model.prop(name, Property::from(()).writable().configurable().enumerable())?;
            }
        }
        let next = vec![qjs::JS_UNDEFINED; names.len()];
        Ok(Self { ctx, model, members, next, objects: Vec::new() })
    }

    /// Sets a column of the next object to a text.
    pub fn set_text(&mut self, column: usize, text: &str) -> Result<()> {
        // SAFETY: Pointer and length are those of the text.
        self.set_raw(column, unsafe { qjs::JS_NewStringLen(self.raw(), text.as_ptr().cast(), text.len() as _) })
    }

    /// Sets a column of the next object to a number.
    pub fn set_number(&mut self, column: usize, number: f64) -> Result<()> {
        // SAFETY: Allocates nothing.
        self.set_raw(column, unsafe { qjs::JS_NewNumber(self.raw(), number) })
    }

    /// Sets a column of the next object to `true` or `false`.
    pub fn set_boolean(&mut self, column: usize, boolean: bool) -> Result<()> {
        self.set_raw(column, qjs::JS_MKVAL(qjs::JS_TAG_BOOL, boolean.into()))
    }

    /// Sets a column of the next object to null.
    pub fn set_null(&mut self, column: usize) -> Result<()> {
        self.set_raw(column, qjs::JS_NULL)
    }

    /// Sets a column of the next object.
    pub fn set(&mut self, column: usize, value: &Value<'js>) -> Result<()> {
        // SAFETY: The value is counted once more for the object.
        self.set_raw(column, unsafe { qjs::JS_DupValue(self.raw(), value.as_raw()) })
    }

    /// Takes over a value, which may be an exception.
    fn set_raw(&mut self, column: usize, value: qjs::JSValue) -> Result<()> {
        // SAFETY: Reads the tag alone.
        if unsafe { qjs::JS_IsException(value) } {
            return Err(Error::Exception);
        }
        let before = mem::replace(&mut self.next[self.members[column]], value);
        self.free(before);
        Ok(())
    }

    /// Adds the next object to the array; the one after it starts with members that are undefined.
    pub fn finish_object(&mut self) -> Result<()> {
        // SAFETY: The model is a plain object with as many members as there are values, and the values are given away.
        let object = unsafe { ghost_new_like(self.raw(), self.model.as_raw(), self.next.as_mut_ptr()) };
        self.next.fill(qjs::JS_UNDEFINED);
        // SAFETY: Reads the tag alone.
        if unsafe { qjs::JS_IsException(object) } {
            return Err(Error::Exception);
        }
        self.objects.push(object);
        Ok(())
    }

    /// The array.
    pub fn finish(mut self) -> Result<Value<'js>> {
        let objects = mem::take(&mut self.objects);
        let length = objects.len().try_into().map_err(|_| Error::Allocation)?;
        // SAFETY: The array takes the objects over, also when it fails.
        let array = unsafe { qjs::JS_NewArrayFrom(self.raw(), length, objects.as_ptr()) };
        // SAFETY: Reads the tag; a value that is no exception is the caller's.
        unsafe {
            if qjs::JS_IsException(array) {
                return Err(Error::Exception);
            }
            Ok(Value::from_raw(self.ctx.clone(), array))
        }
    }

    fn free(&self, value: qjs::JSValue) {
        // SAFETY: The value was taken out of what this owns.
        unsafe { qjs::JS_FreeValue(self.raw(), value) }
    }

    fn raw(&self) -> *mut qjs::JSContext {
        self.ctx.as_raw().as_ptr()
    }
}

impl Drop for Alike<'_, '_> {
    fn drop(&mut self) {
        for value in mem::take(&mut self.next).into_iter().chain(mem::take(&mut self.objects)) {
            self.free(value);
        }
    }
}
