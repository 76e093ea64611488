//! A client of PostgreSQL's protocol (version 3.0) for servers that are not trusted.
//!
//! - Statements have no name, so nothing of them outlives a request: a pooler may give each request another session.
//! - A request reads from the socket only as its caller takes rows; no task reads ahead. Notices are dropped unread.
//! - The length of a message is checked before the message is buffered: `inbox.rs`. Rows count against the run's buffers.
//! - Whatever the server sends, the answer is a value or an [`Error`], never a panic.
//!
//! A request that is dropped half-way leaves [`Client::is_running`] true. Such a connection is to be cancelled and closed.

mod client;
mod config;
mod connect;
mod copy;
mod error;
mod inbox;
mod login;
mod query;
mod socket;
#[cfg(test)]
mod tests;
mod types;

pub(crate) use client::{Client, Status};
pub(crate) use config::{
    ChannelBinding, Config, DEFAULT_PORT, Host, Keepalives, LoadBalanceHosts, SslMode, SslNegotiation,
    TargetSessionAttrs,
};
pub(crate) use connect::{cancel, connect};
pub(crate) use error::{Error, ErrorResponse};
pub(crate) use inbox::{DataRow, Short, take_value};
pub(crate) use query::{Column, Description, Descriptions, Execution, Format, PARAMETERS};
pub(crate) use types::Type;
