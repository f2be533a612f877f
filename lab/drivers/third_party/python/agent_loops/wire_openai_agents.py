"""The operation `agent.run` for the OpenAI Agents SDK: an agent with the SDK's own models."""

import json

from agents import (
    Agent,
    FunctionTool,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    RunConfig,
    Runner,
)
from agents.tool import default_tool_error_function
from openai import AsyncOpenAI
from wire import wire_features, wire_operation

APIS = ("openai-chat", "openai-responses")


def open_model(wire):
    client = AsyncOpenAI(base_url=wire.base_url, api_key=wire.api_key, max_retries=0)
    kind = OpenAIChatCompletionsModel if wire.api == "openai-chat" else OpenAIResponsesModel
    return kind(wire.model, client)


def to_tool(wire, tool):
    async def invoke(context, text):
        try:
            return await wire.execute(tool["name"], json.loads(text), context.tool_call_id)
        except Exception as error:  # as the SDK does for the tools that it creates from functions
            return default_tool_error_function(context, error)

    return FunctionTool(
        name=tool["name"],
        description=tool["description"],
        params_json_schema=tool["inputSchema"],
        on_invoke_tool=invoke,
        strict_json_schema=False,
    )


async def run(wire):
    tools = [to_tool(wire, tool) for tool in wire.tools]
    agent = Agent(name="agent", instructions="Use the tools.", model=open_model(wire), tools=tools)
    config = RunConfig(tracing_disabled=True)
    return (await Runner.run(agent, wire.prompt, run_config=config)).final_output


OPERATION = wire_operation(APIS, run)
FEATURES = wire_features(APIS)
