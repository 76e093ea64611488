//! Between JavaScript and the functions of the WIT. What stands here is what every method needs; the methods themselves
//! are generated from the WIT.

mod answer;
mod argument;
mod error;

use javy::quickjs::{Ctx, Function, Object, Result, Value, function::Rest};

use argument::Argument;
pub use error::keep_error_classes;

/// A method of `g`, for its errors.
#[derive(Debug, PartialEq, Eq)]
pub struct Method {
    /// `store`
    pub namespace: &'static str,
    /// `put`
    pub name: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/g.rs"));
