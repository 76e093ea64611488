//! What `g` offers, as the three outputs need it: WIT's types with the meaning that aliases and tags add.

use crate::{
    docs::{Docs, Literal},
    name::Name,
};

/// Everything a script can call.
#[derive(Debug, Default)]
pub struct Model {
    /// One interface of the world each.
    pub namespaces: Vec<Namespace>,
    /// All records that a function takes or gives.
    pub records: Vec<Record>,
    /// All enums.
    pub enums: Vec<Enum>,
    /// All resources.
    pub resources: Vec<Resource>,
    /// Why a call can fail, with the meaning of each code.
    pub codes: Vec<Case>,
}

/// `g.store`
#[derive(Debug)]
pub struct Namespace {
    /// Its interface's name.
    pub name: Name,
    /// What it is.
    pub docs: Docs,
    /// It reaches another system, and is not part of the local world.
    pub external: bool,
    /// Its methods.
    pub functions: Vec<Function>,
}

/// A method of a namespace or of a resource.
#[derive(Debug)]
pub struct Function {
    /// Without the resource's name.
    pub name: Name,
    /// What it does.
    pub docs: Docs,
    /// What it takes; the optional ones stand last.
    pub parameters: Vec<Value>,
    /// What it gives; none for nothing.
    pub result: Option<Type>,
    /// It gives `result<.., error>`.
    pub fails: bool,
    /// It gives a promise.
    pub asynchronous: bool,
    /// In JavaScript a callback stands behind its parameters, and has what the function gives until it has settled.
    pub callback: Option<Callback>,
    /// It only waits: it is dropped when `main` has settled.
    pub waits: bool,
    /// In JavaScript a function stands behind its parameters, which makes a new value of the one that it reads.
    pub update: Option<Update>,
    /// In JavaScript it returns an iterator over the items of all pages.
    pub pages: Option<Pages>,
}

/// How a value that was read is changed, if it is still as it was read: two functions of the interface, which the script
/// does not see.
#[derive(Clone, Debug)]
pub struct Update {
    /// Called when there is a new value.
    pub replace: Name,
    /// Called when there is none.
    pub remove: Name,
    /// What `replace` returns.
    pub stored: Type,
}

/// How a page leads to the next.
#[derive(Clone, Debug)]
pub struct Pages {
    /// The member of the options, which are the last parameter, that a page begins after.
    pub after: Name,
    /// The member of an item that it is set to.
    pub key: Name,
}

/// What becomes of a resource when the callback that has it has settled: two of its methods, which the script does not
/// see.
#[derive(Clone, Debug)]
pub struct Callback {
    /// Called when it returned.
    pub finish: Name,
    /// Called when it threw.
    pub abort: Name,
}

/// A parameter, or a field of a record.
#[derive(Debug)]
pub struct Value {
    /// Its name.
    pub name: Name,
    /// What it means.
    pub docs: Docs,
    /// Its type, without the option around it.
    pub ty: Type,
    /// It may be absent.
    pub optional: bool,
}

/// A type, as JavaScript sees it.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// A string; of these values alone, if there are any.
    Text(Vec<String>),
    /// `true` or `false`
    Boolean,
    /// A number without a fraction.
    Whole(Whole),
    /// Any finite number.
    Number {
        /// The least and the greatest.
        range: Option<(f64, f64)>,
        /// `f32` or `f64`
        rust: &'static str,
    },
    /// A value that crosses as JSON text.
    Json,
    /// Values that JSON has no word for, which cross as text with marks.
    Marked(Marked),
    /// An object whose values are strings, which crosses as JSON text: in results alone.
    TextMap,
    /// A string, or an Error, of which the message is taken: in arguments alone.
    ErrorText,
    /// A moment, as ISO 8601.
    Timestamp,
    /// Items of one type.
    List(Box<Type>),
    /// Null when absent: in results alone.
    Nullable(Box<Type>),
    /// By its place in [`Model::records`].
    Record(usize),
    /// By its place in [`Model::enums`].
    Enum(usize),
    /// By its place in [`Model::resources`].
    Resource(usize),
}

impl Type {
    /// Whether it is fed while the call is under way.
    pub fn is_stream(&self) -> bool {
        matches!(self, Self::Marked(marked) if marked.streamed)
    }
}

/// Values of a namespace that cross as text with marks of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Marked {
    /// The function of the glue that converts them.
    pub convert: &'static str,
    /// The type in TypeScript; `T` is the caller's.
    pub typescript: &'static str,
    /// They come in parts, in a stream that is fed while the call is under way.
    pub streamed: bool,
}

/// A number without a fraction.
#[derive(Clone, Debug, PartialEq)]
pub struct Whole {
    /// The Rust type that the bindings have.
    pub rust: &'static str,
    /// The least.
    pub least: i64,
    /// The greatest; never above 2^53 - 1.
    pub most: i64,
    /// The only values, if there are any.
    pub values: Vec<i64>,
}

/// An object with named members.
#[derive(Debug)]
pub struct Record {
    /// Its name.
    pub name: Name,
    /// The interface that defines it.
    pub interface: Name,
    /// What it is.
    pub docs: Docs,
    /// Its members.
    pub fields: Vec<Value>,
    /// A function takes it.
    pub taken: bool,
    /// A function gives it.
    pub given: bool,
}

/// One of several words.
#[derive(Debug)]
pub struct Enum {
    /// Its name.
    pub name: Name,
    /// The interface that defines it.
    pub interface: Name,
    /// The words.
    pub cases: Vec<Case>,
    /// A function takes it.
    pub taken: bool,
    /// A function gives it.
    pub given: bool,
}

/// A word of an enum.
#[derive(Debug)]
pub struct Case {
    /// The word.
    pub name: Name,
    /// What it means.
    pub docs: Docs,
}

/// Something of the host's that a script holds: an object with methods.
#[derive(Debug)]
pub struct Resource {
    /// Its name.
    pub name: Name,
    /// The interface that defines it.
    pub interface: Name,
    /// What it is.
    pub docs: Docs,
    /// Its methods.
    pub functions: Vec<Function>,
}

impl Model {
    /// Whether a type has a value of any kind in it, which TypeScript has a parameter for.
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

    /// The values a member can have, if they are few: strings in quotes, numbers as they are.
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

    /// The records that a script sees.
    pub fn seen_records(&self) -> impl Iterator<Item = &Record> {
        self.records.iter().filter(|record| record.taken || record.given)
    }

    /// The records that a namespace's own interface defines and its functions use.
    pub fn records_of<'a>(&'a self, namespace: &'a Namespace) -> impl Iterator<Item = &'a Record> {
        self.seen_records().filter(|record| record.interface == namespace.name)
    }

    /// The function that takes a callback for a resource, with the methods that end what it does.
    pub fn callback_of(&self, resource: &Resource) -> Option<(&Function, &Callback)> {
        let gives = |function: &&Function| matches!(&function.result, Some(Type::Resource(index)) if self.resources[*index].name == resource.name);
        let functions = self.namespaces.iter().flat_map(|namespace| &namespace.functions);
        functions.filter(gives).find_map(|function| Some((function, function.callback.as_ref()?)))
    }

    /// The methods of a resource that a script sees.
    pub fn methods_of<'a>(&'a self, resource: &'a Resource) -> impl Iterator<Item = &'a Function> {
        let hidden = self.callback_of(resource).map(|(_, callback)| callback);
        resource.functions.iter().filter(move |function| {
            hidden.is_none_or(|callback| callback.finish != function.name && callback.abort != function.name)
        })
    }

    /// The resources that a namespace's own interface defines.
    pub fn resources_of<'a>(&'a self, namespace: &'a Namespace) -> impl Iterator<Item = &'a Resource> {
        self.resources.iter().filter(|resource| resource.interface == namespace.name)
    }
}
