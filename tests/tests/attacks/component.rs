//! Components made of WebAssembly text.
//!
//! A section of `tests/attacks/components` is what stands inside a core module; memory, allocator and `run` are put in where
//! it has none of its own: then `run` calls `$main` and returns nothing. One that begins with `(component` is taken as it is.

use anyhow::{Context, Result};
use ghost_tests::program::repository;
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

/// Of WASI what attacks call by itself; the rest comes with the adapter of preview 1.
const WASI: &str = "package test:attacks;
package wasi:io@0.2.0 {
  interface error { resource error; }
  interface poll { resource pollable { block: func(); ready: func() -> bool; } poll: func(in: list<borrow<pollable>>) -> list<u32>; }
  interface streams {
    use error.{error}; use poll.{pollable};
    variant stream-error { last-operation-failed(error), closed }
    resource input-stream { read: func(len: u64) -> result<list<u8>, stream-error>; blocking-read: func(len: u64) -> result<list<u8>, stream-error>; skip: func(len: u64) -> result<u64, stream-error>; }
    resource output-stream {
      check-write: func() -> result<u64, stream-error>; write: func(contents: list<u8>) -> result<_, stream-error>;
      write-zeroes: func(len: u64) -> result<_, stream-error>; blocking-write-zeroes-and-flush: func(len: u64) -> result<_, stream-error>;
      subscribe: func() -> pollable; splice: func(src: borrow<input-stream>, len: u64) -> result<u64, stream-error>;
    }
  }
}
package wasi:cli@0.2.0 {
  interface stdout { use wasi:io/streams@0.2.0.{output-stream}; get-stdout: func() -> output-stream; }
  interface stdin { use wasi:io/streams@0.2.0.{input-stream}; get-stdin: func() -> input-stream; }
}
package wasi:clocks@0.2.0 { interface monotonic-clock { use wasi:io/poll@0.2.0.{pollable}; type duration = u64; subscribe-duration: func(when: duration) -> pollable; } }
package wasi:random@0.2.0 { interface random { get-random-bytes: func(len: u64) -> list<u8>; } }
package wasi:sockets@0.2.0 { interface network { resource network; } interface instance-network { use network.{network}; instance-network: func() -> network; } }
package wasi:http@0.2.0 { interface types { resource fields { constructor(); } } }
";

const WORLD: &str = "package test:attack; world attack {
  include ghost:g/script@0.1.0;
  import wasi:cli/stdout@0.2.0; import wasi:cli/stdin@0.2.0; import wasi:io/streams@0.2.0; import wasi:io/poll@0.2.0;
  import wasi:clocks/monotonic-clock@0.2.0; import wasi:random/random@0.2.0; import wasi:sockets/instance-network@0.2.0; import wasi:http/types@0.2.0;
}";

const MEMORY: &str = "(memory (export \"memory\") 2)\n";

/// Gives out what comes next, and never takes anything back.
const ALLOCATE: &str = r#"
(global $next (mut i32) (i32.const 65536))
(func $allocate (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
  (local $at i32)
  (global.set $next (i32.and (i32.add (global.get $next) (i32.const 7)) (i32.const -8)))
  (local.set $at (global.get $next))
  (global.set $next (i32.add (global.get $next) (local.get 3)))
  (block $fits (loop $grow
    (br_if $fits (i32.le_u (global.get $next) (i32.mul (memory.size) (i32.const 65536))))
    (if (i32.eq (memory.grow (i32.const 16)) (i32.const -1)) (then unreachable))
    (br $grow)))
  (local.get $at))
"#;

/// What is at 1024 is zero: the result is nothing.
const RUN: &str = "(func (export \"run\") (param i32 i32) (result i32) (call $main) (i32.const 1024))\n";

/// The component of a section.
pub fn made(code: &str) -> Result<Vec<u8>> {
    if code.trim_start().starts_with("(component") || code.trim_start().starts_with("(module") {
        return Ok(wat::parse_str(code)?);
    }
    let (imports, rest): (Vec<&str>, Vec<&str>) =
        code.lines().partition(|line| line.trim_start().starts_with("(import"));
    let missing = |mark: &str, text: &'static str| if code.contains(mark) { "" } else { text };
    let text = format!(
        "(module\n{}\n{}{}{}{})",
        imports.join("\n"),
        missing("(memory (export", MEMORY),
        missing("cabi_realloc", ALLOCATE),
        missing("(export \"run\")", if code.contains("[async-lift]") { "" } else { RUN }),
        rest.join("\n"),
    );
    encoded(&wat::parse_str(&text).with_context(|| text.clone())?)
}

/// The component of a core module.
pub fn encoded(module: &[u8]) -> Result<Vec<u8>> {
    let mut resolve = Resolve::default();
    resolve.push_dir(repository().join("wit"))?;
    resolve.push_str("wasi.wit", WASI)?;
    let package = resolve.push_str("attack.wit", WORLD)?;
    let world = resolve.select_world(&[package], Some("attack"))?;
    let mut module = module.to_vec();
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8)?;
    let adapter = wasi_preview1_component_adapter_provider::WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER;
    let encoder = ComponentEncoder::default().module(&module)?;
    encoder.adapter("wasi_snapshot_preview1", adapter)?.encode()
}
