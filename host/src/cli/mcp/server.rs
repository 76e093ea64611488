//! The server: its tools, resources and prompts, on any transport.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use ghost::{ConsoleLine, Level, Limits};
use rmcp::{
    ErrorData, Peer, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult, ErrorCode,
        GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult, ListResourcesResult,
        ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ProgressToken, ReadResourceRequestParams,
        ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, ServerCapabilities, ServerConfig,
    },
    service::RequestContext,
};
use serde::{
    Deserialize, Serialize,
    de::{DeserializeOwned, IgnoredAny},
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{
    declarations,
    documents::{self, DOCUMENTS, Document},
    input::Input,
    prompts,
    result::{Report, RunResult},
    runs::{End, Job, Runs, Stopped, WAITING_RUNS},
    schemas,
};

/// The most lines of the console in one progress notification.
const PROGRESS_LINES: usize = 64;

/// The server. Clones share its runs.
#[derive(Clone)]
pub(super) struct Server(Arc<Shared>);

struct Shared {
    runs: Runs,
    search: documents::Search,
    /// Cancelled when the server ends, or its only client is gone.
    stop: CancellationToken,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RunArguments {
    source: String,
    /// Its order is lost: [`Input`] has it.
    #[serde(default, rename = "input")]
    _input: IgnoredAny,
    timeout: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckArguments {
    source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct DescribeArguments {
    namespace: Option<String>,
    max_tokens: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchArguments {
    query: String,
    limit: Option<u32>,
}

/// The result of a tool other than `run_script`.
#[derive(Serialize)]
struct Checked {
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Report>,
}

#[derive(Serialize)]
struct Found {
    results: Vec<documents::Part>,
}

#[derive(Serialize)]
struct Failed {
    error: Report,
}

impl Server {
    pub(super) fn new(runs: Runs, stop: CancellationToken) -> Self {
        Self(Arc::new(Shared { runs, search: documents::Search::default(), stop }))
    }

    /// Completes when the client cancels a request, or is gone.
    fn cancelled(&self, context: &RequestContext<RoleServer>) -> impl Future<Output = ()> + Send + use<> {
        let (request, stop) = (context.ct.clone(), self.0.stop.clone());
        async move {
            tokio::select! {
                () = request.cancelled() => {}
                () = stop.cancelled() => {}
            }
        }
    }

    /// Calls a tool; none if there is no such tool. Fails with the result for arguments that are not those of the tool.
    async fn call(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<Option<CallToolResult>, Box<CallToolResult>> {
        Ok(Some(match request.name.as_ref() {
            "run_script" => self.run_script(arguments(request)?, context).await,
            "check_script" => self.check_script(arguments(request)?, context).await,
            "describe_api" => describe_api(&arguments(request)?),
            "search_docs" => self.search_docs(arguments(request)?).await,
            _ => return Ok(None),
        }))
    }

    async fn run_script(&self, given: RunArguments, context: &RequestContext<RoleServer>) -> CallToolResult {
        let runs = &self.0.runs;
        let time = match given.timeout.map(|timeout| seconds(timeout, runs.limits().time)).transpose() {
            Ok(time) => time,
            Err(message) => return structured(&RunResult::refused(Report::argument(message)), true),
        };
        let input = Input::attached(&context.extensions).map(|input| input.0);
        let mut job = Job { source: given.source, input, time, console: None };
        let end = match context.meta.get_progress_token() {
            None => runs.run(job, self.cancelled(context)).await,
            Some(token) => {
                let (lines, progress) = console(&mut job);
                let run = async { with_console(runs.run(job, self.cancelled(context)).await, &lines) };
                tokio::join!(run, report_progress(progress, token, &context.peer, self.cancelled(context))).0
            }
        };
        let result = match end {
            End::Ran(outcome) => RunResult::from(*outcome),
            End::NotCompiled(failure) => RunResult::refused(Report::not_compiled(failure)),
            End::Stopped(stopped) => RunResult::refused(stopped.into()),
        };
        structured(&result, result.is_error())
    }

    async fn check_script(&self, given: CheckArguments, context: &RequestContext<RoleServer>) -> CallToolResult {
        match self.0.runs.check(given.source, self.cancelled(context)).await {
            Ok(Ok(())) => structured(&Checked { ok: true, error: None }, false),
            Ok(Err(failure)) => structured(&Checked { ok: false, error: Some(Report::not_compiled(failure)) }, false),
            Err(stopped) => structured(&Checked { ok: false, error: Some(stopped.into()) }, true),
        }
    }

    async fn search_docs(&self, given: SearchArguments) -> CallToolResult {
        let limit = given.limit.unwrap_or(documents::DEFAULT_RESULTS);
        if !(1..=documents::MAX_RESULTS).contains(&limit) {
            return failed(Report::argument(format!("limit is {limit}, 1 to {} is allowed", documents::MAX_RESULTS)));
        }
        let server = self.clone();
        let searched = tokio::task::spawn_blocking(move || server.0.search.query(&given.query, limit)).await;
        match searched {
            Ok(Ok(results)) => structured(&Found { results }, false),
            Ok(Err(error)) => failed(Report::of("SEARCH", error.message)),
            Err(panicked) => failed(Report::internal(&panicked.to_string())),
        }
    }
}

fn describe_api(given: &DescribeArguments) -> CallToolResult {
    let tokens = given.max_tokens.unwrap_or(declarations::DEFAULT_TOKENS);
    let (least, most) = (declarations::MIN_TOKENS, declarations::MAX_TOKENS);
    if !(least..=most).contains(&tokens) {
        return failed(Report::argument(format!("maxTokens is {tokens}, {least} to {most} is allowed")));
    }
    match given.namespace.as_deref() {
        Some(unknown) if !declarations::namespaces().contains(&unknown) => {
            let known = declarations::namespaces().join(", ");
            failed(Report::argument(format!("namespace is {unknown:?}, the namespaces are {known}")))
        }
        namespace => structured(&declarations::describe(namespace, tokens), false),
    }
}

/// A time limit of a client, within that of the server.
fn seconds(given: f64, limit: Duration) -> Result<Duration, String> {
    let time = Duration::try_from_secs_f64(given).ok().filter(|time| !time.is_zero() && *time <= limit);
    time.ok_or_else(|| {
        let limit = humantime::format_duration(limit);
        format!("timeout is {given} seconds, more than 0 and at most {limit} is allowed")
    })
}

impl From<Stopped> for Report {
    fn from(stopped: Stopped) -> Self {
        let message = match stopped {
            Stopped::Refused => format!("{WAITING_RUNS} scripts are waiting, which is the limit"),
            Stopped::Cancelled => "the client cancelled the request, or closed the connection".into(),
            Stopped::Panicked => return Self::internal("a run panicked"),
        };
        Self::of(stopped.code(), message)
    }
}

type Lines = Arc<Mutex<Vec<ConsoleLine>>>;

/// Gives a job a console that keeps its lines and also sends them on.
fn console(job: &mut Job) -> (Lines, mpsc::UnboundedReceiver<String>) {
    // The limit of the console bounds both.
    let (sender, receiver) = mpsc::unbounded_channel();
    let lines = Lines::default();
    let kept = Arc::clone(&lines);
    job.console = Some(Box::new(move |level: Level, text: &str| {
        let line = ConsoleLine { level, text: text.to_owned() };
        kept.lock().unwrap_or_else(PoisonError::into_inner).push(line);
        // Nobody receives after a cancellation.
        let _ = sender.send(text.to_owned());
    }));
    (lines, receiver)
}

/// Adds the lines of a console to the outcome of its run.
fn with_console(end: End, lines: &Lines) -> End {
    match end {
        End::Ran(mut outcome) => {
            outcome.console = std::mem::take(&mut lines.lock().unwrap_or_else(PoisonError::into_inner));
            End::Ran(outcome)
        }
        end => end,
    }
}

/// Sends the lines of a console to the client, until the run has ended or is cancelled.
async fn report_progress(
    mut lines: mpsc::UnboundedReceiver<String>,
    token: ProgressToken,
    peer: &Peer<RoleServer>,
    cancelled: impl Future<Output = ()>,
) {
    let report = async {
        let (mut count, mut buffer) = (0, Vec::new());
        while lines.recv_many(&mut buffer, PROGRESS_LINES).await > 0 {
            count += buffer.len();
            let progress = ProgressNotificationParam::new(token.clone(), count as f64).with_message(buffer.join("\n"));
            buffer.clear();
            // Without a client, the run is cancelled.
            let _ = peer.notify_progress(progress).await;
        }
    };
    tokio::select! {
        () = report => {}
        () = cancelled => {}
    }
}

/// The result of a tool: its text is the JSON of its structured content.
fn structured(result: &impl Serialize, is_error: bool) -> CallToolResult {
    let written = serde_json::to_string(result).and_then(|text| Ok((serde_json::from_str(&text)?, text)));
    let (value, text) = match written {
        Ok(written) => written,
        // A value of a script that is nested too deeply to be read again.
        Err(error) => return failed(Report::of("DATA", format!("the result can't be sent: {error}"))),
    };
    let content = vec![ContentBlock::text(text)];
    let mut result = if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
    result.structured_content = Some(value);
    result
}

fn failed(error: Report) -> CallToolResult {
    structured(&Failed { error }, true)
}

/// Parses the arguments of a tool. The error is for the model, which can correct them.
fn arguments<T: DeserializeOwned>(request: CallToolRequestParams) -> Result<T, Box<CallToolResult>> {
    let given = serde_json::Value::Object(request.arguments.unwrap_or_default());
    serde_json::from_value(given)
        .map_err(|error| Box::new(failed(Report::argument(format!("{}: {error}", request.name)))))
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("ghost", env!("CARGO_PKG_VERSION")))
            .with_instructions(instructions(self.0.runs.limits(), self.0.runs.is_read_only()))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let runs = &self.0.runs;
        Ok(ListToolsResult::with_all_items(schemas::tools(runs.limits().time, runs.is_read_only())))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.clone();
        match self.call(request, &context).await {
            Ok(Some(result)) => Ok(result.into()),
            Ok(None) => {
                let tools = "run_script, check_script, describe_api, search_docs";
                Err(ErrorData::invalid_params(format!("there is no tool {name:?}, only {tools}"), None))
            }
            Err(refused) => Ok((*refused).into()),
        }
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resource = |document: &Document| {
            Resource::new(document.uri(), document.name)
                .with_title(document.title)
                .with_description(document.description)
                .with_mime_type(document.media_type)
                .with_size(document.text.len() as u64)
        };
        Ok(ListResourcesResult::with_all_items(DOCUMENTS.iter().map(resource).collect()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let document = DOCUMENTS.iter().find(|document| document.uri() == request.uri);
        let document = document.ok_or_else(|| {
            ErrorData::resource_not_found(format!("there is no resource {:?}; see resources/list", request.uri), None)
        })?;
        let content = ResourceContents::text(document.text, document.uri()).with_mime_type(document.media_type);
        Ok(ReadResourceResult::new(vec![content]).into())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::get(&request.name, request.arguments.as_ref())
            .map(Into::into)
            .map_err(|message| ErrorData::invalid_params(message, None))
    }

    /// A request that is none of the protocol: its method is unknown, or its parameters are not those of its method.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        let known = ["initialize", "tools/call", "resources/read", "prompts/get", "completion/complete"];
        Err(match known.contains(&method.as_str()) {
            true => ErrorData::invalid_params(format!("the parameters are not those of {method}"), None),
            false => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("there is no method {method:?}"), None),
        })
    }
}

/// What a model should know before it writes a script.
fn instructions(limits: &Limits, is_read_only: bool) -> String {
    let access = if is_read_only {
        "The server is read-only: methods of g.store, g.queue and g.search that write fail with BLOCKED."
    } else {
        "Scripts can read and write the user's workspace."
    };
    let mebibytes = |bytes: u64| bytes >> 20;
    let disk =
        limits.disk.map_or_else(String::new, |bytes| format!(", {} MiB written to the workspace", mebibytes(bytes)));
    format!(
        "ghost runs JavaScript in a sandbox with storage. Use run_script to store, find and process data: write one ES module \
         that exports main(input), and return a small JSON value.\n\
         {access} Blocked: the network, files, imports, and g.objectstore, g.documentdb, g.sqldb and g.clustersearch (code \
         BLOCKED; the user can run such a script with `ghost run`).\n\
         Limits of a run: {time}, {memory} MiB of memory, {console} KiB of console output{disk}, a result of {result} characters. \
         A larger result has truncated: true and only a preview: return less (a count, a page with limit and offset, fewer \
         members). Work on large data inside the script.\n\
         Call describe_api for the declarations of g, search_docs for the reference and examples.",
        time = humantime::format_duration(limits.time),
        memory = mebibytes(limits.memory),
        console = limits.console >> 10,
        result = limits.result,
    )
}
