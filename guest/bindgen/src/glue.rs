//! The guest's glue: Rust text that converts the arguments and the result of every method.
//!
//! What it is made of (`from_script`, `to_script`, `start`, `add_method`) stands in `guest/src/glue`.

use crate::{
    convert::{array, given, giver, one_of, path, record, taker},
    model::{Callback, Enum, Function, Model, Namespace, Pages, Record, Resource, Type, Update, Value},
    name::Name,
};

const BINDINGS: &str = "crate::bindings::ghost::g";

/// Which engine the glue is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum World {
    /// The one that has every namespace.
    Script,
    /// The one without the external namespaces: they are there, and every method of theirs refuses.
    LocalScript,
}

/// What an engine can reach.
struct Linked<'a> {
    namespaces: Vec<&'a Namespace>,
    records: Vec<&'a Record>,
    enums: Vec<&'a Enum>,
    resources: Vec<&'a Resource>,
    /// What it can't.
    blocked: Vec<&'a Namespace>,
}

impl<'a> Linked<'a> {
    fn new(model: &'a Model, world: World) -> Self {
        let links = |interface: &Name| world == World::Script || !model.is_external(interface);
        let (namespaces, blocked) = model.namespaces.iter().partition(|namespace| links(&namespace.name));
        Self {
            namespaces,
            records: model.records.iter().filter(|record| links(&record.interface)).collect(),
            enums: model.enums.iter().filter(|one| links(&one.interface)).collect(),
            resources: model.resources.iter().filter(|resource| links(&resource.interface)).collect(),
            blocked,
        }
    }
}

/// The text of `g.rs`.
pub fn glue(model: &Model, world: World) -> String {
    let linked = Linked::new(model, world);
    let names = result_names(&linked);
    let mut text = String::from("// Made by ghost-bindgen from the WIT.\n\n");
    text += &imports(&linked);
    text += &member_names(&names);
    text += &codes(model);
    linked.enums.iter().for_each(|one| text += &one_of(one));
    linked.records.iter().for_each(|one| text += &record(model, one, &names));
    for resource in &linked.resources {
        let owner = Home::Resource(resource);
        resource.functions.iter().for_each(|function| text += &method(model, owner, function));
        text += &resource_object(resource);
    }
    for namespace in &linked.namespaces {
        let owner = Home::Namespace(namespace);
        namespace.functions.iter().for_each(|function| text += &method(model, owner, function));
    }
    for namespace in &linked.blocked {
        let owner = Home::Namespace(namespace);
        namespace.functions.iter().for_each(|function| text += &constant(model, owner, function));
    }
    text + &install(&linked)
}

fn imports(linked: &Linked<'_>) -> String {
    let mut interfaces: Vec<_> = linked.namespaces.iter().map(|namespace| namespace.name.snake()).collect();
    interfaces.extend(linked.records.iter().map(|record| record.interface.snake()));
    interfaces.extend(linked.enums.iter().map(|one| one.interface.snake()));
    interfaces.push("types".to_owned());
    interfaces.sort();
    interfaces.dedup();
    format!("use {BINDINGS}::{{{}}};\n\n", interfaces.join(", "))
}

/// The members of all results, each once.
fn result_names(linked: &Linked<'_>) -> Vec<Name> {
    let mut names: Vec<Name> = Vec::new();
    for field in linked.records.iter().filter(|record| record.given).flat_map(|record| &record.fields) {
        if !names.contains(&field.name) {
            names.push(field.name.clone());
        }
    }
    names
}

fn member_names(names: &[Name]) -> String {
    let list = array("pub const NAMES: &[&str] = &", names.iter().map(|name| format!("{:?}", name.camel())).collect());
    let place = |(index, name): (usize, &Name)| format!("    pub const {}: usize = {index};\n", name.screaming());
    let places: String = names.iter().enumerate().map(place).collect();
    format!(
        "/// The names of the members of results.\n{list}\n\
         /// Where each stands in `NAMES`.\nmod member {{\n{places}}}\n\n"
    )
}

fn codes(model: &Model) -> String {
    let case = |name: &Name| format!("        types::ErrorCode::{} => {:?},\n", name.pascal(), name.screaming());
    let cases: String = model.codes.iter().map(|code| case(&code.name)).collect();
    let wrong_kind = "        types::ErrorCode::WrongKind => \"INVALID_ARGUMENT\",\n";
    format!(
        "/// An error's code, as the script sees it.\n\
         pub fn code(code: types::ErrorCode) -> &'static str {{\n    match code {{\n{cases}{wrong_kind}    }}\n}}\n\n"
    )
}

/// Where a function belongs.
#[derive(Clone, Copy)]
enum Home<'a> {
    Namespace(&'a Namespace),
    Resource(&'a Resource),
}

impl Home<'_> {
    fn namespace(&self) -> &Name {
        match self {
            Self::Namespace(namespace) => &namespace.name,
            Self::Resource(resource) => &resource.interface,
        }
    }

    /// What errors call the method. One that the script does not see goes by the name of the one with the callback.
    fn method(&self, model: &Model, function: &Function) -> String {
        match self {
            Self::Namespace(_) => function.name.camel(),
            Self::Resource(resource) => match model.callback_of(resource) {
                Some((owner, Callback { finish, abort })) if [finish, abort].contains(&&function.name) => {
                    owner.name.camel()
                }
                _ => format!("{}.{}", resource.name.camel(), function.name.camel()),
            },
        }
    }

    /// The name of the function that is generated.
    fn function(&self, function: &Function) -> String {
        let name = match self {
            Self::Namespace(namespace) => format!("{}-{}", namespace.name, function.name),
            Self::Resource(resource) => format!("{}-{}-{}", resource.interface, resource.name, function.name),
        };
        Name::new(name).snake()
    }

    /// How the bindings are called.
    fn callee(&self, function: &Function) -> String {
        match self {
            Self::Namespace(namespace) => format!("{}::{}", namespace.name.snake(), function.name.snake()),
            Self::Resource(_) => format!("this.{}", function.name.snake()),
        }
    }
}

/// What errors of a method say of it.
fn constant(model: &Model, home: Home<'_>, function: &Function) -> String {
    let (namespace, method) = (home.namespace().camel(), home.method(model, function));
    let constant = home.function(function).to_ascii_uppercase();
    format!(
        "static {constant}: Method = Method {{ namespace: {namespace:?}, name: {method:?}, waits: {} }};\n\n",
        function.waits,
    )
}

fn method(model: &Model, home: Home<'_>, function: &Function) -> String {
    let name = home.function(function);
    let this = match home {
        Home::Namespace(_) => String::new(),
        Home::Resource(resource) => format!("this: &Rc<{}>, ", path(&resource.interface, &resource.name)),
    };
    format!(
        "{}fn {name}<'js>(ctx: &Ctx<'js>, {this}arguments: &Arguments<'_, 'js>) -> Answer<'js> {{\n{}{}}}\n\n",
        constant(model, home, function),
        taken(model, function),
        answer(model, home, function, &name.to_ascii_uppercase()),
    )
}

fn taken(model: &Model, function: &Function) -> String {
    // What stands in the WIT as a tag is one more argument, a function.
    let functions = usize::from(function.callback.is_some()) + usize::from(function.update.is_some());
    let most = function.parameters.len() + functions;
    let least = function.parameters.iter().filter(|parameter| !parameter.optional).count() + functions;
    let mut text = format!("    arguments.within({least}, {most})?;\n");
    for (index, parameter) in function.parameters.iter().enumerate() {
        let how = if parameter.optional { "optional" } else { "required" };
        let (local, name) = (local(parameter), parameter.name.camel());
        let take = taker(model, &parameter.ty);
        text += &format!("    let {local} = arguments.{how}({index}, {name:?}, {take})?;\n");
    }
    if function.callback.is_some() {
        let index = function.parameters.len();
        text += &format!("    arguments.required({index}, \"callback\", from_script::function)?;\n");
    }
    if function.update.is_some() {
        let index = function.parameters.len();
        text += &format!("    let change = arguments.required({index}, \"change\", update::function)?;\n");
    }
    text
}

fn answer(model: &Model, home: Home<'_>, function: &Function, constant: &str) -> String {
    let pass = |parameter: &Value| if function.asynchronous { local(parameter) } else { borrowed(model, parameter) };
    let passed: Vec<_> = function.parameters.iter().map(pass).collect();
    if let Some(update) = &function.update {
        return changed(model, home, function, update, &passed);
    }
    if let Some(pages) = &function.pages {
        return paged(model, home, function, pages);
    }
    let call = format!("{}({})", home.callee(function), passed.join(", "));
    if function.asynchronous {
        return promise(model, home, function, constant, &call);
    }
    let call = if function.fails { call + "?" } else { call };
    match &function.result {
        None => format!("    {call};\n    Ok(to_script::nothing(ctx))\n"),
        Some(ty) => format!("    let answer = {call};\n    Ok({})\n", given(model, ty, "answer") + "?"),
    }
}

/// The answer of a function with `@update`. What it reads and writes by is not seen by the script.
fn changed(model: &Model, home: Home<'_>, function: &Function, update: &Update, passed: &[String]) -> String {
    let (namespace, passed) = (home.namespace().snake(), passed.join(", "));
    let (replace, remove) = (update.replace.snake(), update.remove.snake());
    format!(
        "    let read = || {}({passed}).map(|reading| (reading.data, reading.revision));\n    \
         let replace = |revision: &str, data: &str| {namespace}::{replace}({passed}, revision, data);\n    \
         let remove = |revision: &str| {namespace}::{remove}({passed}, revision);\n    \
         let answer = update::update(ctx, &change, read, replace, remove)?;\n    \
         Ok(to_script::nullable(ctx, answer, {})?)\n",
        home.callee(function),
        giver(model, &update.stored),
    )
}

/// The answer of a function with `@pages`: what reads the next page, each time it is called.
fn paged(model: &Model, home: Home<'_>, function: &Function, pages: &Pages) -> String {
    let (Some((options, others)), Some(Type::List(item))) = (function.parameters.split_last(), &function.result) else {
        unreachable!("the reader checks what @pages belongs to");
    };
    let Type::Record(record) = options.ty else { unreachable!("the reader checks what @pages belongs to") };
    let record = &model.records[record];
    let none: String = record.fields.iter().map(|field| format!("{}: None, ", field.name.snake())).collect();
    let mut passed: Vec<_> = others.iter().map(|parameter| borrowed(model, parameter)).collect();
    passed.push("Some(&options)".to_owned());
    let (local, path) = (local(options), path(&record.interface, &record.name));
    let constant = home.function(function).to_ascii_uppercase();
    format!(
        "    let options = RefCell::new({local}.unwrap_or({path} {{ {none}}}));\n    \
         let page = move |ctx: &Ctx<'js>, _: &Arguments<'_, 'js>| -> Answer<'js> {{\n        \
         let mut options = options.borrow_mut();\n        \
         let answer = {}({})?;\n        \
         if let Some(last) = answer.last() {{\n            options.{} = Some(last.{}.clone());\n        }}\n        \
         Ok(to_script::array(ctx, answer, {})?)\n    }};\n    pages::reader(ctx, &{constant}, page)\n",
        home.callee(function),
        passed.join(", "),
        pages.after.snake(),
        pages.key.snake(),
        giver(model, item),
    )
}

fn promise(model: &Model, home: Home<'_>, function: &Function, constant: &str, call: &str) -> String {
    let give = match &function.result {
        None => "|ctx, ()| Ok(to_script::nothing(ctx))".to_owned(),
        Some(ty) => giver(model, ty),
    };
    let held = matches!(home, Home::Resource(_));
    let call = match (held, function.fails) {
        (false, true) => call.to_owned(),
        (true, true) => format!("async move {{ {call}.await }}"),
        (_, false) => format!("async move {{ Ok({call}.await) }}"),
    };
    let this = if held { "    let this = Rc::clone(this);\n" } else { "" };
    let (open, call) = match function.parameters.iter().find(|parameter| parameter.ty.is_stream()) {
        Some(stream) => {
            let stream = local(stream);
            (format!("    let ({stream}, feed) = feed::open({stream});\n"), format!("feed::beside({call}, feed)"))
        }
        None => (String::new(), call),
    };
    format!("{this}{open}    let call = {call};\n    start(ctx, &{constant}, call, {give})\n")
}

/// A parameter as the bindings of a synchronous function take it: what has a list in it, by reference.
fn borrowed(model: &Model, parameter: &Value) -> String {
    let local = local(parameter);
    match (&parameter.ty, parameter.optional) {
        (ty, _) if !has_list(model, ty) => local,
        (_, false) => format!("&{local}"),
        (Type::Record(_), true) => format!("{local}.as_ref()"),
        (_, true) => format!("{local}.as_deref()"),
    }
}

fn has_list(model: &Model, ty: &Type) -> bool {
    match ty {
        Type::Text(_) | Type::ErrorText | Type::Json | Type::TextMap | Type::Marked(_) => true,
        Type::Timestamp | Type::List(_) => true,
        Type::Nullable(inner) => has_list(model, inner),
        Type::Record(record) => model.records[*record].fields.iter().any(|field| has_list(model, &field.ty)),
        Type::Boolean | Type::Whole(_) | Type::Number { .. } | Type::Enum(_) | Type::Resource(_) => false,
    }
}

/// The local variable that holds an argument; `ctx`, `this`, `arguments` and `call` are taken.
fn local(parameter: &Value) -> String {
    match parameter.name.kebab() {
        taken @ ("ctx" | "this" | "arguments" | "call" | "answer") => format!("{taken}_"),
        _ => parameter.name.snake(),
    }
}

fn resource_object(resource: &Resource) -> String {
    let (name, path) = (resource.name.snake(), path(&resource.interface, &resource.name));
    let home = Home::Resource(resource);
    let mut methods = String::new();
    for function in &resource.functions {
        let run = home.function(function);
        methods += &format!(
            "    let this = Rc::clone(&resource);\n    \
             let run = move |ctx: &Ctx<'js>, arguments: &Arguments<'_, 'js>| {run}(ctx, &this, arguments);\n    {}",
            add_method("object", home, function, "run"),
        );
    }
    format!(
        "pub fn {name}_to_script<'js>(ctx: &Ctx<'js>, resource: {path}) -> quickjs::Result<Value<'js>> {{\n    \
         let resource = Rc::new(resource);\n    let object = Object::new(ctx.clone())?;\n{methods}    \
         Ok(object.into_value())\n}}\n\n"
    )
}

fn add_method(object: &str, home: Home<'_>, function: &Function, run: &str) -> String {
    let constant = home.function(function).to_ascii_uppercase();
    let length = function.parameters.iter().filter(|parameter| !parameter.optional).count();
    let length = length + usize::from(function.update.is_some());
    if function.pages.is_some() {
        return format!("pages::add_method(&{object}, &{constant}, {length}, {run})?;\n");
    }
    let kind = if function.asynchronous { "Promise" } else { "Value" };
    if let Some(Callback { finish, abort }) = &function.callback {
        let ends = format!("{:?}, {:?}", finish.camel(), abort.camel());
        return format!("add_callback_method(&{object}, &{constant}, {length}, {run}, ({ends}))?;\n");
    }
    format!("add_method(&{object}, {:?}, &{constant}, {length}, Kind::{kind}, {run})?;\n", function.name.camel())
}

fn install(linked: &Linked<'_>) -> String {
    let mut text = String::from(
        "/// Gives `g` an object for each namespace.\n\
         pub fn install_namespaces<'js>(ctx: &Ctx<'js>, g: &Object<'js>) -> quickjs::Result<()> {\n",
    );
    for namespace in &linked.namespaces {
        text += &namespace_object(namespace, |home, function| home.function(function));
    }
    for namespace in &linked.blocked {
        text += &namespace_object(namespace, |_, _| "blocked".to_owned());
    }
    text + "    Ok(())\n}\n"
}

/// The object of a namespace; `run` names what a method of it runs.
fn namespace_object(namespace: &Namespace, run: impl Fn(Home<'_>, &Function) -> String) -> String {
    let (local, home) = (namespace.name.snake(), Home::Namespace(namespace));
    let mut text = format!("    let {local} = Object::new(ctx.clone())?;\n");
    for function in &namespace.functions {
        text += "    ";
        text += &add_method(&local, home, function, &run(home, function));
    }
    text + &format!("    define(g, {:?}, {local}.into_value())?;\n", namespace.name.camel())
}
