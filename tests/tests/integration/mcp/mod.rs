//! `ghost mcp`, as clients meet it: over standard input and output, and over HTTP.

mod bad_input;
mod client;
mod clients;
mod http;
pub mod http_client;
mod protocol;
mod read_only;
mod runs;
mod sharing;
