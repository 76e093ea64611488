//! `g.d.ts`: what an editor knows of `g` and of the globals.

use crate::{
    docs::Docs,
    model::{Function, Model, Namespace, Record, Type, Update, Value},
    prose::prose,
};

/// The built-ins that ghost adds to the language, and what all errors have in common.
const GLOBALS: &str = include_str!("template/globals.d.ts");

/// The text of `g.d.ts`.
pub fn types(model: &Model) -> String {
    let mut text = String::from("// Made by ghost-bindgen: what a script of ghost can use beside ES2023.\n\n");
    text += "/** Storage and external systems. Frozen. */\ndeclare const g: {\n";
    for namespace in &model.namespaces {
        // The rest stands at the interface.
        let first = paragraphs(&namespace.docs).into_iter().take_while(|line| !line.is_empty());
        text += &comment(2, &first.collect::<Vec<_>>());
        text += &format!("  readonly {}: {};\n", namespace.name.camel(), interface(namespace));
    }
    text += "};\n\n";
    for namespace in &model.namespaces {
        text += &comment(0, &paragraphs(&namespace.docs));
        text += &methods(model, &interface(namespace), namespace.functions.iter());
    }
    for record in model.seen_records() {
        text += &self::record(model, record);
    }
    for resource in &model.resources {
        text += &comment(0, &paragraphs(&resource.docs));
        text += &methods(model, &resource.name.pascal(), model.methods_of(resource));
    }
    text += &codes(model);
    text + GLOBALS
}

fn interface(namespace: &Namespace) -> String {
    format!("Ghost{}", namespace.name.pascal())
}

fn methods<'a>(model: &Model, name: &str, functions: impl Iterator<Item = &'a Function>) -> String {
    let mut text = format!("interface {name} {{\n");
    for (index, function) in functions.enumerate() {
        if index > 0 {
            text.push('\n');
        }
        let mut lines = paragraphs(&function.docs);
        for parameter in &function.parameters {
            let meaning = meaning(parameter).join(" ");
            if !meaning.is_empty() {
                lines.push(format!("@param {} {meaning}", parameter.name.camel()));
            }
        }
        text += &comment(2, &lines);
        text += &format!("  {};\n", signature(model, function));
    }
    text + "}\n\n"
}

fn record(model: &Model, record: &Record) -> String {
    let mut text = comment(0, &paragraphs(&record.docs));
    let generic = if record.given && holds_json(model, record) { "<T = any>" } else { "" };
    text += &format!("interface {}{generic} {{\n", record.name.pascal());
    for field in &record.fields {
        text += &comment(2, &meaning(field));
        text += &format!("  {};\n", member(model, record, field));
    }
    text + "}\n\n"
}

fn codes(model: &Model) -> String {
    let mut text = String::from("/** Why a call failed. */\ntype ErrorCode =\n");
    for code in &model.codes {
        text += &comment(2, &paragraphs(&code.docs));
        text += &format!("  | {:?}\n", code.name.screaming());
    }
    text.pop();
    text + ";\n\n"
}

/// `get<T = any>(collection: string, key: string): StoreDoc<T> | null`
pub fn signature(model: &Model, function: &Function) -> String {
    let parameter = |parameter: &Value| {
        let (name, ty) = (parameter.name.camel(), taken(model, &parameter.ty));
        if parameter.optional { format!("{name}?: {}", or_null(ty)) } else { format!("{name}: {ty}") }
    };
    let mut parameters: Vec<_> = function.parameters.iter().map(parameter).collect();
    if let (Some(_), Some(Type::Resource(index))) = (&function.callback, &function.result) {
        let resource = model.resources[*index].name.pascal();
        let name = function.name.camel();
        parameters.push(format!("callback: ({name}: {resource}) => T | Promise<T>"));
        return format!("{name}<T>({}): Promise<T>", parameters.join(", "));
    }
    if let Some(Update { stored, .. }) = &function.update {
        parameters.push("change: (data: T | undefined) => T | undefined".to_owned());
        let (name, stored) = (function.name.camel(), given(model, stored));
        return format!("{name}<T = any>({}): {stored} | null", parameters.join(", "));
    }
    let result = match &function.result {
        Some(Type::List(item)) if function.pages.is_some() => format!("Generator<{}, void, void>", given(model, item)),
        Some(ty) => given(model, ty),
        None => "void".to_owned(),
    };
    let result = if function.asynchronous { format!("Promise<{result}>") } else { result };
    let generic = function.result.as_ref().is_some_and(|ty| model.holds_json(ty));
    let generic = if generic { "<T = any>" } else { "" };
    format!("{}{generic}({}): {result}", function.name.camel(), parameters.join(", "))
}

/// `sort?: "key" | "createdAt" | null`
fn member(model: &Model, record: &Record, field: &Value) -> String {
    let name = field.name.camel();
    let ty = if record.given { given(model, &field.ty) } else { taken(model, &field.ty) };
    match (field.optional, record.given) {
        (false, _) => format!("{name}: {ty}"),
        (true, true) if field.docs.null => format!("{name}: {}", or_null(ty)),
        (true, true) => format!("{name}?: {ty}"),
        (true, false) => format!("{name}?: {}", or_null(ty)),
    }
}

/// The type of an argument.
pub fn taken(model: &Model, ty: &Type) -> String {
    match ty {
        Type::Json => "unknown".to_owned(),
        Type::Marked(marked) => marked.typescript.to_owned(),
        Type::ErrorText => "string | Error".to_owned(),
        Type::List(item) => list(&taken(model, item)),
        Type::Record(record) => model.records[*record].name.pascal(),
        _ => plain(model, ty),
    }
}

/// The type of a result.
pub fn given(model: &Model, ty: &Type) -> String {
    match ty {
        Type::Json => "T".to_owned(),
        Type::Marked(marked) => marked.typescript.to_owned(),
        Type::List(item) => list(&given(model, item)),
        Type::Nullable(inner) => given(model, inner) + " | null",
        Type::Record(record) if model.holds_json(ty) => model.records[*record].name.pascal() + "<T>",
        Type::Record(record) => model.records[*record].name.pascal(),
        _ => plain(model, ty),
    }
}

fn plain(model: &Model, ty: &Type) -> String {
    let few = model.literals(ty);
    if !few.is_empty() {
        return few.iter().map(ToString::to_string).collect::<Vec<_>>().join(" | ");
    }
    match ty {
        Type::Text(_) | Type::Timestamp => "string".to_owned(),
        Type::TextMap => "Record<string, string>".to_owned(),
        Type::Boolean => "boolean".to_owned(),
        Type::Whole(_) | Type::Number { .. } => "number".to_owned(),
        Type::Resource(resource) => model.resources[*resource].name.pascal(),
        _ => unreachable!("has no plain form: {ty:?}"),
    }
}

fn list(item: &str) -> String {
    let union = item.contains(" | ") && !item.ends_with("[]");
    if union { format!("({item})[]") } else { format!("{item}[]") }
}

fn or_null(ty: String) -> String {
    if ty == "unknown" { ty } else { ty + " | null" }
}

fn holds_json(model: &Model, record: &Record) -> bool {
    record.fields.iter().any(|field| model.holds_json(&field.ty))
}

/// What a member means, with its range and its default.
fn meaning(value: &Value) -> Vec<String> {
    let mut lines = paragraphs(&value.docs);
    if let Some((least, most)) = value.docs.range {
        lines.push(format!("From {least} to {most}."));
    }
    if let Some(default) = &value.docs.default {
        lines.push(format!("@default {default}"));
    }
    lines
}

fn paragraphs(docs: &Docs) -> Vec<String> {
    prose(docs).lines().map(ToOwned::to_owned).collect()
}

/// A doc comment; none for no lines.
fn comment(indent: usize, lines: &[String]) -> String {
    let margin = " ".repeat(indent);
    let lines: Vec<_> = lines.iter().map(|line| line.replace("*/", "*\\/")).collect();
    match lines.as_slice() {
        [] => String::new(),
        [line] => format!("{margin}/** {line} */\n"),
        lines => {
            let body: String =
                lines.iter().map(|line| format!("{margin} * {line}").trim_end().to_owned() + "\n").collect();
            format!("{margin}/**\n{body}{margin} */\n")
        }
    }
}
