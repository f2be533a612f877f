"""The operation `agent.run` for Pydantic AI: an agent with the library's own models."""

from pydantic_ai import Agent, Tool
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.openai import OpenAIProvider
from wire import wire_features, wire_operation

APIS = ("openai-chat", "openai-responses", "anthropic", "gemini")


def open_model(wire):
    key = wire.api_key
    if wire.api == "openai-chat":
        return OpenAIChatModel(wire.model, provider=OpenAIProvider(base_url=wire.base_url, api_key=key))
    if wire.api == "openai-responses":
        provider = OpenAIProvider(base_url=wire.base_url, api_key=key)
        return OpenAIResponsesModel(wire.model, provider=provider)
    # The clients of these APIs append the version to the base URL.
    base_url = wire.base_url.rsplit("/", 1)[0]
    if wire.api == "anthropic":
        return AnthropicModel(wire.model, provider=AnthropicProvider(base_url=base_url, api_key=key))
    return GoogleModel(wire.model, provider=GoogleProvider(base_url=base_url, api_key=key))


def to_tool(wire, tool):
    async def execute(ctx, **tool_input):
        return await wire.execute(tool["name"], tool_input, ctx.tool_call_id)

    return Tool.from_schema(
        execute, tool["name"], tool["description"], tool["inputSchema"], takes_ctx=True
    )


async def run(wire):
    agent = Agent(open_model(wire), tools=[to_tool(wire, tool) for tool in wire.tools])
    return (await agent.run(wire.prompt)).output


OPERATION = wire_operation(APIS, run)
FEATURES = wire_features(APIS)
