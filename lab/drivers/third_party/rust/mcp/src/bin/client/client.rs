//! The SDK's client with the operations of the driver protocol.

// Sampling, roots and log levels are deprecated, but the kit has cases for all three.
#![allow(deprecated)]

use std::error::Error;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::model::*;
use rmcp::service::{NotificationContext, PeerRequestOptions, RequestContext, RunningService};
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, ErrorData, RoleClient};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::process::Command;

type Failure = Box<dyn Error + Send + Sync>;

/// Names of the operations on a client.
pub const OPERATIONS: &[&str] = &[
    "mcp.client.listTools",
    "mcp.client.listResources",
    "mcp.client.listResourceTemplates",
    "mcp.client.listPrompts",
    "mcp.client.callTool",
    "mcp.client.getResource",
    "mcp.client.getPrompt",
    "mcp.client.complete",
    "mcp.client.setLogLevel",
];

/// Responds to input requests with the values of a case, and collects progress.
#[derive(Clone)]
struct Handler {
    responses: Value,
    progress: Arc<Mutex<Vec<ProgressNotificationParam>>>,
}

impl Handler {
    fn respond<T: DeserializeOwned>(&self, response: Value) -> Result<T, ErrorData> {
        serde_json::from_value(response)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let has = |name: &str| !self.responses[name].is_null();
        let mut capabilities = ClientCapabilities::default();
        if has("elicit") || has("elicitUrl") {
            let mut elicitation = ElicitationCapability::default();
            elicitation.form = has("elicit").then(Default::default);
            elicitation.url = has("elicitUrl").then(Default::default);
            capabilities.elicitation = Some(elicitation);
        }
        capabilities.sampling = has("createMessage").then(Default::default);
        capabilities.roots = has("listRoots").then(Default::default);
        ClientConfig::new(capabilities, Implementation::new("rmcp", "1.0.0"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let is_url = matches!(request, ElicitRequestParams::UrlElicitationParams { .. });
        self.respond(self.responses[if is_url { "elicitUrl" } else { "elicit" }].clone())
    }

    async fn create_message(
        &self,
        _params: CreateMessageRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        self.respond(self.responses["createMessage"].clone())
    }

    async fn list_roots(
        &self,
        _context: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        self.respond(json!({ "roots": self.responses["listRoots"] }))
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        self.progress
            .lock()
            .expect("no panic while locked")
            .push(params);
    }
}

/// A connected client.
pub struct Client {
    service: tokio::sync::RwLock<Option<RunningService<RoleClient, Handler>>>,
    progress: Arc<Mutex<Vec<ProgressNotificationParam>>>,
}

impl Client {
    pub async fn connect(args: &Value) -> Result<Self, Failure> {
        let progress = Arc::default();
        let handler = Handler {
            responses: args["handlers"].clone(),
            progress: Arc::clone(&progress),
        };
        let lifecycle = match args["protocol"].as_str() {
            Some(_) => ClientLifecycleMode::Initialize,
            None => ClientLifecycleMode::Auto {
                preferred_versions: vec![ProtocolVersion::V_2026_07_28],
                legacy_version: None,
            },
        };
        let transport = &args["transport"];
        let service = if let Some(url) = transport["url"].as_str() {
            let http = StreamableHttpClientTransport::from_uri(url);
            handler.serve_with_lifecycle(http, lifecycle).await?
        } else {
            let mut command = Command::new(transport["command"].as_str().unwrap_or_default());
            let words = transport["args"].as_array().into_iter().flatten();
            command.args(words.filter_map(Value::as_str));
            handler
                .serve_with_lifecycle(TokioChildProcess::new(command)?, lifecycle)
                .await?
        };
        Ok(Self {
            service: tokio::sync::RwLock::new(Some(service)),
            progress,
        })
    }

    pub async fn close(&self) {
        if let Some(service) = self.service.write().await.take()
            && let Err(error) = service.cancel().await
        {
            eprintln!("the client failed while closing: {error}");
        }
    }

    pub async fn call(&self, name: &str, args: &Value) -> Result<Value, Failure> {
        let service = self.service.read().await;
        let service = service.as_ref().ok_or("the client is closed")?;
        Ok(match name {
            "mcp.client.listTools" => json!({ "items": service.list_tools(None).await?.tools }),
            "mcp.client.listResources" => {
                json!({ "items": service.list_resources(None).await?.resources })
            }
            "mcp.client.listResourceTemplates" => {
                let found = service.list_resource_templates(None).await?;
                json!({ "items": found.resource_templates })
            }
            "mcp.client.listPrompts" => {
                json!({ "items": service.list_prompts(None).await?.prompts })
            }
            "mcp.client.getResource" => {
                let params = ReadResourceRequestParams::new(text(&args["uri"]));
                json!({ "result": service.read_resource(params).await? })
            }
            "mcp.client.getPrompt" => {
                let params = json!({ "name": args["name"], "arguments": args["arguments"] });
                let params = serde_json::from_value(params)?;
                json!({ "result": service.get_prompt(params).await? })
            }
            "mcp.client.complete" => {
                let params = serde_json::from_value(args["params"].clone())?;
                json!({ "result": service.complete(params).await?.completion })
            }
            "mcp.client.setLogLevel" => {
                let level = serde_json::from_value(args["level"].clone())?;
                service.set_level(SetLevelRequestParams::new(level)).await?;
                json!({})
            }
            _ => self.call_tool(service, args).await?,
        })
    }

    async fn call_tool(
        &self,
        service: &RunningService<RoleClient, Handler>,
        args: &Value,
    ) -> Result<Value, Failure> {
        let arguments = args["arguments"].as_object().cloned().unwrap_or_default();
        let params = CallToolRequestParams::new(text(&args["name"])).with_arguments(arguments);
        let timeout = args["timeoutMs"].as_u64().map(Duration::from_millis);
        if args["progress"] == true {
            return self.call_with_progress(service, params, timeout).await;
        }
        let call = service.call_tool(params);
        let result = match timeout {
            Some(timeout) => tokio::time::timeout(timeout, call).await??,
            None => call.await?,
        };
        Ok(json!({ "result": result, "progress": [] }))
    }

    /// Calls a tool with the request API, which reveals the progress token of the call.
    async fn call_with_progress(
        &self,
        service: &RunningService<RoleClient, Handler>,
        params: CallToolRequestParams,
        timeout: Option<Duration>,
    ) -> Result<Value, Failure> {
        let mut options = PeerRequestOptions::no_options();
        options.timeout = timeout;
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let request = service.send_cancellable_request(request, options).await?;
        let token = request.progress_token.clone();
        let result = request.await_response().await?;
        let reports = self.progress.lock().expect("no panic while locked");
        let reports: Vec<Value> = reports
            .iter()
            .filter(|report| report.progress_token == token)
            .map(|report| {
                let mut fields = json!({ "progress": report.progress });
                if let Some(total) = report.total {
                    fields["total"] = json!(total);
                }
                if let Some(message) = &report.message {
                    fields["message"] = json!(message);
                }
                fields
            })
            .collect();
        Ok(json!({ "result": result, "progress": reports }))
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}
