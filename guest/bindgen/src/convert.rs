//! Generates the conversions of values: a function for each record and enum, an expression for every other type.

use crate::{
    model::{Enum, Model, Record, Type},
    name::Name,
};

/// Generates the conversions of an enum.
pub fn one_of(one: &Enum) -> String {
    let (name, path) = (one.name.snake(), path(&one.interface, &one.name));
    let mut text = String::new();
    if one.is_argument {
        let case = |case: &Name| format!("({:?}, {path}::{})", case.camel(), case.pascal());
        let cases = array("    let cases = ", one.cases.iter().map(|one| case(&one.name)).collect());
        text += &format!(
            "pub fn {name}_from_script(path: &ArgumentPath<'_>, value: &Value<'_>) -> Result<{path}, CallError> {{\n\
             {cases}    from_script::case(path, value, &cases)\n}}\n\n"
        );
    }
    if one.is_result {
        let case = |case: &Name| format!("        {path}::{} => {:?},\n", case.pascal(), case.camel());
        let cases: String = one.cases.iter().map(|one| case(&one.name)).collect();
        text += &format!(
            "pub fn {name}_to_script<'js>(ctx: &Ctx<'js>, value: {path}) -> quickjs::Result<Value<'js>> {{\n    \
             let word = match value {{\n{cases}    }};\n    to_script::word(ctx, word)\n}}\n\n"
        );
    }
    text
}

/// Generates the conversions of a record.
pub fn record(model: &Model, record: &Record, names: &[Name]) -> String {
    let mut text = String::new();
    if record.is_argument {
        text += &record_from_script(model, record);
    }
    if record.is_result {
        text += &record_to_script(model, record, names);
    }
    text
}

fn record_from_script(model: &Model, record: &Record) -> String {
    let (name, path) = (record.name.snake(), path(&record.interface, &record.name));
    let names: Vec<_> = record.fields.iter().map(|field| format!("{:?}", field.name.camel())).collect();
    let names = names.join(", ");
    let mut fields = String::new();
    for (index, field) in record.fields.iter().enumerate() {
        let how = if field.optional { "optional" } else { "required" };
        let take = argument_conversion(model, &field.ty);
        fields += &format!("        {}: members.{how}({index}, {take})?,\n", field.name.snake());
    }
    format!(
        "pub fn {name}_from_script(path: &ArgumentPath<'_>, value: &Value<'_>) -> Result<{path}, CallError> {{\n    \
         let members = Members::read(path, value, &[{names}])?;\n    Ok({path} {{\n{fields}    }})\n}}\n\n"
    )
}

fn record_to_script(model: &Model, record: &Record, names: &[Name]) -> String {
    let (name, path) = (record.name.snake(), path(&record.interface, &record.name));
    let mut fields = String::new();
    for field in record.fields.iter().filter(|field| names.contains(&field.name)) {
        let set = match (field.optional, field.docs.null) {
            (false, _) => "set",
            (true, false) => "set_present",
            (true, true) => "set_nullable",
        };
        let (constant, member) = (field.name.screaming(), field.name.snake());
        let give = result_conversion(model, &field.ty);
        fields += &format!("    object.{set}(member::{constant}, value.{member}, {give})?;\n");
    }
    format!(
        "pub fn {name}_to_script<'js>(ctx: &Ctx<'js>, value: {path}) -> quickjs::Result<Value<'js>> {{\n    \
         let object = to_script::Record::new(ctx)?;\n{fields}    Ok(object.finish())\n}}\n\n"
    )
}

/// Returns a statement that ends in an array, on one line if it fits.
pub fn array(start: &str, items: Vec<String>) -> String {
    let line = format!("{start}[{}];\n", items.join(", "));
    if line.len() <= 120 {
        return line;
    }
    let margin = " ".repeat(start.len() - start.trim_start().len());
    let lines: String = items.iter().map(|item| format!("{margin}    {item},\n")).collect();
    format!("{start}[\n{lines}{margin}];\n")
}

/// Returns the function that converts an argument from JavaScript.
pub fn argument_conversion(model: &Model, ty: &Type) -> String {
    match ty {
        Type::Text(values) if values.is_empty() => "from_script::text".to_owned(),
        Type::Text(values) => format!("|path, value| from_script::text_of(path, value, &{values:?})"),
        Type::Boolean => "from_script::boolean".to_owned(),
        Type::Whole(whole) if whole.values.is_empty() => {
            format!("|path, value| from_script::whole(path, value, {}, {})", whole.least, whole.most)
        }
        Type::Whole(whole) => format!("|path, value| from_script::whole_of(path, value, &{:?})", whole.values),
        Type::Number { range: None, rust: "f64" } => "from_script::number".to_owned(),
        Type::Number { range: None, rust } => {
            format!("|path, value| Ok(from_script::number(path, value)? as {rust})")
        }
        Type::Number { range: Some((least, most)), rust } => {
            format!("|path, value| Ok(from_script::number_within(path, value, {least:?}, {most:?})? as {rust})")
        }
        Type::Json => "from_script::json".to_owned(),
        Type::Marked(marked) => marked.convert.to_owned(),
        Type::ErrorText => "from_script::error_text".to_owned(),
        Type::List(item) => {
            format!("|path, value| from_script::list(path, value, {})", argument_conversion(model, item))
        }
        Type::Record(record) => format!("{}_from_script", model.records[*record].name.snake()),
        Type::Enum(one) => format!("{}_from_script", model.enums[*one].name.snake()),
        Type::TextMap | Type::Timestamp | Type::Nullable(_) | Type::Resource(_) => {
            unreachable!("the reader rejects it in arguments")
        }
    }
}

/// Returns the function that converts a result to JavaScript.
pub fn result_conversion(model: &Model, ty: &Type) -> String {
    match ty {
        Type::List(_) | Type::Nullable(_) => format!("|ctx, value| {}", converted(model, ty, "value")),
        Type::Whole(whole) if whole.rust.ends_with("64") => "|ctx, value| to_script::number(ctx, value as f64)".into(),
        Type::Whole(_) | Type::Number { .. } => "to_script::number".to_owned(),
        Type::Text(_) | Type::ErrorText | Type::Timestamp => "to_script::text".to_owned(),
        Type::Boolean => "to_script::boolean".to_owned(),
        Type::Json | Type::TextMap => "to_script::json".to_owned(),
        Type::Marked(marked) => marked.convert.to_owned(),
        Type::Record(record) => format!("{}_to_script", model.records[*record].name.snake()),
        Type::Enum(one) => format!("{}_to_script", model.enums[*one].name.snake()),
        Type::Resource(resource) => format!("{}_to_script", model.resources[*resource].name.snake()),
    }
}

/// Returns an expression that converts a result to JavaScript.
pub fn converted(model: &Model, ty: &Type, value: &str) -> String {
    match ty {
        Type::List(item) => format!("to_script::array(ctx, {value}, {})", result_conversion(model, item)),
        Type::Nullable(inner) => format!("to_script::nullable(ctx, {value}, {})", result_conversion(model, inner)),
        Type::Whole(whole) if whole.rust.ends_with("64") => format!("to_script::number(ctx, {value} as f64)"),
        _ => format!("{}(ctx, {value})", result_conversion(model, ty)),
    }
}

/// Returns the path of a type in the bindings.
pub fn path(interface: &Name, name: &Name) -> String {
    format!("{}::{}", interface.snake(), name.pascal())
}
