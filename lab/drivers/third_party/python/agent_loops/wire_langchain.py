"""The operation `agent.run` for LangChain: an agent with the packages for model providers."""

from langchain.agents import create_agent
from langchain.tools import ToolRuntime
from langchain_anthropic import ChatAnthropic
from langchain_core.tools import StructuredTool
from langchain_google_genai import ChatGoogleGenerativeAI
from langchain_openai import ChatOpenAI
from wire import wire_features, wire_operation

APIS = ("openai-chat", "openai-responses", "anthropic", "gemini")


def open_model(wire):
    settings = {"model": wire.model, "api_key": wire.api_key, "max_retries": 0}
    if wire.api in ("openai-chat", "openai-responses"):
        responses = wire.api == "openai-responses"
        return ChatOpenAI(base_url=wire.base_url, use_responses_api=responses, **settings)
    # The clients of these APIs append the version to the base URL.
    base_url = wire.base_url.rsplit("/", 1)[0]
    if wire.api == "anthropic":
        return ChatAnthropic(base_url=base_url, **settings)
    return ChatGoogleGenerativeAI(base_url=base_url, **settings)


def to_tool(wire, tool):
    async def execute(runtime: ToolRuntime, **tool_input):
        return await wire.execute(tool["name"], tool_input, runtime.tool_call_id)

    return StructuredTool(
        name=tool["name"],
        description=tool["description"],
        args_schema=tool["inputSchema"],
        coroutine=execute,
    )


async def run(wire):
    agent = create_agent(open_model(wire), [to_tool(wire, tool) for tool in wire.tools])
    state = await agent.ainvoke({"messages": [("user", wire.prompt)]})
    return state["messages"][-1].text


OPERATION = wire_operation(APIS, run)
FEATURES = wire_features(APIS)
