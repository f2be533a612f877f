//! The tools.

// Sampling and roots are deprecated, but the kit has cases for both.
#![allow(deprecated)]

use std::time::Duration;

use rmcp::handler::server::tool::InputResponses;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::*;
use rmcp::schemars::{self, JsonSchema};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, Json, tool, tool_router};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Server;
use crate::content::{SILENCE, embedded, image};

#[derive(Deserialize, JsonSchema)]
struct Numbers {
    a: f64,
    b: f64,
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: f64,
}

#[derive(Deserialize, JsonSchema)]
struct Message {
    message: String,
}

#[derive(Deserialize, JsonSchema)]
struct Prompt {
    prompt: String,
}

fn form(message: &str, field: &str) -> InputRequest {
    let schema = json!({
        "type": "object",
        "properties": { field: { "type": "string" } },
        "required": [field]
    });
    let requested_schema = serde_json::from_value(schema).expect("a form with one text field");
    InputRequest::Elicitation(ElicitRequest::new(
        ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: message.into(),
            requested_schema,
        },
    ))
}

fn sample(text: &str) -> CreateMessageRequestParams {
    CreateMessageRequestParams::new(vec![SamplingMessage::user_text(text)], 100)
}

fn is_legacy(context: &RequestContext<RoleServer>) -> bool {
    context
        .protocol_version()
        .is_none_or(|version| version < ProtocolVersion::V_2026_07_28)
}

fn failed(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

/// Returns an error if the client does not support the request.
fn check_capability(
    request: &InputRequest,
    context: &RequestContext<RoleServer>,
) -> Result<(), ErrorData> {
    let declared = context.client_capabilities().unwrap_or_default();
    let builder = ClientCapabilities::builder();
    let (is_declared, required) = match request {
        InputRequest::Elicitation(_) => (
            declared.elicitation.is_some(),
            builder.enable_elicitation().build(),
        ),
        InputRequest::CreateMessage(_) => (
            declared.sampling.is_some(),
            builder.enable_sampling().build(),
        ),
        _ => (declared.roots.is_some(), builder.enable_roots().build()),
    };
    if is_declared {
        return Ok(());
    }
    Err(ErrorData::missing_required_client_capability(required))
}

/// Returns the response to an input request. Clients of older protocol versions receive the request itself, and the
/// others a result that contains the request.
async fn ask(
    key: &str,
    request: InputRequest,
    given: Option<InputResponsesOf>,
    context: &RequestContext<RoleServer>,
) -> Result<Answer, ErrorData> {
    check_capability(&request, context)?;
    if !is_legacy(context) {
        return Ok(match given.and_then(|mut given| given.remove(key)) {
            Some(response) => Answer::Given(response),
            None => {
                let requests = InputRequests::from([(key.to_string(), request)]);
                Answer::Wanted(InputRequiredResult::new(Some(requests), None))
            }
        });
    }
    let response = match request {
        InputRequest::Elicitation(ElicitRequest { params, .. }) => {
            let found = context.peer.create_elicitation(params).await;
            serde_json::to_value(found.map_err(failed)?)
        }
        InputRequest::CreateMessage(CreateMessageRequest { params, .. }) => {
            let found = context.peer.create_message(params).await;
            serde_json::to_value(found.map_err(failed)?)
        }
        InputRequest::ListRoots(_) => {
            serde_json::to_value(context.peer.list_roots().await.map_err(failed)?)
        }
        _ => return Err(failed("an unknown input request")),
    };
    Ok(Answer::Given(response.map_err(failed)?))
}

type InputResponsesOf = std::collections::BTreeMap<String, Value>;

enum Answer {
    Given(Value),
    Wanted(InputRequiredResult),
}

impl Answer {
    fn map(self, text: impl FnOnce(Value) -> String) -> CallToolResponse {
        match self {
            Answer::Given(value) => {
                CallToolResult::success(vec![ContentBlock::text(text(value))]).into()
            }
            Answer::Wanted(result) => result.into(),
        }
    }
}

fn text_at(value: &Value, pointer: &str) -> String {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or("something else")
        .to_string()
}

#[tool_router(vis = "pub(crate)")]
impl Server {
    /// Returns text
    #[tool]
    async fn test_simple_text(&self) -> String {
        "This is a simple text response for testing.".to_string()
    }

    /// Returns an image
    #[tool]
    async fn test_image_content(&self) -> CallToolResult {
        CallToolResult::success(vec![image()])
    }

    /// Returns audio
    #[tool]
    async fn test_audio_content(&self) -> CallToolResult {
        CallToolResult::success(vec![ContentBlock::audio(SILENCE, "audio/wav")])
    }

    /// Returns a resource with its contents
    #[tool]
    async fn test_embedded_resource(&self) -> CallToolResult {
        let text = "This is an embedded resource content.";
        CallToolResult::success(vec![embedded("test://embedded-resource", text)])
    }

    /// Returns a link to a resource
    #[tool]
    async fn test_resource_link(&self) -> CallToolResult {
        let link = Resource::new("test://static-text", "Static text");
        CallToolResult::success(vec![ContentBlock::resource_link(link)])
    }

    /// Returns text, an image and a resource
    #[tool]
    async fn test_multiple_content_types(&self) -> CallToolResult {
        CallToolResult::success(vec![
            ContentBlock::text("Multiple content types test:"),
            image(),
            embedded("test://mixed-content-resource", "{}"),
        ])
    }

    /// Fails
    #[tool]
    async fn test_error_handling(&self) -> Result<String, String> {
        Err("This tool intentionally returns an error for testing".to_string())
    }

    /// Adds two numbers
    #[tool]
    async fn add_numbers(&self, Parameters(Numbers { a, b }): Parameters<Numbers>) -> String {
        (a + b).to_string()
    }

    /// Adds two numbers and returns the sum as structured content
    #[tool(annotations(title = "Sum", read_only_hint = true, idempotent_hint = true))]
    async fn test_structured_output(
        &self,
        Parameters(Numbers { a, b }): Parameters<Numbers>,
    ) -> Json<Sum> {
        Json(Sum { sum: a + b })
    }

    /// Reports progress three times
    #[tool]
    async fn test_tool_with_progress(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<String, ErrorData> {
        let token = context.meta.get_progress_token();
        for step in [0.0, 50.0, 100.0] {
            let Some(token) = &token else { break };
            let progress = ProgressNotificationParam::new(token.clone(), step)
                .with_total(100.0)
                .with_message(format!("Completed step {step} of 100"));
            context
                .peer
                .notify_progress(progress)
                .await
                .map_err(failed)?;
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Ok("Done".to_string())
    }

    /// Sends an elicitation request
    #[tool]
    async fn test_elicitation(
        &self,
        Parameters(Message { message }): Parameters<Message>,
        InputResponses(given): InputResponses,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let answer = ask("user", form(&message, "username"), given, &context).await?;
        Ok(answer.map(|response| format!("User response: {response}")))
    }

    /// Asks the client's model
    #[tool]
    async fn test_sampling(
        &self,
        Parameters(Prompt { prompt }): Parameters<Prompt>,
        InputResponses(given): InputResponses,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let request = InputRequest::CreateMessage(CreateMessageRequest::new(sample(&prompt)));
        let answer = ask("answer", request, given, &context).await?;
        Ok(answer.map(|response| format!("LLM response: {}", text_at(&response, "/content/text"))))
    }

    /// Greets the user by name
    #[tool]
    async fn test_input_required_result_elicitation(
        &self,
        InputResponses(given): InputResponses,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let request = form("What is your name?", "name");
        let answer = ask("user_name", request, given, &context).await?;
        Ok(answer.map(|response| format!("Hello, {}!", text_at(&response, "/content/name"))))
    }

    /// Asks the client's model for a capital
    #[tool]
    async fn test_input_required_result_sampling(
        &self,
        InputResponses(given): InputResponses,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let question = sample("What is the capital of France?");
        let request = InputRequest::CreateMessage(CreateMessageRequest::new(question));
        let answer = ask("capital_question", request, given, &context).await?;
        Ok(answer.map(|response| text_at(&response, "/content/text")))
    }

    /// Needs a client with a model
    #[tool]
    async fn test_missing_capability(
        &self,
        InputResponses(given): InputResponses,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let request = InputRequest::CreateMessage(CreateMessageRequest::new(sample("Hello?")));
        let answer = ask("answer", request, given, &context).await?;
        Ok(answer.map(|response| text_at(&response, "/content/text")))
    }

    /// Returns the client's roots
    #[tool]
    async fn test_input_required_result_list_roots(
        &self,
        InputResponses(given): InputResponses,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let request = InputRequest::ListRoots(ListRootsRequest::default());
        let answer = ask("client_roots", request, given, &context).await?;
        Ok(answer.map(|response| response.to_string()))
    }
}
