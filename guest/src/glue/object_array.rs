//! Builds an array of objects with the same members, such as the rows of a table. QuickJS describes the members of an object
//! by a shape, which objects can share. The shape is looked up once here, not for each member of each object.
#![allow(unsafe_code, reason = "rquickjs creates an object one member at a time")]

use std::mem;

use javy::quickjs::{Atom, Ctx, Error, Object, Result, Value, object::Property, qjs};

use super::json::checked;

unsafe extern "C" {
    /// Creates an object with the members of `model`, and moves one of `values` into each member; ownership passes to the
    /// object, also on failure. Defined in `quickjs.patch`.
    fn ghost_new_like(context: *mut qjs::JSContext, model: qjs::JSValue, values: *mut qjs::JSValue) -> qjs::JSValue;
}

/// Returns an object with the members of `model`, a plain object without accessors. Each of `values`, one for each member,
/// moves into the object, also on failure.
pub fn new_like<'js>(ctx: &Ctx<'js>, model: &Object<'js>, values: &mut [qjs::JSValue]) -> Result<qjs::JSValue> {
    // SAFETY: the caller passes one value for each member, and gives up their ownership.
    checked(unsafe { ghost_new_like(ctx.as_raw().as_ptr(), model.as_raw(), values.as_mut_ptr()) })
}

/// Builds an array of objects, one object after the other.
pub struct ObjectArrayBuilder<'c, 'js> {
    ctx: &'c Ctx<'js>,
    model: Object<'js>,
    /// For each column, the index of its member; columns with the same name share one, and the last value wins.
    members: Vec<usize>,
    /// The values of the next object, one for each member.
    next_values: Vec<qjs::JSValue>,
    objects: Vec<qjs::JSValue>,
}

impl<'c, 'js> ObjectArrayBuilder<'c, 'js> {
    /// Creates an empty array, for objects with a member for each of these columns.
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
        let next_values = vec![qjs::JS_UNDEFINED; names.len()];
        Ok(Self { ctx, model, members, next_values, objects: Vec::new() })
    }

    /// Sets a column of the next object to a text.
    pub fn set_text(&mut self, column: usize, text: &str) -> Result<()> {
        // SAFETY: pointer and length are those of `text`.
        self.set_raw(column, unsafe { qjs::JS_NewStringLen(self.raw(), text.as_ptr().cast(), text.len() as _) })
    }

    /// Sets a column of the next object to a number.
    pub fn set_number(&mut self, column: usize, number: f64) -> Result<()> {
        // SAFETY: the context is valid; a number needs no reference count.
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
        // SAFETY: JS_DupValue adds a reference, which the object owns.
        self.set_raw(column, unsafe { qjs::JS_DupValue(self.raw(), value.as_raw()) })
    }

    /// Sets a column of the next object, which takes ownership of the value. Fails when the value is an exception.
    fn set_raw(&mut self, column: usize, value: qjs::JSValue) -> Result<()> {
        let before = mem::replace(&mut self.next_values[self.members[column]], checked(value)?);
        self.free(before);
        Ok(())
    }

    /// Adds the next object to the array. The members of the next object are undefined until
    /// they are set.
    pub fn push_object(&mut self) -> Result<()> {
        // SAFETY: the model is a plain object with one member for each value; ownership of the values passes to the object.
        let object = unsafe { ghost_new_like(self.raw(), self.model.as_raw(), self.next_values.as_mut_ptr()) };
        self.next_values.fill(qjs::JS_UNDEFINED);
        self.objects.push(checked(object)?);
        Ok(())
    }

    /// Returns the array.
    pub fn finish(mut self) -> Result<Value<'js>> {
        let objects = mem::take(&mut self.objects);
        let length = objects.len().try_into().map_err(|_| Error::Allocation)?;
        // SAFETY: the array owns the objects from here on, even if it fails.
        let array = unsafe { qjs::JS_NewArrayFrom(self.raw(), length, objects.as_ptr()) };
        let array = checked(array)?;
        // SAFETY: the caller owns the array.
        Ok(unsafe { Value::from_raw(self.ctx.clone(), array) })
    }

    fn free(&self, value: qjs::JSValue) {
        // SAFETY: `value` came from `next_values` or `objects`, which own one reference each.
        unsafe { qjs::JS_FreeValue(self.raw(), value) }
    }

    fn raw(&self) -> *mut qjs::JSContext {
        self.ctx.as_raw().as_ptr()
    }
}

impl Drop for ObjectArrayBuilder<'_, '_> {
    fn drop(&mut self) {
        for value in mem::take(&mut self.next_values).into_iter().chain(mem::take(&mut self.objects)) {
            self.free(value);
        }
    }
}
