//! The prompts.

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{PromptMessage, Role};
use rmcp::schemars::{self, JsonSchema};
use rmcp::{prompt, prompt_router};
use serde::Deserialize;

use crate::Server;
use crate::content::{embedded, image};

#[derive(Deserialize, JsonSchema)]
struct TwoArguments {
    /// The first
    arg1: String,
    /// The second
    arg2: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ResourceArgument {
    /// URI of the resource
    resource_uri: String,
}

#[prompt_router(vis = "pub(crate)")]
impl Server {
    /// Has no arguments
    #[prompt]
    async fn test_simple_prompt(&self) -> Vec<PromptMessage> {
        let text = "This is a simple prompt for testing.";
        vec![PromptMessage::new_text(Role::User, text)]
    }

    /// Has two arguments
    #[prompt]
    async fn test_prompt_with_arguments(
        &self,
        Parameters(TwoArguments { arg1, arg2 }): Parameters<TwoArguments>,
    ) -> Vec<PromptMessage> {
        let text = format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'");
        vec![PromptMessage::new_text(Role::User, text)]
    }

    /// Contains a resource
    #[prompt]
    async fn test_prompt_with_embedded_resource(
        &self,
        Parameters(ResourceArgument { resource_uri }): Parameters<ResourceArgument>,
    ) -> Vec<PromptMessage> {
        let content = embedded(&resource_uri, "Embedded resource content");
        vec![PromptMessage::new(Role::User, content)]
    }

    /// Contains an image
    #[prompt]
    async fn test_prompt_with_image(&self) -> Vec<PromptMessage> {
        vec![PromptMessage::new(Role::User, image())]
    }
}
