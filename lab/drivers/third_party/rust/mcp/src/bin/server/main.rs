//! An MCP server with the kit's fixtures, built with the official Rust SDK.
//!
//! Serves stdio, or HTTP if the first argument is a port.

mod content;
mod prompts;
mod tools;

use rmcp::handler::server::router::{prompt::PromptRouter, tool::ToolRouter};
use rmcp::model::*;
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService, stdio};
use rmcp::{ErrorData, ServerHandler, ServiceExt, prompt_handler, tool_handler};
use serde_json::json;

use content::{PIXEL, STATIC_TEXT};

#[derive(Clone)]
pub struct Server {
    tool_router: ToolRouter<Self>,
    prompt_router: PromptRouter<Self>,
}

impl Server {
    fn new() -> Self {
        Self {
            tool_router: Self::tool_router(),
            prompt_router: Self::prompt_router(),
        }
    }
}

fn completions(words: &[&str], typed: &str) -> Vec<String> {
    let found = words.iter().filter(|word| word.starts_with(typed));
    found.map(|word| word.to_string()).collect()
}

#[tool_handler(router = self.tool_router)]
#[prompt_handler(router = self.prompt_router)]
impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_completions()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("rust-sdk-server", "1.0.0"))
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let text = |uri: &str, name: &str| Resource::new(uri, name).with_mime_type("text/plain");
        Ok(ListResourcesResult::with_all_items(vec![
            text("test://static-text", "Static text"),
            Resource::new("test://static-binary", "Static image").with_mime_type("image/png"),
            text("test://watched-resource", "Watched resource"),
        ]))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let template = ResourceTemplate::new("test://template/{id}/data", "Data by id");
        Ok(ListResourceTemplatesResult::with_all_items(vec![
            template.with_mime_type("application/json"),
        ]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.as_str();
        let contents = match uri {
            "test://static-text" => {
                ResourceContents::text(STATIC_TEXT, uri).with_mime_type("text/plain")
            }
            "test://static-binary" => {
                ResourceContents::blob(PIXEL, uri).with_mime_type("image/png")
            }
            "test://watched-resource" => {
                ResourceContents::text("Watch me.", uri).with_mime_type("text/plain")
            }
            _ => template_data(uri).ok_or_else(|| {
                ErrorData::resource_not_found("Resource not found", Some(json!({ "uri": uri })))
            })?,
        };
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let words: &[&str] = match request.r#ref {
            Reference::Prompt(_) => &["paris", "park"],
            _ => &["1", "12", "123"],
        };
        let values = completions(words, &request.argument.value);
        let info = CompletionInfo::new(values)
            .map_err(|message| ErrorData::internal_error(message, None))?;
        Ok(CompleteResult::new(info))
    }
}

fn template_data(uri: &str) -> Option<ResourceContents> {
    let id = uri
        .strip_prefix("test://template/")?
        .strip_suffix("/data")?;
    let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
    Some(ResourceContents::text(data.to_string(), uri).with_mime_type("application/json"))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(port) = std::env::args().nth(1) else {
        Server::new().serve(stdio()).await?.waiting().await?;
        return Ok(());
    };
    // Without a list of allowed origins, the SDK does not validate the Origin header.
    let config = StreamableHttpServerConfig::default()
        .with_allowed_origins([format!("http://127.0.0.1:{port}")]);
    let service: StreamableHttpService<Server, LocalSessionManager> =
        StreamableHttpService::new(|| Ok(Server::new()), Default::default(), config);
    let router = axum::Router::new().nest_service("/mcp", service);
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await?;
    axum::serve(listener, router).await?;
    Ok(())
}
