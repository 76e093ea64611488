//! Runs scripts of many tenants behind HTTP, with axum: the body of a request is a script, and the header `x-tenant` names
//! the workspace that it works on.
//!
//! ```sh
//! cargo run --release --example server -- 127.0.0.1:8000 data
//! curl localhost:8000 -H 'x-tenant: acme' --data-binary 'export const main = () => g.store.count("orders")'
//! ```

use std::{collections::HashMap, env, path::PathBuf, sync::Arc, time::Duration};

use axum::{
    Router,
    extract::{DefaultBodyLimit, State},
    http::{HeaderMap, StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
    routing::post,
};
use ghost::{
    Failure, Host, Instances, Limits, Origin, RunOptions, Script,
    workspace::{Create, Workspace},
};
use serde_json::json;
use tokio::{net::TcpListener, sync::Mutex};

/// How many scripts run at a time; further requests wait.
const PARALLEL_RUNS: u32 = 16;
/// The longest script, in bytes.
const MAX_SCRIPT_BYTES: usize = 1 << 20;

/// What the requests share.
struct Server {
    host: Host,
    /// The folder with a folder for each tenant.
    data: PathBuf,
    /// Clones of a workspace share its commits, so each tenant has one.
    workspaces: Mutex<HashMap<String, Workspace>>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = env::args().skip(1);
    let address = arguments.next().unwrap_or_else(|| "127.0.0.1:8000".into());
    let data = PathBuf::from(arguments.next().unwrap_or_else(|| "data".into()));
    let host = Host::builder().instances(Instances::Pool(PARALLEL_RUNS)).build()?;
    let server = Arc::new(Server { host, data, workspaces: Mutex::default() });
    let router = Router::new().route("/", post(run)).layer(DefaultBodyLimit::max(MAX_SCRIPT_BYTES)).with_state(server);
    let listener = TcpListener::bind(address).await?;
    println!("listening on http://{}", listener.local_addr()?);
    axum::serve(listener, router).await?;
    Ok(())
}

/// Runs the script of a request. When the client goes away, axum drops the future, which stops the script.
async fn run(State(server): State<Arc<Server>>, headers: HeaderMap, source: String) -> Response {
    let tenant = headers.get("x-tenant").and_then(|tenant| tenant.to_str().ok()).filter(|tenant| is_name(tenant));
    let Some(tenant) = tenant else {
        return (StatusCode::BAD_REQUEST, "the header x-tenant has to be 1 to 40 letters or digits\n").into_response();
    };
    let workspace = match server.workspace(tenant).await {
        Ok(workspace) => workspace,
        Err(error) => return (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")).into_response(),
    };
    // A tenant's script is not trusted: it has little time and memory, and no secrets.
    let limits = Limits { time: Duration::from_secs(5), memory: 64 << 20, disk: Some(64 << 20), ..Limits::default() };
    let script = match Script::from_source_within(&server.host, "script.js", &source, &limits).await {
        Ok(script) => script,
        Err(failure) => return failed(&failure),
    };
    let options = RunOptions { workspace: Some(workspace), limits, ..RunOptions::of(Origin::Local) };
    match server.host.run(&script, options).await.result {
        Ok(json) => (StatusCode::OK, [(CONTENT_TYPE, "application/json")], json.unwrap_or_default()).into_response(),
        Err(failure) => failed(&failure),
    }
}

fn is_name(tenant: &str) -> bool {
    (1..=40).contains(&tenant.len()) && tenant.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn failed(failure: &Failure) -> Response {
    let status = match failure {
        Failure::Internal { .. } | Failure::Storage { .. } => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    };
    (status, [(CONTENT_TYPE, "application/json")], json!({ "error": failure.to_string() }).to_string()).into_response()
}

impl Server {
    /// Returns the workspace of a tenant, whose folder is created if need be.
    async fn workspace(&self, tenant: &str) -> std::io::Result<Workspace> {
        let mut workspaces = self.workspaces.lock().await;
        if let Some(workspace) = workspaces.get(tenant) {
            return Ok(workspace.clone());
        }
        let folder = self.data.join(tenant);
        tokio::fs::create_dir_all(&folder).await?;
        let workspace = Workspace::at(&folder, Create::AtFirstUse);
        workspaces.insert(tenant.to_owned(), workspace.clone());
        Ok(workspace)
    }
}
