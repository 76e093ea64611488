//! Members that `g` and its namespaces do not have: the error names the member, and one that the script may have meant.

use std::ffi::{CStr, c_char};
use std::ptr::NonNull;

use javy::quickjs::{self, Ctx, Exception, Object, Value, qjs};

use super::{Intrinsics, show};

/// The most edits between a member and the one that is suggested.
const MAX_EDITS: usize = 2;

/// Throws the error of a member of `g` or of a namespace that does not exist. Returns false, and throws nothing, if
/// `object` is neither or has the member. With `inner`, `object` is `g`, and the member is one of that namespace.
/// quickjs.patch calls it.
// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
extern "C" fn ghost_throw_missing_member(
    ctx: NonNull<qjs::JSContext>,
    object: *const qjs::JSValue,
    inner: *const c_char,
    name: *const c_char,
) -> bool {
    // SAFETY: QuickJS passes its current context, a value that it keeps alive, and terminated strings; `inner` may be null.
    let (ctx, object, inner, name) = unsafe {
        let ctx = Ctx::from_raw(ctx);
        let object = Value::from_raw(ctx.clone(), qjs::JS_DupValue(ctx.as_raw().as_ptr(), *object));
        let inner = (!inner.is_null()).then(|| CStr::from_ptr(inner).to_string_lossy());
        (ctx, object, inner, CStr::from_ptr(name).to_string_lossy())
    };
    match message(&ctx, object, inner.as_deref(), &name) {
        Ok(Some(message)) => {
            Exception::throw_type(&ctx, &message);
            true
        }
        Ok(None) => false,
        // The exception, such as that of a failed allocation, is pending.
        Err(_) => ctx.has_exception(),
    }
}

fn message<'js>(
    ctx: &Ctx<'js>,
    object: Value<'js>,
    inner: Option<&str>,
    name: &str,
) -> quickjs::Result<Option<String>> {
    let Some(object) = object.into_object() else { return Ok(None) };
    let g = &Intrinsics::of(ctx)?.g;
    if object == *g {
        return match inner {
            None => missing("g", "namespace", g, name),
            Some(namespace) if has(g, namespace)? => of_namespace(namespace, &g.get(namespace)?, name),
            Some(_) => Ok(None),
        };
    }
    for namespace in names(g)? {
        let value: Object<'js> = g.get(namespace.as_str())?;
        if inner.is_none() && value == object {
            return of_namespace(&namespace, &value, name);
        }
    }
    Ok(None)
}

fn of_namespace(namespace: &str, object: &Object<'_>, name: &str) -> quickjs::Result<Option<String>> {
    missing(&format!("g.{namespace}"), "method", object, name)
}

/// Returns the message for a member that an object does not have; none if it has it.
fn missing(owner: &str, noun: &str, object: &Object<'_>, name: &str) -> quickjs::Result<Option<String>> {
    if object.contains_key(name)? {
        return Ok(None);
    }
    let names = names(object)?;
    let advice = match closest(name, &names) {
        Some(known) => format!("; did you mean {known}?"),
        None => format!("; it has {}", show::list(&names)),
    };
    let name: String = name.chars().take(show::MAX_CHARACTERS).collect();
    Ok(Some(format!("{owner} has no {noun} {}{advice}", name.escape_debug())))
}

fn has(object: &Object<'_>, name: &str) -> quickjs::Result<bool> {
    Ok(names(object)?.iter().any(|known| known == name))
}

fn names(object: &Object<'_>) -> quickjs::Result<Vec<String>> {
    object.keys::<String>().collect()
}

/// Returns the name with the fewest edits, if they are few.
fn closest<'a>(name: &str, names: &'a [String]) -> Option<&'a String> {
    let least = names.iter().map(|known| (edits(name, known), known)).min_by_key(|(edits, _)| *edits);
    least.filter(|(edits, known)| *edits <= MAX_EDITS && *edits < known.len()).map(|(_, known)| known)
}

/// Returns how many characters have to be added, removed or replaced, ignoring case.
fn edits(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, character) in one.to_lowercase().chars().take(show::MAX_CHARACTERS).enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], line + 1);
        for (column, known) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(character != *known);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_name_has_the_fewest_edits() {
        let names = ["put", "get", "delete"].map(str::to_owned);
        let closest = |name: &str| closest(name, &names).map(String::as_str);
        assert_eq!(closest("putt"), Some("put"));
        assert_eq!(closest("Get"), Some("get"));
        assert_eq!(closest("delte"), Some("delete"));
        assert_eq!(closest("remove"), None);
        assert_eq!(closest("x"), None);
        assert_eq!(closest(""), None);
    }
}
