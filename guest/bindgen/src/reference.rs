//! Generates the reference: each namespace with its methods, options, results and errors, as Markdown.

use crate::{
    docs::{Class, Docs},
    model::{Function, Model, Namespace, Record, Type, Value},
    name::Name,
    prose::prose,
    types::{argument_type, constructor, result_type, signature},
};

/// The introduction.
const PREFACE: &str = include_str!("template/reference.md");

/// Returns the text of the reference.
pub fn reference(model: &Model) -> String {
    let mut text = String::from(PREFACE);
    text += "\n| `code` | When |\n|---|---|\n";
    for code in &model.codes {
        let meaning = one_line(&prose(&code.docs));
        text += &format!("| `{}` | {meaning} |\n", code.name.screaming());
    }
    for namespace in &model.namespaces {
        text += &self::namespace(model, namespace);
    }
    text
}

fn namespace(model: &Model, namespace: &Namespace) -> String {
    let name = format!("g.{}", namespace.name.camel());
    let mut text = format!("\n## {name}\n\n{}", paragraphs(&namespace.docs));
    text += &errors("Errors of every method", &namespace.docs);
    text += &classes(&name, &namespace.docs.classes);
    for function in &namespace.functions {
        text += &method(model, &name, function);
    }
    for resource in model.resources_of(namespace) {
        text += &format!("\n### {}\n\n{}", resource.name.pascal(), paragraphs(&resource.docs));
        for function in model.methods_of(resource) {
            text += &method(model, &resource.name.camel(), function);
        }
    }
    for record in model.records_of(namespace) {
        text += &format!("\n### {}\n\n{}", record.name.pascal(), paragraphs(&record.docs));
        text += &members(model, record);
    }
    text
}

fn classes(owner: &str, classes: &[Class]) -> String {
    if classes.is_empty() {
        return String::new();
    }
    let mut text =
        format!("\n### Classes of {owner}\n\n| Class | Constructor | Members | Meaning |\n|---|---|---|---|\n");
    for class in classes {
        let members: Vec<_> = class.members.iter().map(|member| format!("`{member}`")).collect();
        let row = [
            format!("`{owner}.{}`", class.name),
            format!("`{}`", constructor(class)),
            members.join(", "),
            one_line(&class.text),
        ];
        text += &format!("| {} |\n", row.map(|cell| cell.replace('|', "\\|")).join(" | "));
    }
    text
}

fn method(model: &Model, owner: &str, function: &Function) -> String {
    let name = function.name.camel();
    let mut text = format!(
        "\n### {owner}.{name}\n\n```ts\n{owner}.{}\n```\n\n{said}\n",
        signature(model, function),
        said = prose(&function.docs)
    );
    text += &parameters(model, function);
    text += &errors("Additional errors", &function.docs);
    text
}

/// Returns the list of the parameters with documentation.
fn parameters(model: &Model, function: &Function) -> String {
    let mut text = String::new();
    for parameter in &function.parameters {
        let mut said = meaning(&parameter.docs);
        if let Some(default) = &parameter.docs.default {
            said += &format!(" Default: `{default}`.");
        }
        let (name, said) = (parameter.name.camel(), said.trim());
        match &parameter.ty {
            Type::Record(record) => {
                let record = model.records[*record].name.pascal();
                text += &format!("- `{name}`: [{record}](#{}){}\n", record.to_ascii_lowercase(), after(", ", said));
            }
            _ if said.is_empty() => {}
            _ => text += &format!("- `{name}`: {said}\n"),
        }
    }
    after("\n", &text)
}

fn members(model: &Model, record: &Record) -> String {
    let defaults = record.fields.iter().any(|field| field.docs.default.is_some());
    let heading = if defaults {
        "| Name | Type | Default | Meaning |\n|---|---|---|---|\n"
    } else {
        "| Name | Type | Meaning |\n|---|---|---|\n"
    };
    let mut text = format!("\n{heading}");
    for field in &record.fields {
        let default = field.docs.default.as_ref().map_or_else(String::new, |default| format!("`{default}`"));
        let default = if defaults { format!(" {default} |") } else { String::new() };
        let absent = if field.optional && !field.docs.null { "?" } else { "" };
        let (name, ty) = (field.name.camel(), kind(model, record, field));
        text += &format!("| `{name}{absent}` | {ty} |{default} {} |\n", meaning(&field.docs));
    }
    text
}

/// Returns the type of a member, as a cell of a table.
fn kind(model: &Model, record: &Record, field: &Value) -> String {
    let few = model.literals(&field.ty);
    if !few.is_empty() {
        return few.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ");
    }
    let ty = match &field.ty {
        Type::Json => "any".to_owned(),
        Type::Timestamp => "string, ISO 8601".to_owned(),
        Type::Whole(_) => "whole number".to_owned(),
        ty if record.is_result => format!("`{}`", result_type(model, ty)),
        ty => format!("`{}`", argument_type(model, ty)),
    };
    if field.docs.null { ty + " or null" } else { ty }
}

fn meaning(docs: &Docs) -> String {
    let mut said = one_line(&prose(docs));
    if let Some((least, most)) = docs.range {
        said += &format!(" From {least} to {most}.");
    }
    said.trim().replace('|', "\\|")
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn paragraphs(docs: &Docs) -> String {
    prose(docs) + "\n"
}

/// The codes of `@errors`, in capitals; nothing when there are none.
fn errors(which: &str, docs: &Docs) -> String {
    let codes: Vec<_> = docs.errors.iter().map(|code| format!("`{}`", Name::new(code).screaming())).collect();
    if codes.is_empty() { String::new() } else { format!("\n{which}: {}.\n", codes.join(", ")) }
}

/// Returns a text with a prefix; an empty text stays empty.
fn after(before: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{before}{text}") }
}
