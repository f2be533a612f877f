"""An MCP server with the kit's fixtures, built with the official Python SDK.

Serves stdio, or HTTP if the first argument is a port.
"""

import asyncio
import base64
import sys
from typing import Annotated

from mcp.server.mcpserver import (
    Audio,
    Context,
    Elicit,
    ElicitationResult,
    Image,
    MCPServer,
    Resolve,
    Sample,
    UserMessage,
)
from mcp.types import (
    Completion,
    CreateMessageResult,
    EmbeddedResource,
    PromptReference,
    ResourceLink,
    SamplingMessage,
    TextContent,
    TextResourceContents,
    ToolAnnotations,
)
from pydantic import BaseModel

IMAGE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
PIXEL = base64.b64decode(IMAGE)
SILENCE = base64.b64decode("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=")

server = MCPServer("python-sdk-server", version="1.0.0", log_level="ERROR")


def embedded(uri: str, text: str) -> EmbeddedResource:
    contents = TextResourceContents(uri=uri, mime_type="text/plain", text=text)
    return EmbeddedResource(type="resource", resource=contents)


@server.tool()
def test_simple_text() -> str:
    """Returns text."""
    return "This is a simple text response for testing."


@server.tool()
def test_image_content() -> Image:
    """Returns an image."""
    return Image(data=PIXEL, format="png")


@server.tool()
def test_audio_content() -> Audio:
    """Returns audio."""
    return Audio(data=SILENCE, format="wav")


@server.tool()
def test_embedded_resource() -> EmbeddedResource:
    """Returns a resource with its contents."""
    return embedded("test://embedded-resource", "This is an embedded resource content.")


@server.tool()
def test_resource_link() -> ResourceLink:
    """Returns a link to a resource."""
    return ResourceLink(type="resource_link", uri="test://static-text", name="Static text")


@server.tool(structured_output=False)
def test_multiple_content_types() -> list[str | Image | EmbeddedResource]:
    """Returns text, an image and a resource."""
    image = Image(data=PIXEL, format="png")
    return ["Multiple content types test:", image, embedded("test://mixed-content-resource", "{}")]


@server.tool()
def test_error_handling() -> str:
    """Fails."""
    raise ValueError("This tool intentionally returns an error for testing")


@server.tool()
def add_numbers(a: float, b: float) -> str:
    """Adds two numbers."""
    return f"{a + b:g}"


class Sum(BaseModel):
    sum: float


@server.tool(annotations=ToolAnnotations(title="Sum", read_only_hint=True, idempotent_hint=True))
def test_structured_output(a: float, b: float) -> Sum:
    """Adds two numbers and returns the sum as structured content."""
    return Sum(sum=a + b)


@server.tool()
async def test_tool_with_progress(ctx: Context) -> str:
    """Reports progress three times."""
    for step in (0, 50, 100):
        await ctx.report_progress(step, 100, f"Completed step {step} of 100")
        await asyncio.sleep(0.05)
    return "Done"


@server.tool()
async def test_tool_with_logging(ctx: Context) -> str:
    """Logs three messages."""
    for step in ("started", "continues", "completed"):
        await ctx.info(f"Tool execution {step}")
        await asyncio.sleep(0.05)
    return "Done"


@server.tool()
async def test_trigger_tool_change(ctx: Context) -> str:
    """Changes the tool list."""
    server.add_tool(test_simple_text, name="test_short_lived")
    server.remove_tool("test_short_lived")
    await ctx.notify_tools_changed()
    return "changed"


@server.tool()
async def test_trigger_resource_update(ctx: Context) -> str:
    """Sends an update notification for the watched resource."""
    await ctx.notify_resource_updated("test://watched-resource")
    return "updated"


class Username(BaseModel):
    username: str


def ask_username(message: str) -> Elicit[Username]:
    return Elicit(message, Username)


def ask_model(text: str) -> Sample:
    message = SamplingMessage(role="user", content=TextContent(type="text", text=text))
    return Sample([message], max_tokens=100)


def ask_prompt(prompt: str) -> Sample:
    return ask_model(prompt)


def ask_capital() -> Sample:
    return ask_model("What is the capital of France?")


def text_of(answer: CreateMessageResult) -> str:
    return answer.content.text if isinstance(answer.content, TextContent) else "something else"


@server.tool()
def test_elicitation(
    message: str, answer: Annotated[ElicitationResult[Username], Resolve(ask_username)]
) -> str:
    """Asks the user for a name and returns the response."""
    return f"User response: {answer.model_dump_json()}"


@server.tool()
def test_sampling(prompt: str, answer: Annotated[CreateMessageResult, Resolve(ask_prompt)]) -> str:
    """Asks the client's model."""
    return f"LLM response: {text_of(answer)}"


@server.tool()
def test_missing_capability(answer: Annotated[CreateMessageResult, Resolve(ask_capital)]) -> str:
    """Needs a client with a model."""
    return text_of(answer)


@server.resource("test://static-text", mime_type="text/plain")
def static_text() -> str:
    """A text that never changes."""
    return "This is the content of the static text resource."


@server.resource("test://static-binary", mime_type="image/png")
def static_binary() -> bytes:
    """An image that never changes."""
    return PIXEL


@server.resource("test://watched-resource", mime_type="text/plain")
def watched_resource() -> str:
    """A text to subscribe to."""
    return "Watch me."


@server.resource("test://template/{id}/data", mime_type="application/json")
def template_data(id: str) -> dict[str, object]:
    """Data of an id."""
    return {"id": id, "templateTest": True, "data": f"Data for ID: {id}"}


@server.prompt()
def test_simple_prompt() -> str:
    """Has no arguments."""
    return "This is a simple prompt for testing."


@server.prompt()
def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
    """Has two arguments."""
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


@server.prompt()
def test_prompt_with_embedded_resource(resourceUri: str) -> list[UserMessage]:
    """Contains a resource."""
    return [UserMessage(embedded(resourceUri, "Embedded resource content"))]


@server.prompt()
def test_prompt_with_image() -> list[UserMessage]:
    """Contains an image."""
    return [UserMessage(Image(data=PIXEL, format="png"))]


@server.completion()
async def complete(ref, argument, context) -> Completion | None:
    words = ["paris", "park"] if isinstance(ref, PromptReference) else ["1", "12", "123"]
    return Completion(values=[word for word in words if word.startswith(argument.value)])


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("streamable-http", port=int(sys.argv[1]))
    else:
        server.run("stdio")
