//! What the generators know of the WIT.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use wit_parser::{
    Docs, Function as WitFunction, FunctionKind, Interface as WitInterface, InterfaceId, Resolve, Type as WitType,
    TypeDef, TypeDefKind, TypeId, TypeOwner, WorldItem,
};

/// The world that imports every namespace.
const WORLD: &str = "script";
/// Interfaces that are no namespaces.
const NOT_NAMESPACES: [&str; 2] = ["types", "console"];

pub struct Model {
    pub namespaces: Vec<Namespace>,
    /// The codes of an error, as in `types.wit`.
    pub error_codes: Enumeration,
}

pub struct Namespace {
    pub name: String,
    pub docs: String,
    pub methods: Vec<Method>,
    pub records: Vec<Record>,
    pub enumerations: Vec<Enumeration>,
}

pub struct Method {
    pub name: String,
    pub docs: String,
    pub parameters: Vec<Parameter>,
    /// None for nothing.
    pub returns: Option<Type>,
    pub asynchronous: bool,
}

pub struct Parameter {
    pub name: String,
    pub docs: String,
    pub kind: Type,
}

pub struct Record {
    pub name: String,
    pub docs: String,
    pub fields: Vec<Field>,
}

pub struct Field {
    pub name: String,
    pub docs: String,
    pub kind: Type,
    /// As JavaScript.
    pub default: Option<String>,
    /// Null, not left out, when there is none.
    pub null: bool,
}

pub struct Enumeration {
    pub name: String,
    pub docs: String,
    pub cases: Vec<Case>,
}

pub struct Case {
    pub name: String,
    pub docs: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    Text,
    Boolean,
    /// `u64`
    Whole,
    /// The alias `natural`.
    Natural,
    Json,
    Timestamp,
    Optional(Box<Type>),
    List(Box<Type>),
    Record(String),
    Enumeration(String),
}

/// Reads the WIT in a folder.
pub fn load(wit: &Path) -> Result<Model> {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(wit)?;
    let world = resolve.select_world(&[package], Some(WORLD))?;
    let mut namespaces = Vec::new();
    for item in resolve.worlds[world].imports.values() {
        let WorldItem::Interface { id, .. } = item else { continue };
        let name = interface_name(&resolve, *id)?;
        if !NOT_NAMESPACES.contains(&name) {
            namespaces.push(namespace(&resolve, name, *id).with_context(|| format!("interface {name}"))?);
        }
    }
    Ok(Model { namespaces, error_codes: error_codes(&resolve)? })
}

fn interface_name(resolve: &Resolve, id: InterfaceId) -> Result<&str> {
    resolve.interfaces[id].name.as_deref().context("an interface without a name")
}

fn error_codes(resolve: &Resolve) -> Result<Enumeration> {
    let types = resolve.interfaces.iter().map(|(_, interface)| interface).find(|i| i.name.as_deref() == Some("types"));
    let id = types.and_then(|types| types.types.get("error-code")).context("types.wit has no error-code")?;
    enumeration(&resolve.types[*id])
}

fn namespace(resolve: &Resolve, name: &str, id: InterfaceId) -> Result<Namespace> {
    let interface: &WitInterface = &resolve.interfaces[id];
    let (mut records, mut enumerations) = (Vec::new(), Vec::new());
    for (type_name, id) in &interface.types {
        let definition = &resolve.types[*id];
        match &definition.kind {
            TypeDefKind::Record(_) => {
                records.push(record(resolve, definition).with_context(|| format!("record {type_name}"))?);
            }
            TypeDefKind::Enum(_) => enumerations.push(enumeration(definition)?),
            TypeDefKind::Type(_) => {} // `use`, or an alias: looked at where it is used
            other => bail!("{type_name}: a {} can't be turned into JavaScript", other.as_str()),
        }
    }
    let methods = interface.functions.values().map(|function| {
        method(resolve, function).with_context(|| format!("function {}", function.name))
    });
    Ok(Namespace {
        name: name.into(),
        docs: text(&interface.docs, &[])?.docs,
        methods: methods.collect::<Result<_>>()?,
        records,
        enumerations,
    })
}

fn method(resolve: &Resolve, function: &WitFunction) -> Result<Method> {
    let asynchronous = match function.kind {
        FunctionKind::Freestanding => false,
        FunctionKind::AsyncFreestanding => true,
        _ => bail!("only freestanding functions can be turned into JavaScript"),
    };
    let docs = text(&function.docs, &["param"])?;
    for (name, _) in &docs.parameters {
        ensure!(function.params.iter().any(|p| p.name == *name), "@param names {name}, which is no parameter");
    }
    let parameters = function.params.iter().map(|parameter| {
        let documented = docs.parameters.iter().find(|(name, _)| *name == parameter.name);
        Ok(Parameter {
            name: parameter.name.clone(),
            docs: documented.map(|(_, docs)| docs.clone()).unwrap_or_default(),
            kind: kind(resolve, &parameter.ty)?,
        })
    });
    Ok(Method {
        name: function.name.clone(),
        parameters: parameters.collect::<Result<_>>()?,
        returns: returns(resolve, function.result.as_ref())?,
        docs: docs.docs,
        asynchronous,
    })
}

/// Every function can fail: it returns `result<_, error>` or `result<T, error>`.
fn returns(resolve: &Resolve, result: Option<&WitType>) -> Result<Option<Type>> {
    if let Some(WitType::Id(id)) = result
        && let TypeDefKind::Result(result) = &resolve.types[*id].kind
        && let Some(WitType::Id(error)) = result.err
        && resolve.types[error].name.as_deref() == Some("error")
    {
        return result.ok.as_ref().map(|ok| kind(resolve, ok)).transpose();
    }
    bail!("does not return a result with `error`")
}

fn record(resolve: &Resolve, definition: &TypeDef) -> Result<Record> {
    let TypeDefKind::Record(record) = &definition.kind else { bail!("is no record") };
    let fields = record.fields.iter().map(|field| {
        let docs = text(&field.docs, &["default", "null"]).with_context(|| format!("field {}", field.name))?;
        Ok(Field {
            name: field.name.clone(),
            kind: kind(resolve, &field.ty).with_context(|| format!("field {}", field.name))?,
            docs: docs.docs,
            default: docs.default,
            null: docs.null,
        })
    });
    Ok(Record {
        name: definition.name.clone().unwrap_or_default(),
        docs: text(&definition.docs, &[])?.docs,
        fields: fields.collect::<Result<_>>()?,
    })
}

fn enumeration(definition: &TypeDef) -> Result<Enumeration> {
    let TypeDefKind::Enum(cases) = &definition.kind else { bail!("is no enum") };
    let cases = cases.cases.iter().map(|case| Ok(Case { name: case.name.clone(), docs: text(&case.docs, &[])?.docs }));
    Ok(Enumeration {
        name: definition.name.clone().unwrap_or_default(),
        docs: text(&definition.docs, &[])?.docs,
        cases: cases.collect::<Result<_>>()?,
    })
}

fn kind(resolve: &Resolve, kind: &WitType) -> Result<Type> {
    Ok(match kind {
        WitType::String => Type::Text,
        WitType::Bool => Type::Boolean,
        WitType::U64 => Type::Whole,
        WitType::Id(id) => defined(resolve, *id)?,
        other => bail!("{other:?} can't be turned into JavaScript"),
    })
}

fn defined(resolve: &Resolve, id: TypeId) -> Result<Type> {
    let definition = &resolve.types[id];
    let name = definition.name.clone().unwrap_or_default();
    Ok(match &definition.kind {
        TypeDefKind::Option(inner) => Type::Optional(Box::new(kind(resolve, inner)?)),
        TypeDefKind::List(inner) => Type::List(Box::new(kind(resolve, inner)?)),
        TypeDefKind::Record(_) => Type::Record(name),
        TypeDefKind::Enum(_) => Type::Enumeration(name),
        TypeDefKind::Type(WitType::Id(id)) => defined(resolve, *id)?, // `use`
        TypeDefKind::Type(_) => alias(resolve, definition, &name)?,
        other => bail!("a {} can't be turned into JavaScript", other.as_str()),
    })
}

/// The meaning of an alias is in its name.
fn alias(resolve: &Resolve, definition: &TypeDef, name: &str) -> Result<Type> {
    if let TypeOwner::Interface(owner) = definition.owner {
        ensure!(interface_name(resolve, owner)? == "types", "the alias {name} does not stand in types.wit");
    }
    Ok(match name {
        "json" => Type::Json,
        "timestamp" => Type::Timestamp,
        "natural" => Type::Natural,
        unknown => bail!("the alias {unknown} is not known: known are json, timestamp, natural"),
    })
}

/// A doc comment: its text, and its tags.
#[derive(Default)]
struct Text {
    docs: String,
    default: Option<String>,
    null: bool,
    parameters: Vec<(String, String)>,
}

fn text(docs: &Docs, allowed: &[&str]) -> Result<Text> {
    let mut text = Text::default();
    let mut lines = Vec::new();
    for line in docs.contents.as_deref().unwrap_or_default().lines() {
        let Some(tag) = line.trim().strip_prefix('@') else {
            lines.push(line.trim_end());
            continue;
        };
        let (tag, value) = tag.split_once(' ').unwrap_or((tag, ""));
        ensure!(allowed.contains(&tag), "the tag @{tag} is not known here: known are {allowed:?}");
        match tag {
            "default" => text.default = Some(value.trim().into()),
            "null" => text.null = true,
            _ => {
                let (name, docs) = value.trim().split_once(' ').context("@param has a name and a text")?;
                text.parameters.push((name.into(), docs.into()));
            }
        }
    }
    text.docs = lines.join("\n").trim().into();
    Ok(text)
}

/// `store-list-options` as JavaScript has it: `storeListOptions`.
pub fn camel(kebab: &str) -> String {
    let mut words = kebab.split('-');
    words.next().unwrap_or_default().to_owned() + &words.map(capitalise).collect::<String>()
}

/// `store-list-options` as types have it: `StoreListOptions`.
pub fn pascal(kebab: &str) -> String {
    kebab.split('-').map(capitalise).collect()
}

/// `store-list-options` as Rust has it: `store_list_options`.
pub fn snake(kebab: &str) -> String {
    kebab.replace('-', "_")
}

fn capitalise(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().collect::<String>() + letters.as_str()).unwrap_or_default()
}

impl Model {
    /// All records and enumerations have a name of their own, whatever the namespace.
    pub fn record(&self, name: &str) -> Option<&Record> {
        self.namespaces.iter().flat_map(|namespace| &namespace.records).find(|record| record.name == name)
    }
}

impl Type {
    /// The type that is there when it is there.
    pub fn required(&self) -> &Type {
        match self {
            Type::Optional(inner) => inner,
            other => other,
        }
    }

    pub fn is_optional(&self) -> bool {
        matches!(self, Type::Optional(_))
    }
}
