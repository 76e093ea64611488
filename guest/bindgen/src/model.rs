//! The model of `g` that the three outputs share: the types of the WIT, with the meaning of aliases and tags.

use crate::{
    docs::{Docs, Literal},
    name::Name,
};

/// Everything a script can call.
#[derive(Debug, Default)]
pub struct Model {
    /// The namespaces, one for each interface of the world.
    pub namespaces: Vec<Namespace>,
    /// All records in arguments or results.
    pub records: Vec<Record>,
    /// All enums.
    pub enums: Vec<Enum>,
    /// All resources.
    pub resources: Vec<Resource>,
    /// The error codes, with their meanings.
    pub codes: Vec<Case>,
}

/// `g.store`
#[derive(Debug)]
pub struct Namespace {
    /// The name of its interface.
    pub name: Name,
    /// Its documentation.
    pub docs: Docs,
    /// Whether it accesses another system, and is not part of the local world.
    pub external: bool,
    /// Its methods.
    pub functions: Vec<Function>,
}

/// A method of a namespace or of a resource.
#[derive(Debug)]
pub struct Function {
    /// Its name, without the resource.
    pub name: Name,
    /// Its documentation.
    pub docs: Docs,
    /// Its parameters; the optional ones are last.
    pub parameters: Vec<Value>,
    /// Its result.
    pub result: Option<Type>,
    /// Whether it returns `result<.., error>`.
    pub fails: bool,
    /// Whether it returns a promise.
    pub asynchronous: bool,
    /// `@callback`: in JavaScript, the last parameter is a callback that receives the result of the function.
    pub callback: Option<Callback>,
    /// `@wait`: the call is dropped when `main` has settled.
    pub waits: bool,
    /// `@update`: in JavaScript, the last parameter is a function that computes the new value from the stored one.
    pub update: Option<Update>,
    /// `@pages`: in JavaScript, it returns an iterator over the items of all pages.
    pub pages: Option<Pages>,
}

/// The two functions that store or delete an updated value if its revision has not changed. A script does not see them.
#[derive(Clone, Debug)]
pub struct Update {
    /// Called when there is a new value.
    pub replace: Name,
    /// Called when there is none.
    pub remove: Name,
    /// The result of `replace`.
    pub stored: Type,
}

/// How to read the next page.
#[derive(Clone, Debug)]
pub struct Pages {
    /// The member of the options (the last parameter) after which a page begins.
    pub after: Name,
    /// The member of an item that provides its value.
    pub key: Name,
}

/// The two methods of a resource that are called when the callback has settled. A script does not see them.
#[derive(Clone, Debug)]
pub struct Callback {
    /// Called after the callback has succeeded.
    pub finish: Name,
    /// Called after the callback has failed.
    pub abort: Name,
}

/// A parameter, or a field of a record.
#[derive(Debug)]
pub struct Value {
    /// Its name.
    pub name: Name,
    /// Its documentation.
    pub docs: Docs,
    /// Its type, without the option around it.
    pub ty: Type,
    /// Whether it may be absent.
    pub optional: bool,
}

/// A type in JavaScript.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// A string; one of these values, if there are any.
    Text(Vec<String>),
    /// `true` or `false`
    Boolean,
    /// A number without a fraction.
    Whole(Whole),
    /// Any finite number.
    Number {
        /// The minimum and the maximum.
        range: Option<(f64, f64)>,
        /// `f32` or `f64`
        rust: &'static str,
    },
    /// Any value, passed as JSON text.
    Json,
    /// Values with a text format of their own.
    Marked(Marked),
    /// An object whose values are strings, passed as JSON text; only in results.
    TextMap,
    /// A string, or an Error, whose message is used; only in arguments.
    ErrorText,
    /// A time in ISO 8601.
    Timestamp,
    /// Items of one type.
    List(Box<Type>),
    /// A value or null; only in results.
    Nullable(Box<Type>),
    /// An index in [`Model::records`].
    Record(usize),
    /// An index in [`Model::enums`].
    Enum(usize),
    /// An index in [`Model::resources`].
    Resource(usize),
}

impl Type {
    /// Whether it is a stream, which is read during the call.
    pub fn is_stream(&self) -> bool {
        matches!(self, Self::Marked(marked) if marked.streamed)
    }
}

/// Values with a text format of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Marked {
    /// The function of the glue that converts them.
    pub convert: &'static str,
    /// The type in TypeScript; `T` is the type parameter of the method.
    pub typescript: &'static str,
    /// Whether they are the items of a stream, which is read during the call.
    pub streamed: bool,
}

/// A number without a fraction.
#[derive(Clone, Debug, PartialEq)]
pub struct Whole {
    /// The Rust type in the bindings.
    pub rust: &'static str,
    /// The minimum.
    pub least: i64,
    /// The maximum; at most 2^53 - 1.
    pub most: i64,
    /// The allowed values, if they are listed.
    pub values: Vec<i64>,
}

/// An object with named members.
#[derive(Debug)]
pub struct Record {
    /// Its name.
    pub name: Name,
    /// The interface that defines it.
    pub interface: Name,
    /// Its documentation.
    pub docs: Docs,
    /// Its members.
    pub fields: Vec<Value>,
    /// Whether it occurs in arguments.
    pub is_argument: bool,
    /// Whether it occurs in results.
    pub is_result: bool,
}

/// An enum.
#[derive(Debug)]
pub struct Enum {
    /// Its name.
    pub name: Name,
    /// The interface that defines it.
    pub interface: Name,
    /// Its cases.
    pub cases: Vec<Case>,
    /// Whether it occurs in arguments.
    pub is_argument: bool,
    /// Whether it occurs in results.
    pub is_result: bool,
}

/// A case of an enum.
#[derive(Debug)]
pub struct Case {
    /// Its name.
    pub name: Name,
    /// Its documentation.
    pub docs: Docs,
}

/// An object of the host with methods.
#[derive(Debug)]
pub struct Resource {
    /// Its name.
    pub name: Name,
    /// The interface that defines it.
    pub interface: Name,
    /// Its documentation.
    pub docs: Docs,
    /// Its methods.
    pub functions: Vec<Function>,
}

impl Model {
    /// Whether a type contains a value of any type, for which TypeScript has a type parameter.
    pub fn holds_json(&self, ty: &Type) -> bool {
        match ty {
            Type::Json => true,
            Type::Marked(marked) => marked.typescript.contains('T'),
            Type::List(item) | Type::Nullable(item) => self.holds_json(item),
            Type::Record(record) => self.records[*record].fields.iter().any(|field| self.holds_json(&field.ty)),
            Type::Text(_) | Type::Boolean | Type::Whole(_) | Type::Number { .. } => false,
            Type::ErrorText | Type::TextMap | Type::Timestamp | Type::Enum(_) | Type::Resource(_) => false,
        }
    }

    /// Returns the allowed values of a member, if they are listed.
    pub fn literals(&self, ty: &Type) -> Vec<Literal> {
        let text = |text: &String| Literal::Text(text.clone());
        match ty {
            Type::Text(values) => values.iter().map(text).collect(),
            Type::Whole(whole) => whole.values.iter().map(|value| Literal::Number(*value as f64)).collect(),
            Type::Enum(one) => self.enums[*one].cases.iter().map(|case| Literal::Text(case.name.camel())).collect(),
            Type::Boolean | Type::Number { .. } | Type::Json | Type::Marked(_) => Vec::new(),
            Type::ErrorText | Type::TextMap | Type::Timestamp => Vec::new(),
            Type::List(_) | Type::Nullable(_) | Type::Record(_) | Type::Resource(_) => Vec::new(),
        }
    }

    /// Whether an interface is not part of the local world.
    pub fn is_external(&self, interface: &Name) -> bool {
        self.namespaces.iter().any(|namespace| namespace.external && namespace.name == *interface)
    }

    /// Returns the records that a script sees.
    pub fn seen_records(&self) -> impl Iterator<Item = &Record> {
        self.records.iter().filter(|record| record.is_argument || record.is_result)
    }

    /// Returns the records that the interface of a namespace defines and its functions use.
    pub fn records_of<'a>(&'a self, namespace: &'a Namespace) -> impl Iterator<Item = &'a Record> {
        self.seen_records().filter(|record| record.interface == namespace.name)
    }

    /// Returns the function with `@callback` that returns a resource.
    pub fn callback_of(&self, resource: &Resource) -> Option<(&Function, &Callback)> {
        let gives = |function: &&Function| matches!(&function.result, Some(Type::Resource(index)) if self.resources[*index].name == resource.name);
        let functions = self.namespaces.iter().flat_map(|namespace| &namespace.functions);
        functions.filter(gives).find_map(|function| Some((function, function.callback.as_ref()?)))
    }

    /// Returns the methods of a resource that a script sees.
    pub fn methods_of<'a>(&'a self, resource: &'a Resource) -> impl Iterator<Item = &'a Function> {
        let hidden = self.callback_of(resource).map(|(_, callback)| callback);
        resource.functions.iter().filter(move |function| {
            hidden.is_none_or(|callback| callback.finish != function.name && callback.abort != function.name)
        })
    }

    /// Returns the resources that the interface of a namespace defines.
    pub fn resources_of<'a>(&'a self, namespace: &'a Namespace) -> impl Iterator<Item = &'a Resource> {
        self.resources.iter().filter(|resource| resource.interface == namespace.name)
    }
}
