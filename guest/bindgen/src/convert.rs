//! The part of the glue that converts values: a function for each record and enum, an expression for all else.

use crate::{
    model::{Enum, Model, Record, Type},
    name::Name,
};

/// An enum's conversions.
pub fn one_of(one: &Enum) -> String {
    let (name, path) = (one.name.snake(), path(&one.interface, &one.name));
    let mut text = String::new();
    if one.taken {
        let case = |case: &Name| format!("({:?}, {path}::{})", case.camel(), case.pascal());
        let cases = array("    let cases = ", one.cases.iter().map(|one| case(&one.name)).collect());
        text += &format!(
            "pub fn {name}_from_script(place: &Place<'_>, value: &Value<'_>) -> Result<{path}, Fault> {{\n\
             {cases}    from_script::case(place, value, &cases)\n}}\n\n"
        );
    }
    if one.given {
        let case = |case: &Name| format!("        {path}::{} => {:?},\n", case.pascal(), case.camel());
        let cases: String = one.cases.iter().map(|one| case(&one.name)).collect();
        text += &format!(
            "pub fn {name}_to_script<'js>(ctx: &Ctx<'js>, value: {path}) -> quickjs::Result<Value<'js>> {{\n    \
             let word = match value {{\n{cases}    }};\n    to_script::word(ctx, word)\n}}\n\n"
        );
    }
    text
}

/// A record's conversions.
pub fn record(model: &Model, record: &Record, names: &[Name]) -> String {
    let mut text = String::new();
    if record.taken {
        text += &record_from_script(model, record);
    }
    if record.given {
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
        let take = taker(model, &field.ty);
        fields += &format!("        {}: members.{how}({index}, {take})?,\n", field.name.snake());
    }
    format!(
        "pub fn {name}_from_script(place: &Place<'_>, value: &Value<'_>) -> Result<{path}, Fault> {{\n    \
         let members = Members::read(place, value, &[{names}])?;\n    Ok({path} {{\n{fields}    }})\n}}\n\n"
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
        let give = giver(model, &field.ty);
        fields += &format!("    object.{set}(member::{constant}, value.{member}, {give})?;\n");
    }
    format!(
        "pub fn {name}_to_script<'js>(ctx: &Ctx<'js>, value: {path}) -> quickjs::Result<Value<'js>> {{\n    \
         let object = to_script::Record::new(ctx)?;\n{fields}    Ok(object.finish())\n}}\n\n"
    )
}

/// A statement that ends in an array: on one line if it fits there.
pub fn array(start: &str, items: Vec<String>) -> String {
    let line = format!("{start}[{}];\n", items.join(", "));
    if line.len() <= 120 {
        return line;
    }
    let margin = " ".repeat(start.len() - start.trim_start().len());
    let lines: String = items.iter().map(|item| format!("{margin}    {item},\n")).collect();
    format!("{start}[\n{lines}{margin}];\n")
}

/// A function from the script's value to the WIT's.
pub fn taker(model: &Model, ty: &Type) -> String {
    match ty {
        Type::Text(values) if values.is_empty() => "from_script::text".to_owned(),
        Type::Text(values) => format!("|place, value| from_script::text_of(place, value, &{values:?})"),
        Type::Boolean => "from_script::boolean".to_owned(),
        Type::Whole(whole) if whole.values.is_empty() => {
            format!("|place, value| from_script::whole(place, value, {}, {})", whole.least, whole.most)
        }
        Type::Whole(whole) => format!("|place, value| from_script::whole_of(place, value, &{:?})", whole.values),
        Type::Number { range: None, rust: "f64" } => "from_script::number".to_owned(),
        Type::Number { range: None, rust } => {
            format!("|place, value| Ok(from_script::number(place, value)? as {rust})")
        }
        Type::Number { range: Some((least, most)), rust } => {
            format!("|place, value| Ok(from_script::number_within(place, value, {least:?}, {most:?})? as {rust})")
        }
        Type::Json => "from_script::json".to_owned(),
        Type::Marked(marked) => marked.convert.to_owned(),
        Type::ErrorText => "from_script::error_text".to_owned(),
        Type::List(item) => format!("|place, value| from_script::list(place, value, {})", taker(model, item)),
        Type::Record(record) => format!("{}_from_script", model.records[*record].name.snake()),
        Type::Enum(one) => format!("{}_from_script", model.enums[*one].name.snake()),
        Type::TextMap | Type::Timestamp | Type::Nullable(_) | Type::Resource(_) => {
            unreachable!("the reader lets none be taken")
        }
    }
}

/// A function from the WIT's value to the script's.
pub fn giver(model: &Model, ty: &Type) -> String {
    match ty {
        Type::List(_) | Type::Nullable(_) => format!("|ctx, value| {}", given(model, ty, "value")),
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

/// The script's value made of an expression.
pub fn given(model: &Model, ty: &Type, value: &str) -> String {
    match ty {
        Type::List(item) => format!("to_script::array(ctx, {value}, {})", giver(model, item)),
        Type::Nullable(inner) => format!("to_script::nullable(ctx, {value}, {})", giver(model, inner)),
        Type::Whole(whole) if whole.rust.ends_with("64") => format!("to_script::number(ctx, {value} as f64)"),
        _ => format!("{}(ctx, {value})", giver(model, ty)),
    }
}

/// A type as the bindings name it.
pub fn path(interface: &Name, name: &Name) -> String {
    format!("{}::{}", interface.snake(), name.pascal())
}
