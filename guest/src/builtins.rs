//! The globals in addition to the language: `g`, `console`, timers, encodings, URLs. The JavaScript part is in `js/`,
//! one file per API; this file and its modules contain the functions in Rust that it uses.

mod clone;
mod encoding;
#[cfg(test)]
mod tests;

use std::{
    cell::{Cell, RefCell},
    time::Instant,
};

use javy::quickjs::{
    Ctx, FromJs, Function, Object, Persistent, Result, TypedArray, Value, context::EvalOptions, prelude::Opt,
};
use url::{Url, form_urlencoded, quirks};

use crate::{
    bindings::ghost::g::console,
    exception,
    glue::{self, borrow},
    timers,
};

/// The files of `js/`, by their names in the prelude.
const PARTS: [(&str, &str); 6] = [
    ("inspect", include_str!("js/inspect.js")),
    ("console", include_str!("js/console.js")),
    ("timers", include_str!("js/timers.js")),
    ("encoding", include_str!("js/encoding.js")),
    ("url", include_str!("js/url.js")),
    ("clone", include_str!("js/clone.js")),
];

type SavedFunction = RefCell<Option<Persistent<Function<'static>>>>;

thread_local! {
    static INSPECT: SavedFunction = const { RefCell::new(None) };
    static RESOLVE: SavedFunction = const { RefCell::new(None) };
    static STARTED: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Installs the globals.
pub fn install(ctx: &Ctx<'_>) -> Result<()> {
    let parts = Object::new(ctx.clone())?;
    for (name, source) in PARTS {
        parts.set(name, evaluate::<Value<'_>>(ctx, name, source)?)?;
    }
    let prelude: Function<'_> = evaluate(ctx, "prelude", include_str!("js/prelude.js"))?;
    let saved: Object<'_> = prelude.call((native(ctx)?, glue::install(ctx)?, parts))?;
    INSPECT.set(Some(Persistent::save(ctx, saved.get::<_, Function<'_>>("inspect")?)));
    RESOLVE.set(Some(Persistent::save(ctx, saved.get::<_, Function<'_>>("resolve")?)));
    Ok(())
}

/// Formats a value as the console does.
pub fn inspect<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> String {
    let shown = || {
        let inspect = INSPECT.with_borrow(Clone::clone)?.restore(ctx).ok()?;
        inspect.call::<_, String>((value.clone(),)).inspect_err(|_| drop(ctx.catch())).ok()
    };
    shown().unwrap_or_else(|| format!("[{}]", value.type_name()))
}

/// Converts a thenable to a promise, as `await` does.
pub fn awaitable<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Value<'js>> {
    match RESOLVE.with_borrow(Clone::clone) {
        Some(resolve) if value.is_object() && !value.is_promise() => resolve.restore(ctx)?.call((value,)),
        _ => Ok(value),
    }
}

/// Starts the clock of `performance.now()`.
pub fn start_clock() {
    STARTED.set(Some(Instant::now()));
}

fn evaluate<'js, T: FromJs<'js>>(ctx: &Ctx<'js>, name: &str, source: &str) -> Result<T> {
    let mut options = EvalOptions::default();
    options.filename = Some(format!("ghost:{name}"));
    ctx.eval_with_options(source, options)
}

/// Creates the object with the functions in Rust.
fn native<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    native.set("write", Function::new(ctx.clone(), write)?)?;
    native.set("now", Function::new(ctx.clone(), now)?)?;
    native.set("scriptStack", Function::new(ctx.clone(), |stack: String| exception::script_stack(&stack))?)?;
    native.set("setTimer", Function::new(ctx.clone(), timers::set)?)?;
    native.set("clearTimer", Function::new(ctx.clone(), timers::clear)?)?;
    native.set("random", Function::new(ctx.clone(), random)?)?;
    native.set("encode", Function::new(ctx.clone(), encoding::encode)?)?;
    native.set("encodingName", Function::new(ctx.clone(), |label: Lossy| encoding::encoding_name(&label.0))?)?;
    native.set("completeLength", Function::new(ctx.clone(), encoding::complete_length)?)?;
    native.set("decode", Function::new(ctx.clone(), encoding::decode)?)?;
    native.set("cloner", Function::new(ctx.clone(), clone::cloner)?)?;
    native.set("parseUrl", Function::new(ctx.clone(), parse_url)?)?;
    native.set("getPart", Function::new(ctx.clone(), |href: String, part: String| get_part(&href, &part))?)?;
    native.set(
        "setPart",
        Function::new(ctx.clone(), |href: String, part: String, value: Lossy| set_part(&href, &part, &value.0))?,
    )?;
    native.set("parsePairs", Function::new(ctx.clone(), parse_pairs)?)?;
    native.set("formatPairs", Function::new(ctx.clone(), format_pairs)?)?;
    Ok(native)
}

fn write(level: String, text: javy::quickjs::String<'_>) -> Result<()> {
    let level = match level.as_str() {
        "debug" => console::Level::Debug,
        "warn" => console::Level::Warn,
        "error" => console::Level::Error,
        _ => console::Level::Info,
    };
    console::write(level, &lossy(&text)?);
    Ok(())
}

/// Converts a string, and replaces unpaired surrogates.
fn lossy(text: &javy::quickjs::String<'_>) -> Result<String> {
    // When the allocation fails, its exception is pending.
    let text = text.clone().to_cstring().map_err(|_| javy::quickjs::Error::Exception)?;
    Ok(well_formed(borrow::bytes(&text)))
}

/// Replaces unpaired surrogates, which QuickJS encodes like characters.
fn well_formed(bytes: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.to_owned();
    }
    let mut bytes = bytes.to_owned();
    for at in 0..bytes.len().saturating_sub(2) {
        if bytes[at] == 0xed && bytes[at + 1] >= 0xa0 {
            bytes[at..at + 3].copy_from_slice("\u{fffd}".as_bytes());
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A string of a script with unpaired surrogates replaced. A plain `String` would throw an error with Rust's own
/// message.
struct Lossy(String);

impl<'js> FromJs<'js> for Lossy {
    fn from_js(_: &Ctx<'js>, value: Value<'js>) -> Result<Self> {
        // All callers in `js/` pass a string.
        value.as_string().map_or_else(|| Ok(Self(String::new())), |text| lossy(text).map(Self))
    }
}

/// Returns the milliseconds since the run started.
fn now() -> f64 {
    STARTED.get().map_or(0.0, |started| started.elapsed().as_secs_f64() * 1e3)
}

/// Returns random bytes.
pub fn random(ctx: Ctx<'_>, length: usize) -> Result<Value<'_>> {
    let mut bytes = vec![0; length];
    getrandom::fill(&mut bytes)
        .map_err(|_| javy::quickjs::Exception::throw_internal(&ctx, "no random numbers are available"))?;
    Ok(TypedArray::<u8>::new(ctx, bytes)?.into_value())
}

fn parse_url(url: Lossy, base: Opt<Option<Lossy>>) -> Option<String> {
    let base = match base.0.flatten() {
        Some(base) => Some(Url::parse(&base.0).ok()?),
        None => None,
    };
    Url::options().base_url(base.as_ref()).parse(&url.0).ok().map(Into::into)
}

fn get_part(href: &str, part: &str) -> Option<String> {
    let url = Url::parse(href).ok()?;
    Some(match part {
        "origin" => quirks::origin(&url),
        "protocol" => quirks::protocol(&url).into(),
        "username" => quirks::username(&url).into(),
        "password" => quirks::password(&url).into(),
        "host" => quirks::host(&url).into(),
        "hostname" => quirks::hostname(&url).into(),
        "port" => quirks::port(&url).into(),
        "pathname" => quirks::pathname(&url).into(),
        "search" => quirks::search(&url).into(),
        "hash" => quirks::hash(&url).into(),
        _ => url.into(),
    })
}

/// Returns a URL with a part changed; an invalid part is ignored. Returns none for an invalid URL.
fn set_part(href: &str, part: &str, value: &str) -> Option<String> {
    let mut url = Url::parse(href).ok()?;
    let _unchanged = match part {
        "protocol" => quirks::set_protocol(&mut url, value),
        "username" => quirks::set_username(&mut url, value),
        "password" => quirks::set_password(&mut url, value),
        "host" => quirks::set_host(&mut url, value),
        "hostname" => quirks::set_hostname(&mut url, value),
        "port" => quirks::set_port(&mut url, value),
        "pathname" => Ok(quirks::set_pathname(&mut url, value)),
        "search" => Ok(quirks::set_search(&mut url, value)),
        "hash" => Ok(quirks::set_hash(&mut url, value)),
        _ => return Url::parse(value).ok().map(Into::into),
    };
    Some(url.into())
}

fn parse_pairs(query: Lossy) -> Vec<Vec<String>> {
    form_urlencoded::parse(query.0.as_bytes()).map(|(name, value)| vec![name.into(), value.into()]).collect()
}

fn format_pairs(flat: Vec<Lossy>) -> String {
    let mut text = form_urlencoded::Serializer::new(String::new());
    for pair in flat.chunks_exact(2) {
        text.append_pair(&pair[0].0, &pair[1].0);
    }
    text.finish()
}
