//! The sections of a module or a component: after the preamble, each has an id, its length (LEB128), and its content.
//! Source: the specifications of WebAssembly (Binary Format, Modules) and of the component model (Binary.md).

use wasm_encoder::{Component, ComponentSectionId, CustomSection, Encode, Module, Section as _, SectionId};
use wasmparser::{BinaryReader, ComponentImportSectionReader, ComponentTypeRef, TypeBounds};

/// The first bytes of every WebAssembly binary.
pub(crate) const MAGIC: &[u8] = b"\0asm";
/// The length of the preamble: the magic number and the version.
pub(super) const PREAMBLE: usize = 8;

/// Ids of sections of a component, and of a module.
const CUSTOM: u8 = ComponentSectionId::CoreCustom as u8;
const IMPORTS: u8 = ComponentSectionId::Import as u8;
pub(super) const MODULE: u8 = ComponentSectionId::CoreModule as u8;
pub(super) const COMPONENT: u8 = ComponentSectionId::Component as u8;
pub(super) const MEMORY: u8 = SectionId::Memory as u8;
pub(super) const DATA: u8 = SectionId::Data as u8;

/// A section.
#[derive(Clone, Copy)]
pub(super) struct Section<'b> {
    pub(super) id: u8,
    pub(super) content: &'b [u8],
    /// With its id and its length.
    pub(super) whole: &'b [u8],
}

/// The sections of a binary, up to the first that is malformed.
pub(super) fn all(binary: &[u8]) -> impl Iterator<Item = Section<'_>> {
    after_preamble(binary.get(PREAMBLE..).unwrap_or_default())
}

/// The same for bytes that begin with a section, after the preamble.
pub(super) fn after_preamble(sections: &[u8]) -> impl Iterator<Item = Section<'_>> {
    let mut rest = sections;
    std::iter::from_fn(move || {
        let section = first(rest)?;
        rest = &rest[section.whole.len()..];
        Some(section)
    })
}

/// Returns what is wrong with the form of a component, as far as its preamble and the lengths of its sections tell.
pub(crate) fn problem(component: &[u8]) -> Option<&'static str> {
    let complete = || PREAMBLE + all(component).map(|section| section.whole.len()).sum::<usize>() == component.len();
    match component {
        [] => Some("it is empty"),
        _ if !component.starts_with(MAGIC) => Some("it is not WebAssembly"),
        _ if component.starts_with(&Module::HEADER) => Some(
            "it is a core module, not a component: build it for wasm32-wasip2, or convert it with wasm-tools component new",
        ),
        _ if component.starts_with(&Component::HEADER) => {
            (!complete()).then_some("it is incomplete or damaged: a section is longer than the rest of it")
        }
        _ if component.len() < PREAMBLE => Some("it is incomplete: it ends within its preamble"),
        _ => Some("it is of an unknown version of WebAssembly"),
    }
}

/// The first of several sections; `None` if there is none, or it is malformed.
pub(super) fn first(sections: &[u8]) -> Option<Section<'_>> {
    let mut reader = BinaryReader::new(sections, 0);
    let id = reader.read_u8().ok()?;
    let length = reader.read_var_u32().ok()? as usize;
    let content = reader.read_bytes(length).ok()?;
    Some(Section { id, content, whole: &sections[..reader.current_position()] })
}

/// Whether these are custom sections and nothing else.
pub(super) fn are_custom(sections: &[u8]) -> bool {
    let length: usize =
        after_preamble(sections).take_while(|section| section.id == CUSTOM).map(|one| one.whole.len()).sum();
    length == sections.len()
}

/// The content of the custom section with a name; of several, the last.
pub(super) fn custom<'b>(binary: &'b [u8], name: &str) -> Option<&'b [u8]> {
    let named = |section: Section<'b>| {
        let mut reader = BinaryReader::new(section.content, 0);
        let is_named = section.id == CUSTOM && reader.read_string().is_ok_and(|other| other == name);
        is_named.then(|| &section.content[reader.current_position()..])
    };
    all(binary).filter_map(named).last()
}

/// The names of the imports of a component, except imported types that are only aliases (`eq`).
pub(super) fn imports(component: &[u8]) -> wasmparser::Result<Vec<String>> {
    let mut names = Vec::new();
    for section in all(component).filter(|section| section.id == IMPORTS) {
        for import in ComponentImportSectionReader::new(BinaryReader::new(section.content, 0))? {
            let import = import?;
            if !matches!(import.ty, ComponentTypeRef::Type(TypeBounds::Eq(_))) {
                names.push(import.name.name.to_owned());
            }
        }
    }
    Ok(names)
}

/// A section with its id and its length.
pub(super) fn encoded(id: u8, content: &[u8]) -> Vec<u8> {
    let mut section = vec![id];
    content.encode(&mut section);
    section
}

/// A custom section.
pub(super) fn encoded_custom(name: &str, content: &[u8]) -> Vec<u8> {
    let mut section = Vec::new();
    CustomSection { name: name.into(), data: content.into() }.append_to(&mut section);
    section
}
