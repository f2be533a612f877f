"""An MCP server with the kit's fixtures, built with FastMCP.

Serves stdio, or HTTP if the first argument is a port.
"""

import asyncio
import base64
import sys

from fastmcp import Context, FastMCP
from fastmcp.prompts import Message
from fastmcp.utilities.types import Audio, Image
from mcp.types import EmbeddedResource, ImageContent, ResourceLink, TextResourceContents
from pydantic import BaseModel

IMAGE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
PIXEL = base64.b64decode(IMAGE)
SILENCE = base64.b64decode("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=")

server = FastMCP("python-fastmcp-server", version="1.0.0")


def embedded(uri: str, text: str) -> EmbeddedResource:
    contents = TextResourceContents(uri=uri, mime_type="text/plain", text=text)
    return EmbeddedResource(type="resource", resource=contents)


@server.tool
def test_simple_text() -> str:
    """Returns text."""
    return "This is a simple text response for testing."


@server.tool
def test_image_content() -> Image:
    """Returns an image."""
    return Image(data=PIXEL, format="png")


@server.tool
def test_audio_content() -> Audio:
    """Returns audio."""
    return Audio(data=SILENCE, format="wav")


@server.tool
def test_embedded_resource() -> EmbeddedResource:
    """Returns a resource with its contents."""
    return embedded("test://embedded-resource", "This is an embedded resource content.")


@server.tool
def test_resource_link() -> ResourceLink:
    """Returns a link to a resource."""
    return ResourceLink(type="resource_link", uri="test://static-text", name="Static text")


@server.tool
def test_multiple_content_types() -> list:
    """Returns text, an image and a resource."""
    image = Image(data=PIXEL, format="png")
    return ["Multiple content types test:", image, embedded("test://mixed-content-resource", "{}")]


@server.tool
def test_error_handling() -> str:
    """Fails."""
    raise ValueError("This tool intentionally returns an error for testing")


@server.tool
def add_numbers(a: float, b: float) -> str:
    """Adds two numbers."""
    return f"{a + b:g}"


class Sum(BaseModel):
    sum: float


@server.tool(annotations={"title": "Sum", "readOnlyHint": True, "idempotentHint": True})
def test_structured_output(a: float, b: float) -> Sum:
    """Adds two numbers and returns the sum as structured content."""
    return Sum(sum=a + b)


@server.tool
async def test_tool_with_progress(ctx: Context) -> str:
    """Reports progress three times."""
    for step in (0, 50, 100):
        await ctx.report_progress(step, 100, f"Completed step {step} of 100")
        await asyncio.sleep(0.05)
    return "Done"


@server.tool
async def test_tool_with_logging(ctx: Context) -> str:
    """Logs three messages."""
    for step in ("started", "continues", "completed"):
        await ctx.info(f"Tool execution {step}")
        await asyncio.sleep(0.05)
    return "Done"


@server.resource("test://static-text", mime_type="text/plain")
def static_text() -> str:
    """A text that never changes."""
    return "This is the content of the static text resource."


@server.resource("test://static-binary", mime_type="image/png")
def static_binary() -> bytes:
    """An image that never changes."""
    return PIXEL


@server.resource("test://template/{id}/data", mime_type="application/json")
def template_data(id: str) -> str:
    """Data of an id."""
    return f'{{"id":"{id}","templateTest":true,"data":"Data for ID: {id}"}}'


@server.prompt
def test_simple_prompt() -> str:
    """Has no arguments."""
    return "This is a simple prompt for testing."


@server.prompt
def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
    """Has two arguments."""
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


@server.prompt
def test_prompt_with_embedded_resource(resourceUri: str) -> list[Message]:
    """Contains a resource."""
    return [Message(embedded(resourceUri, "Embedded resource content"))]


@server.prompt
def test_prompt_with_image() -> list[Message]:
    """Contains an image."""
    return [Message(ImageContent(type="image", data=IMAGE, mime_type="image/png"))]


if __name__ == "__main__":
    if len(sys.argv) > 1:
        # FastMCP validates the Origin header only if the program enables the validation.
        server.run(
            "http",
            host="127.0.0.1",
            port=int(sys.argv[1]),
            host_origin_protection="auto",
            show_banner=False,
        )
    else:
        server.run("stdio", show_banner=False)
