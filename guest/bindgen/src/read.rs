//! Reads the WIT into the model. A construct that the glue does not support is an error, which fails the build.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

use anyhow::{Context, Result, bail, ensure};
use wit_parser::{
    FunctionKind, Handle, InterfaceId, PackageId, Resolve, TypeDef, TypeDefKind, TypeId, TypeOwner, WorldItem,
};

use crate::{
    aliases::{Direction, alias, marked, whole},
    docs::{Docs, Owner},
    forms,
    model::{Callback, Case, Enum, Function, Model, Namespace, Record, Resource, Type, Value},
    name::Name,
    tags::{check_default, restrict},
};

/// The world whose interfaces become namespaces, except `NO_NAMESPACES`.
const WORLD: &str = "script";
/// The world with the local namespaces only.
const LOCAL_WORLD: &str = "local-script";
const NO_NAMESPACES: &[&str] = &["types", "console", "functions", "program", "runtime"];
/// The code of a TypeError. A script sees it as `INVALID_ARGUMENT`, like that of a RangeError.
const WRONG_KIND: &str = "wrong-kind";
/// The largest integer that a number in JavaScript represents exactly.
const MAX_SAFE_INTEGER: i64 = (1 << 53) - 1;

/// Reads the WIT in a folder.
pub fn read(folder: &Path) -> Result<Model> {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(folder)?;
    let world = resolve.select_world(&[package], Some(WORLD))?;
    let local = resolve.select_world(&[package], Some(LOCAL_WORLD))?;
    let mut reader = Reader { resolve: &resolve, model: Model::default(), known: HashMap::new() };
    reader.model.codes = reader.codes(package)?;
    for (key, item) in &resolve.worlds[world].imports {
        if let WorldItem::Interface { id, .. } = item {
            reader.interface(*id, !resolve.worlds[local].imports.contains_key(key))?;
        }
    }
    check_names(&reader.model)?;
    Ok(reader.model)
}

/// Checks that type names are unique, because TypeScript and the glue do not qualify them by their interfaces.
fn check_names(model: &Model) -> Result<()> {
    let records = model.records.iter().map(|record| record.name.kebab());
    let enums = model.enums.iter().map(|one| one.name.kebab());
    let resources = model.resources.iter().map(|resource| resource.name.kebab());
    let mut known = HashSet::new();
    for name in records.chain(enums).chain(resources) {
        ensure!(known.insert(name), "two types are named {name}");
    }
    Ok(())
}

struct Reader<'a> {
    resolve: &'a Resolve,
    model: Model,
    /// The named types that are in the model.
    known: HashMap<TypeId, Type>,
}

impl Reader<'_> {
    fn interface(&mut self, id: InterfaceId, external: bool) -> Result<()> {
        let interface = &self.resolve.interfaces[id];
        let name = interface.name.as_deref().context("an interface without a name")?;
        if NO_NAMESPACES.contains(&name) {
            return Ok(());
        }
        let docs = Docs::parse(interface.docs.contents.as_deref(), Owner::Namespace).context(name.to_owned())?;
        self.check_errors(&docs).with_context(|| name.to_owned())?;
        let mut functions = Vec::new();
        for (function_name, function) in &interface.functions {
            if matches!(function.kind, FunctionKind::Freestanding | FunctionKind::AsyncFreestanding) {
                functions.push(self.function(function).with_context(|| format!("{name}.{function_name}"))?);
            }
        }
        let functions = forms::with_updates(functions, &mut self.model).with_context(|| name.to_owned())?;
        self.model.namespaces.push(Namespace { name: Name::new(name), docs, external, functions });
        Ok(())
    }

    /// Reads the codes that a script sees.
    fn codes(&self, package: PackageId) -> Result<Vec<Case>> {
        let types = self.resolve.packages[package].interfaces.get("types");
        let id = types.and_then(|types| self.resolve.interfaces[*types].types.get("error-code"));
        match id.map(|id| &self.resolve.types[*id].kind) {
            Some(TypeDefKind::Enum(codes)) => {
                let (kind, codes): (Vec<_>, _) =
                    cases(codes)?.into_iter().partition(|code| code.name.kebab() == WRONG_KIND);
                ensure!(!kind.is_empty(), "error-code has no {WRONG_KIND}");
                Ok(codes)
            }
            _ => bail!("interface types has no enum error-code"),
        }
    }

    /// Checks that `@errors` names codes that a script sees.
    fn check_errors(&self, docs: &Docs) -> Result<()> {
        let is_known = |error: &&String| self.model.codes.iter().any(|code| code.name.kebab() == error.as_str());
        match docs.errors.iter().find(|error| !is_known(error)) {
            Some(error) => bail!("@errors {error} is no error code"),
            None => Ok(()),
        }
    }

    fn function(&mut self, function: &wit_parser::Function) -> Result<Function> {
        use FunctionKind::{AsyncFreestanding, AsyncMethod, Freestanding, Method};
        let (asynchronous, skipped) = match function.kind {
            Freestanding => (false, 0),
            AsyncFreestanding => (true, 0),
            Method(_) => (false, 1),
            AsyncMethod(_) => (true, 1),
            _ => bail!("a resource may only have methods, no constructor and no static function"),
        };
        let docs = Docs::parse(function.docs.contents.as_deref(), Owner::Function)?;
        self.check_errors(&docs)?;
        let parameters = self.parameters(&function.params[skipped..], &docs)?;
        let (result, fails) = self.result(function.result)?;
        let name = Name::new(function.item_name());
        ensure!(asynchronous || !docs.wait, "@wait belongs to an async function");
        let waits = docs.wait;
        let callback = self.callback(&docs, &parameters, result.as_ref())?;
        let streams = parameters.iter().filter(|parameter| parameter.ty.is_stream()).count();
        ensure!(streams == 0 || (asynchronous && fails), "a stream belongs to an async function that can fail");
        ensure!(streams <= 1, "the glue supports one stream in a call");
        let is_of_namespace = skipped == 0;
        ensure!(is_of_namespace || docs.update.is_none(), "@update belongs to a function of a namespace");
        ensure!(is_of_namespace || docs.pages.is_none(), "@pages belongs to a function of a namespace");
        let mut function = Function {
            name,
            docs,
            parameters,
            result,
            fails,
            asynchronous,
            callback,
            waits,
            update: None,
            pages: None,
        };
        function.pages = forms::pages(&function, &self.model)?;
        Ok(function)
    }

    fn callback(&self, docs: &Docs, parameters: &[Value], result: Option<&Type>) -> Result<Option<Callback>> {
        let Some((finish, abort)) = &docs.callback else { return Ok(None) };
        let Some(Type::Resource(index)) = result else {
            bail!("@callback belongs to a function that returns a resource")
        };
        ensure!(parameters.iter().all(|one| !one.optional), "a callback stands behind an optional parameter");
        for name in [finish, abort] {
            let method = self.model.resources[*index].functions.iter().find(|method| method.name.kebab() == name);
            let fits = method.is_some_and(|method| method.asynchronous && method.parameters.is_empty());
            ensure!(fits, "@callback {name}: the resource has no asynchronous method of this name without parameters");
        }
        Ok(Some(Callback { finish: Name::new(finish), abort: Name::new(abort) }))
    }

    fn parameters(&mut self, parameters: &[wit_parser::Param], docs: &Docs) -> Result<Vec<Value>> {
        for (name, _) in &docs.parameters {
            ensure!(parameters.iter().any(|known| known.name == *name), "@param {name} names no parameter");
        }
        let mut values: Vec<Value> = Vec::new();
        for parameter in parameters {
            let name = parameter.name.as_str();
            let docs = docs.parameter(name);
            let value = match self.stream(parameter.ty).with_context(|| name.to_owned())? {
                Some(ty) => Value { name: Name::new(name), docs, ty, optional: false },
                None => self.value(name, parameter.ty, docs, Direction::Argument)?,
            };
            let in_order = value.optional || values.iter().all(|earlier| !earlier.optional);
            ensure!(in_order, "{name} is required and stands behind an optional parameter");
            values.push(value);
        }
        Ok(values)
    }

    /// Reads a stream, which only a parameter can be.
    fn stream(&self, ty: wit_parser::Type) -> Result<Option<Type>> {
        let TypeDefKind::Stream(item) = self.kind(ty)? else { return Ok(None) };
        let name = item.and_then(|item| self.definition(item)).and_then(|item| item.name.as_deref());
        marked(name.unwrap_or_default(), Direction::Argument, true).map(Some)
    }

    fn result(&mut self, result: Option<wit_parser::Type>) -> Result<(Option<Type>, bool)> {
        let Some(ty) = result else { return Ok((None, false)) };
        if let TypeDefKind::Result(result) = self.kind(ty)? {
            let error = result.err.and_then(|error| self.definition(error)).and_then(|error| error.name.as_deref());
            ensure!(error == Some("error"), "the error of a result must be types.error");
            return Ok((result.ok.map(|ty| self.ty(ty, Direction::Result)).transpose()?, true));
        }
        Ok((Some(self.ty(ty, Direction::Result)?), false))
    }

    /// Reads a parameter or a field. Its option becomes a flag, its tags become part of its type.
    fn value(&mut self, name: &str, ty: wit_parser::Type, docs: Docs, direction: Direction) -> Result<Value> {
        let inner = match self.kind(ty)? {
            TypeDefKind::Option(inner) => Some(inner),
            _ => None,
        };
        let optional = inner.is_some();
        let read = self.ty(inner.unwrap_or(ty), direction).with_context(|| name.to_owned())?;
        ensure!(!matches!(read, Type::Nullable(_)), "{name} is an option of an option");
        ensure!(optional || docs.default.is_none(), "{name} has a @default and is not optional");
        ensure!(
            !docs.null || (optional && direction == Direction::Result),
            "{name} is @null and no option of a result"
        );
        let ty = restrict(read, &docs).with_context(|| name.to_owned())?;
        if let Some(default) = &docs.default {
            check_default(&self.model, &ty, default).with_context(|| name.to_owned())?;
        }
        Ok(Value { name: Name::new(name), docs, ty, optional })
    }

    fn ty(&mut self, ty: wit_parser::Type, direction: Direction) -> Result<Type> {
        use wit_parser::Type as Wit;
        Ok(match ty {
            Wit::Bool => Type::Boolean,
            Wit::U8 => whole("u8", 0, u8::MAX.into()),
            Wit::U16 => whole("u16", 0, u16::MAX.into()),
            Wit::U32 => whole("u32", 0, u32::MAX.into()),
            Wit::U64 => whole("u64", 0, MAX_SAFE_INTEGER),
            Wit::S8 => whole("i8", i8::MIN.into(), i8::MAX.into()),
            Wit::S16 => whole("i16", i16::MIN.into(), i16::MAX.into()),
            Wit::S32 => whole("i32", i32::MIN.into(), i32::MAX.into()),
            Wit::S64 => whole("i64", -MAX_SAFE_INTEGER, MAX_SAFE_INTEGER),
            Wit::F32 => Type::Number { range: None, rust: "f32" },
            Wit::F64 => Type::Number { range: None, rust: "f64" },
            Wit::String => Type::Text(Vec::new()),
            Wit::Char | Wit::ErrorContext => bail!("the glue has no conversion for {ty:?}"),
            Wit::Id(id) => self.named(id, direction)?,
        })
    }

    fn named(&mut self, id: TypeId, direction: Direction) -> Result<Type> {
        let id = self.origin(id);
        let definition = &self.resolve.types[id];
        let name = definition.name.as_deref().unwrap_or_default();
        let ty = match &definition.kind {
            TypeDefKind::Type(_) => alias(name, direction)?,
            TypeDefKind::List(item) => Type::List(Box::new(self.ty(*item, direction)?)),
            TypeDefKind::Option(inner) => {
                ensure!(direction == Direction::Result, "an option inside a list or an option can't be an argument");
                Type::Nullable(Box::new(self.ty(*inner, direction)?))
            }
            TypeDefKind::Record(_) => self.record(id, direction).with_context(|| format!("record {name}"))?,
            TypeDefKind::Enum(_) => self.one_of(id, direction).with_context(|| format!("enum {name}"))?,
            TypeDefKind::Handle(Handle::Own(resource)) => {
                ensure!(direction == Direction::Result, "a resource can't be an argument");
                self.resource(self.origin(*resource))?
            }
            other => bail!("the glue has no conversion for a {}", other.as_str()),
        };
        Ok(ty)
    }

    fn record(&mut self, id: TypeId, direction: Direction) -> Result<Type> {
        let definition = &self.resolve.types[id];
        let TypeDefKind::Record(record) = &definition.kind else { bail!("is no record") };
        // Read for each direction, because the checks depend on it.
        let mut fields = Vec::new();
        for field in &record.fields {
            let docs = Docs::parse(field.docs.contents.as_deref(), Owner::Value).with_context(|| field.name.clone())?;
            fields.push(self.value(&field.name, field.ty, docs, direction)?);
        }
        if let Some(Type::Record(index)) = self.known.get(&id) {
            let record = &mut self.model.records[*index];
            mark(direction, &mut record.is_argument, &mut record.is_result);
            return Ok(Type::Record(*index));
        }
        let (name, interface, docs) = self.heading(definition)?;
        let mut record = Record { name, interface, docs, fields, is_argument: false, is_result: false };
        mark(direction, &mut record.is_argument, &mut record.is_result);
        self.model.records.push(record);
        self.remember(id, Type::Record(self.model.records.len() - 1))
    }

    fn one_of(&mut self, id: TypeId, direction: Direction) -> Result<Type> {
        if let Some(Type::Enum(index)) = self.known.get(&id) {
            let one = &mut self.model.enums[*index];
            mark(direction, &mut one.is_argument, &mut one.is_result);
            return Ok(Type::Enum(*index));
        }
        let definition = &self.resolve.types[id];
        let TypeDefKind::Enum(one) = &definition.kind else { bail!("is no enum") };
        let (name, interface, _) = self.heading(definition)?;
        let mut one = Enum { name, interface, cases: cases(one)?, is_argument: false, is_result: false };
        mark(direction, &mut one.is_argument, &mut one.is_result);
        self.model.enums.push(one);
        self.remember(id, Type::Enum(self.model.enums.len() - 1))
    }

    fn resource(&mut self, id: TypeId) -> Result<Type> {
        if let Some(known) = self.known.get(&id) {
            return Ok(known.clone());
        }
        let definition = &self.resolve.types[id];
        let (name, interface, docs) = self.heading(definition)?;
        let index = self.model.resources.len();
        self.model.resources.push(Resource { name, interface, docs, functions: Vec::new() });
        let ty = self.remember(id, Type::Resource(index))?;
        let TypeOwner::Interface(owner) = definition.owner else { bail!("stands outside an interface") };
        for (name, function) in &self.resolve.interfaces[owner].functions {
            if function.kind.resource() == Some(id) {
                let function = self.function(function).with_context(|| format!("resource {name}"))?;
                self.model.resources[index].functions.push(function);
            }
        }
        Ok(ty)
    }

    fn remember(&mut self, id: TypeId, ty: Type) -> Result<Type> {
        self.known.insert(id, ty.clone());
        Ok(ty)
    }

    fn heading(&self, definition: &TypeDef) -> Result<(Name, Name, Docs)> {
        let name = definition.name.as_deref().context("a type without a name")?;
        let TypeOwner::Interface(owner) = definition.owner else { bail!("stands outside an interface") };
        let interface = self.resolve.interfaces[owner].name.as_deref().context("an interface without a name")?;
        let docs = Docs::parse(definition.docs.contents.as_deref(), Owner::Prose)?;
        Ok((Name::new(name), Name::new(interface), docs))
    }

    fn definition(&self, ty: wit_parser::Type) -> Option<&TypeDef> {
        match ty {
            wit_parser::Type::Id(id) => Some(&self.resolve.types[self.origin(id)]),
            _ => None,
        }
    }

    fn kind(&self, ty: wit_parser::Type) -> Result<TypeDefKind> {
        Ok(self.definition(ty).map_or(TypeDefKind::Type(ty), |definition| definition.kind.clone()))
    }

    /// Returns the definition of a type that was imported by `use`.
    fn origin(&self, mut id: TypeId) -> TypeId {
        while let TypeDefKind::Type(wit_parser::Type::Id(used)) = self.resolve.types[id].kind {
            id = used;
        }
        id
    }
}

fn cases(one: &wit_parser::Enum) -> Result<Vec<Case>> {
    let case = |case: &wit_parser::EnumCase| {
        let docs = Docs::parse(case.docs.contents.as_deref(), Owner::Prose).with_context(|| case.name.clone())?;
        Ok(Case { name: Name::new(&case.name), docs })
    };
    one.cases.iter().map(case).collect()
}

fn mark(direction: Direction, is_argument: &mut bool, is_result: &mut bool) {
    match direction {
        Direction::Argument => *is_argument = true,
        Direction::Result => *is_result = true,
    }
}
