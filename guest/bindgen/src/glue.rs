//! The guest's glue: one Rust function a method, one conversion a record and an enumeration.
//!
//! The text relies on `guest/src/glue/`: `Argument` reads JavaScript, `answer` writes it.

use std::fmt::Write;

use crate::model::{Enumeration, Method, Model, Namespace, Record, Type, camel, pascal, snake};

pub fn generate(model: &Model) -> String {
    let mut text = String::from("// Made from the WIT by ghost-bindgen.\n\n");
    for namespace in &model.namespaces {
        let _ = writeln!(text, "use crate::bindings::ghost::g::{};", snake(&namespace.name));
    }
    install(&mut text, model);
    for namespace in &model.namespaces {
        for method in &namespace.methods {
            function(&mut text, namespace, method);
        }
        for record in &namespace.records {
            if is_argument(namespace, &record.name) {
                record_argument(&mut text, namespace, record);
            }
            if is_result(namespace, &record.name) {
                record_result(&mut text, namespace, record);
            }
        }
        for enumeration in &namespace.enumerations {
            enumeration_argument(&mut text, namespace, enumeration);
        }
    }
    text
}

/// `g`, with an object for each namespace.
fn install(text: &mut String, model: &Model) {
    text.push_str("\n/// Makes `g`, not frozen yet.\npub fn install<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {\n");
    text.push_str("    let g = Object::new(ctx.clone())?;\n");
    for namespace in &model.namespaces {
        let name = &namespace.name;
        let variable = snake(name);
        let _ = writeln!(text, "    let {variable} = Object::new(ctx.clone())?;");
        for method in &namespace.methods {
            let (function, name) = (function_name(namespace, method), camel(&method.name));
            let _ = writeln!(text, "    {variable}.set({name:?}, Function::new(ctx.clone(), {function})?.with_name({name:?})?)?;");
        }
        let _ = writeln!(text, "    g.set({:?}, {variable})?;", camel(name));
    }
    text.push_str("    Ok(g)\n}\n");
}

fn function_name(namespace: &Namespace, method: &Method) -> String {
    format!("{}_{}", snake(&namespace.name), snake(&method.name))
}

fn function(text: &mut String, namespace: &Namespace, method: &Method) {
    let (name, import) = (function_name(namespace, method), format!("{}::{}", snake(&namespace.name), rust_name(&method.name)));
    let _ = write!(
        text,
        "\nfn {name}<'js>(ctx: Ctx<'js>, values: Rest<Value<'js>>) -> Result<Value<'js>> {{\n    \
         const METHOD: Method = Method {{ namespace: {:?}, name: {:?} }};\n",
        camel(&namespace.name),
        camel(&method.name),
    );
    let variables: Vec<_> = method.parameters.iter().map(|parameter| snake(&parameter.name)).collect();
    let reads = method.parameters.iter().enumerate().map(|(index, parameter)| {
        let name = camel(&parameter.name);
        format!("{}?", read(&parameter.kind, &format!("Argument::new(&ctx, &METHOD, &values, {index}, {name:?})")))
    });
    if method.asynchronous {
        asynchronous(text, method, &import, &variables, &reads.collect::<Vec<_>>());
    } else {
        synchronous(text, method, &import, &variables, reads);
    }
    text.push_str("}\n");
}

fn synchronous(
    text: &mut String,
    method: &Method,
    import: &str,
    variables: &[String],
    reads: impl Iterator<Item = String>,
) {
    for (variable, read) in variables.iter().zip(reads) {
        let _ = writeln!(text, "    let {variable} = {read};");
    }
    let arguments = variables.iter().zip(&method.parameters).map(|(variable, parameter)| pass(variable, &parameter.kind));
    let arguments = arguments.collect::<Vec<_>>().join(", ");
    let _ = writeln!(text, "    let answer = METHOD.check(&ctx, {import}({arguments}))?;");
    let _ = writeln!(text, "    {}", write_result(method.returns.as_ref()));
}

/// A call starts at once; a bad argument rejects the promise.
fn asynchronous(text: &mut String, method: &Method, import: &str, variables: &[String], reads: &[String]) {
    let tuple = |items: &[String]| items.iter().map(|item| format!("{item}, ")).collect::<String>();
    let _ = write!(
        text,
        "    let read = || Ok(({}));\n    let ({}) = match read() {{\n        \
         Ok(arguments) => arguments,\n        Err(error) => return crate::calls::reject(&ctx, error),\n    }};\n",
        tuple(reads),
        tuple(variables),
    );
    let _ = write!(
        text,
        "    crate::calls::start(&ctx, &METHOD, {import}({}), |ctx, answer| {{\n        \
         let answer = METHOD.check(ctx, answer)?;\n        {}\n    }})\n",
        variables.join(", "),
        write_result(method.returns.as_ref()).replace("&ctx", "ctx"),
    );
}

/// How `wit-bindgen` names a function: a keyword of Rust gets an underscore.
fn rust_name(kebab: &str) -> String {
    match kebab {
        "move" | "type" | "match" | "use" | "loop" | "final" => format!("{kebab}_"),
        _ => snake(kebab),
    }
}

/// `wit-bindgen` takes what it need not own as a reference.
fn pass(variable: &str, kind: &Type) -> String {
    match kind {
        Type::Text | Type::Json | Type::Timestamp | Type::List(_) => format!("&{variable}"),
        Type::Optional(inner) => match **inner {
            Type::Text | Type::Json | Type::Timestamp | Type::List(_) => format!("{variable}.as_deref()"),
            _ => variable.into(),
        },
        _ => variable.into(),
    }
}

/// What reads an argument; it fails with the script's error.
fn read(kind: &Type, argument: &str) -> String {
    match kind {
        Type::Optional(inner) => format!("{argument}.optional(|argument| {})", read(inner, "argument")),
        Type::List(inner) => format!("{argument}.list(|argument| {})", read(inner, "argument")),
        Type::Record(name) | Type::Enumeration(name) => format!("read_{}({argument})", snake(name)),
        Type::Text => format!("{argument}.text()"),
        Type::Boolean => format!("{argument}.boolean()"),
        Type::Whole => format!("{argument}.whole()"),
        Type::Natural => format!("{argument}.natural()"),
        Type::Json => format!("{argument}.json()"),
        Type::Timestamp => format!("{argument}.timestamp()"),
    }
}

fn write_result(kind: Option<&Type>) -> String {
    kind.map_or("let () = answer;\n    Ok(Value::new_undefined(ctx.clone()))".into(), |kind| write(kind, "answer"))
}

/// What makes JavaScript of a result.
fn write(kind: &Type, value: &str) -> String {
    match kind {
        Type::Optional(inner) => format!("answer::optional(&ctx, {value}, |ctx, item| {})", write(inner, "item").replace("&ctx", "ctx")),
        Type::List(inner) => format!("answer::list(&ctx, {value}, |ctx, item| {})", write(inner, "item").replace("&ctx", "ctx")),
        Type::Record(name) => format!("write_{}(&ctx, {value})", snake(name)),
        Type::Json => format!("answer::json(&ctx, {value})"),
        Type::Text | Type::Timestamp => format!("answer::text(&ctx, {value})"),
        Type::Boolean => format!("Ok(Value::new_bool(ctx.clone(), {value}))"),
        Type::Whole | Type::Natural => format!("Ok(Value::new_number(ctx.clone(), {value} as f64))"),
        Type::Enumeration(name) => format!("answer::text(&ctx, write_{}({value}).into())", snake(name)),
    }
}

/// Whether a method takes the record, in whatever depth of options and lists.
fn is_argument(namespace: &Namespace, record: &str) -> bool {
    let mut kinds = namespace.methods.iter().flat_map(|method| &method.parameters).map(|parameter| &parameter.kind);
    kinds.any(|kind| names(kind, record))
}

fn is_result(namespace: &Namespace, record: &str) -> bool {
    namespace.methods.iter().filter_map(|method| method.returns.as_ref()).any(|kind| names(kind, record))
}

fn names(kind: &Type, record: &str) -> bool {
    match kind {
        Type::Optional(inner) | Type::List(inner) => names(inner, record),
        Type::Record(name) => name == record,
        _ => false,
    }
}

fn record_argument(text: &mut String, namespace: &Namespace, record: &Record) {
    let kind = format!("{}::{}", snake(&namespace.name), pascal(&record.name));
    let names: Vec<_> = record.fields.iter().map(|field| camel(&field.name)).collect();
    let _ = write!(
        text,
        "\nfn read_{}<'js>(argument: Argument<'_, 'js>) -> Result<{kind}> {{\n    \
         let fields = argument.fields(&{names:?})?;\n    Ok({kind} {{\n",
        snake(&record.name),
    );
    for (field, name) in record.fields.iter().zip(&names) {
        let read = read(&field.kind, &format!("fields.get(&argument, {name:?})?"));
        let _ = writeln!(text, "        {}: {read}?,", rust_name(&field.name));
    }
    text.push_str("    })\n}\n");
}

fn record_result(text: &mut String, namespace: &Namespace, record: &Record) {
    let kind = format!("{}::{}", snake(&namespace.name), pascal(&record.name));
    let _ = write!(
        text,
        "\nfn write_{}<'js>(ctx: &Ctx<'js>, record: {kind}) -> Result<Value<'js>> {{\n    \
         let object = Object::new(ctx.clone())?;\n",
        snake(&record.name),
    );
    for field in &record.fields {
        let (name, member) = (camel(&field.name), format!("record.{}", rust_name(&field.name)));
        let _ = match (&field.kind, field.null) {
            (Type::Optional(inner), false) => {
                let value = write(inner, "value").replace("&ctx", "ctx");
                writeln!(text, "    if let Some(value) = {member} {{\n        object.set({name:?}, {value}?)?;\n    }}")
            }
            (kind, _) => writeln!(text, "    object.set({name:?}, {}?)?;", write(kind, &member).replace("&ctx", "ctx")),
        };
    }
    text.push_str("    Ok(object.into_value())\n}\n");
}

fn enumeration_argument(text: &mut String, namespace: &Namespace, enumeration: &Enumeration) {
    let kind = format!("{}::{}", snake(&namespace.name), pascal(&enumeration.name));
    let _ = write!(
        text,
        "\nfn read_{}(argument: Argument<'_, '_>) -> Result<{kind}> {{\n    argument.one_of(&[\n",
        snake(&enumeration.name),
    );
    for case in &enumeration.cases {
        let _ = writeln!(text, "        ({:?}, {kind}::{}),", camel(&case.name), pascal(&case.name));
    }
    text.push_str("    ])\n}\n");
}
