//! The component that contains the bytecode of a script, and exports the interface `program`.
//!
//! The build script makes it without a script; a bundle has it with another memory and other data.

use wasm_encoder::{ConstExpr, MemorySection, MemoryType, Section};
use wasmparser::{BinaryReader, DataSectionReader};

use super::sections::{self, DATA, MEMORY, MODULE, PREAMBLE};

/// The component with an empty script.
const EMPTY: &[u8] = include_bytes!(env!("GHOST_PROGRAM"));

/// Where the bytecode is in memory. At 0 are its address and its length: the exported function `bytecode` returns a pointer to
/// them, as the canonical ABI returns a list.
const ADDRESS: u32 = 16;

const PAGE_BYTES: u64 = 64 << 10;

/// Returns the component with this bytecode.
pub(super) fn with(bytecode: &[u8]) -> Vec<u8> {
    let module = |module: &[u8]| {
        replaced(module, |id| match id {
            MEMORY => Some(memory(bytecode)),
            DATA => Some(data(bytecode)),
            _ => None,
        })
    };
    let mut parts = sections::all(EMPTY).filter(|section| section.id == MODULE);
    let module = parts.next().map(|section| module(section.content)).unwrap_or_default();
    replaced(EMPTY, |id| (id == MODULE).then(|| sections::encoded(MODULE, &module)))
}

/// Returns the bytecode of a component that [`with`] has made; `None` for any other.
pub(super) fn bytecode(component: &[u8]) -> Option<&[u8]> {
    let module = sections::all(component).find(|section| section.id == MODULE)?.content;
    let data = sections::all(module).find(|section| section.id == DATA)?.content;
    let segment = DataSectionReader::new(BinaryReader::new(data, 0)).ok()?.into_iter().next()?.ok()?;
    let bytecode = segment.data.get(ADDRESS as usize..)?;
    (with(bytecode) == component).then_some(bytecode)
}

/// Copies a module or a component, with other sections in the place of some.
fn replaced(whole: &[u8], replacement: impl Fn(u8) -> Option<Vec<u8>>) -> Vec<u8> {
    let mut copy = whole[..PREAMBLE].to_vec();
    for section in sections::all(whole) {
        match replacement(section.id) {
            Some(other) => copy.extend_from_slice(&other),
            None => copy.extend_from_slice(section.whole),
        }
    }
    copy
}

fn memory(bytecode: &[u8]) -> Vec<u8> {
    let minimum = (u64::from(ADDRESS) + bytecode.len() as u64).div_ceil(PAGE_BYTES);
    let mut section = MemorySection::new();
    section.memory(MemoryType { minimum, maximum: None, memory64: false, shared: false, page_size_log2: None });
    let mut encoded = Vec::new();
    section.append_to(&mut encoded);
    encoded
}

fn data(bytecode: &[u8]) -> Vec<u8> {
    // The engine has made the bytecode in a 32-bit memory, so its length fits.
    let length = u32::try_from(bytecode.len()).unwrap_or(u32::MAX);
    let mut segment = [ADDRESS.to_le_bytes(), length.to_le_bytes()].concat();
    segment.resize(ADDRESS as usize, 0);
    segment.extend_from_slice(bytecode);
    let mut section = wasm_encoder::DataSection::new();
    section.active(0, &ConstExpr::i32_const(0), segment);
    let mut encoded = Vec::new();
    section.append_to(&mut encoded);
    encoded
}
