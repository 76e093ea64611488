//! g.d.ts
use crate::model::Model;
pub fn generate(_: &Model) -> String { String::new() }
