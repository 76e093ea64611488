//! Functions whose form in JavaScript differs from that in the WIT (`@update`, `@pages`), with checks of their tags.

use anyhow::{Context, Result, ensure};

use crate::{
    model::{Function, Model, Pages, Type, Update},
    name::Name,
};

/// The members of the record that a function with `@update` returns.
const DATA: &str = "data";
const REVISION: &str = "revision";

/// Resolves the two functions that each `@update` names, and removes them, because a script does not see them.
pub fn with_updates(mut functions: Vec<Function>, model: &mut Model) -> Result<Vec<Function>> {
    let mut hidden = Vec::new();
    for index in 0..functions.len() {
        let Some((replace, remove)) = functions[index].docs.update.clone() else { continue };
        let read = &functions[index];
        let record = reading(read, model).with_context(|| read.name.to_string())?;
        let stored = writer(&functions, read, &replace, true).and_then(|writer| writer.result.clone());
        let stored = stored.with_context(|| mismatch(read, &replace, ", data: json) that returns what it stored"))?;
        let removed = writer(&functions, read, &remove, false).is_some_and(|writer| writer.result.is_none());
        ensure!(removed, mismatch(read, &remove, ") that returns nothing"));
        hidden.extend([replace.clone(), remove.clone()]);
        let update = Update { replace: Name::new(replace), remove: Name::new(remove), stored };
        functions[index].update = Some(update);
        model.records[record].is_result = false;
    }
    functions.retain(|function| !hidden.iter().any(|name| name == function.name.kebab()));
    Ok(functions)
}

/// Returns the record that a function with `@update` returns.
fn reading(read: &Function, model: &Model) -> Result<usize> {
    let plain = !read.asynchronous && read.fails && read.parameters.iter().all(|parameter| !parameter.optional);
    let record = match &read.result {
        Some(Type::Record(record)) if plain => Some(*record),
        _ => None,
    };
    let has = |record: usize, name: &str, ty: &Type, optional: bool| {
        let mut fields = model.records[record].fields.iter();
        fields.any(|field| field.name.kebab() == name && field.ty == *ty && field.optional == optional)
    };
    let record = record.filter(|record| {
        has(*record, DATA, &Type::Json, true) && has(*record, REVISION, &Type::Text(Vec::new()), false)
    });
    record.context(
        "@update belongs to a synchronous function that can fail, has no optional parameter, and returns a record of \
         data: option<json> and revision: string",
    )
}

/// Returns the function of this name that has the parameters of `read`, a revision and, with `with_data`, data.
fn writer<'a>(functions: &'a [Function], read: &Function, name: &str, with_data: bool) -> Option<&'a Function> {
    let mut expected: Vec<_> =
        read.parameters.iter().map(|parameter| (parameter.name.kebab(), parameter.ty.clone())).collect();
    expected.push((REVISION, Type::Text(Vec::new())));
    if with_data {
        expected.push((DATA, Type::Json));
    }
    let fits = |function: &&Function| {
        let taken = function.parameters.iter().filter(|parameter| !parameter.optional);
        let taken: Vec<_> = taken.map(|parameter| (parameter.name.kebab(), parameter.ty.clone())).collect();
        let plain = !function.asynchronous && function.fails && function.parameters.len() == expected.len();
        function.name.kebab() == name && plain && taken == expected
    };
    functions.iter().find(fits)
}

fn mismatch(read: &Function, name: &str, rest: &str) -> String {
    let own: Vec<_> = read.parameters.iter().map(|parameter| parameter.name.kebab()).collect();
    format!("{}: @update {name}: there is no function {name}({}, revision: string{rest}", read.name, own.join(", "))
}

/// Returns `@pages` of a function, and checks that the function matches.
pub fn pages(function: &Function, model: &Model) -> Result<Option<Pages>> {
    let Some((after, key)) = &function.docs.pages else { return Ok(None) };
    let text = Type::Text(Vec::new());
    let has = |record: usize, name: &str, optional: bool| {
        let mut fields = model.records[record].fields.iter();
        fields.any(|field| field.name.kebab() == name && field.ty == text && field.optional == optional)
    };
    let all_optional = |record: usize| model.records[record].fields.iter().all(|field| field.optional);
    let takes = function.parameters.last().is_some_and(|options| match options.ty {
        Type::Record(record) => options.optional && all_optional(record) && has(record, after, true),
        _ => false,
    });
    let gives = match &function.result {
        Some(Type::List(item)) => matches!(**item, Type::Record(record) if has(record, key, false)),
        _ => false,
    };
    ensure!(
        takes && gives && function.fails && !function.asynchronous,
        "@pages belongs to a synchronous function that can fail, takes options with {after}: option<string> last, and \
         returns a list of records with {key}: string"
    );
    Ok(Some(Pages { after: Name::new(after), key: Name::new(key) }))
}
