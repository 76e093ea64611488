//! Stores books, finds some of them, and reads those.

#[cfg(not(feature = "external"))]
wit_bindgen::generate!({ path: "../../../wit", world: "local-script" });
#[cfg(feature = "external")]
wit_bindgen::generate!({ path: "../../../wit", world: "script" });

use ghost::g::{
    console::{self, Level},
    queue::{self, QueueWaitOptions},
    search::{self, SearchOptions},
    store,
    types::{Error, ErrorCode, Exception},
};
use serde_json::{Value, json};

struct Books;

export!(Books);

impl Guest for Books {
    /// Takes the books (an array, or where they are in a database), and the query.
    async fn run(arguments: Vec<String>) -> Result<Option<String>, Failure> {
        let [books, query] = arguments.as_slice() else {
            return Err(failure("TypeError", "two arguments are needed, the books and the query"));
        };
        let (books, query) = (all_of(parsed(books)?).await?, parsed(query)?);
        for book in &books {
            let key = book["key"].as_str().ok_or_else(|| failure("TypeError", &format!("{book} has no key")))?;
            add(key, book)?;
        }
        let found = find(query.as_str().unwrap_or_default())?;
        console::write(Level::Info, &format!("{} of {} books match", found.len(), books.len()));
        let read = read().await?;
        let years: u64 = found.iter().filter_map(|book| book["year"].as_u64()).sum();
        // It panics when no book was found: a test sees what is said about that.
        let mean = years / found.len() as u64;
        Ok(Some(json!({ "read": read, "meanYear": mean }).to_string()))
    }
}

/// Returns the books that the first argument gives.
async fn all_of(argument: Value) -> Result<Vec<Value>, Failure> {
    match argument {
        Value::Array(books) => Ok(books),
        #[cfg(feature = "external")]
        Value::Object(database) => {
            let [secret, statement] = ["secret", "statement"].map(|name| database[name].as_str().unwrap_or_default());
            let value = ghost::g::sqldb::scalar(secret.into(), statement.into(), None).await?;
            Ok(parsed(&value)?["value"].as_array().cloned().unwrap_or_default())
        }
        _ => Err(failure("TypeError", "the books are not an array")),
    }
}

/// Stores a book, and indexes it.
fn add(key: &str, book: &Value) -> Result<(), Failure> {
    store::put("books", key, &book.to_string())?;
    let mut fields = book.clone();
    fields["_collection"] = json!("books");
    fields["_key"] = json!(key);
    Ok(search::index(&fields.to_string())?)
}

/// Returns the books that match a query, and puts their keys on the list of what to read.
fn find(query: &str) -> Result<Vec<Value>, Failure> {
    let options = SearchOptions { collection: Some("books".into()), limit: None, offset: None };
    let mut found = Vec::new();
    for result in search::query(query, Some(&options))? {
        queue::enqueue("reading", &json!(result.key).to_string(), None)?;
        if let Some(document) = store::get("books", &result.key)? {
            found.push(parsed(&document.data)?);
        }
    }
    Ok(found)
}

/// Reads what is on the list.
async fn read() -> Result<Vec<Value>, Failure> {
    let mut read = Vec::new();
    let briefly = QueueWaitOptions { timeout_ms: Some(10), lease_ms: None };
    while let Some(item) = queue::wait_for_item("reading".into(), Some(briefly)).await? {
        read.push(parsed(&item.data)?);
        queue::commit(item.id)?;
    }
    Ok(read)
}

fn parsed(json: &str) -> Result<Value, Failure> {
    serde_json::from_str(json).map_err(|error| failure("SyntaxError", &error.to_string()))
}

/// What a script in JavaScript throws.
fn failure(name: &str, message: &str) -> Failure {
    let (name, message) = (Some(name.into()), message.into());
    let stack = Vec::new();
    Failure::Exception(Exception { name, message, stack, code: None, namespace: None, method: None, details: None })
}

impl From<Error> for Failure {
    /// The error of a call ends the script.
    fn from(Error { code, message, details }: Error) -> Self {
        let (name, code, stack) = (Some("GError".into()), Some(text_of(code)), Vec::new());
        Self::Exception(Exception { name, message, stack, code, namespace: None, method: None, details })
    }
}

/// `QUERY_SYNTAX`
fn text_of(code: ErrorCode) -> String {
    let mut text = String::new();
    for letter in format!("{code:?}").trim_start_matches("ErrorCode::").chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.push(letter.to_ascii_uppercase());
    }
    text
}
