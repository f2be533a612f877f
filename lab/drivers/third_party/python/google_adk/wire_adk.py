"""The operation `agent.run` for ADK: an agent with ADK's own model for the Gemini API."""

from contextlib import aclosing
from functools import cached_property

from google.adk.agents import LlmAgent
from google.adk.models import Gemini
from google.adk.runners import InMemoryRunner
from google.adk.tools.base_tool import BaseTool
from google.genai import Client, types
from wire import wire_features, wire_operation

APIS = ("gemini",)


class LocalGemini(Gemini):
    """ADK's model with the address of the kit, as the documentation of `Gemini` shows."""

    base_url: str
    api_key: str

    @cached_property
    def api_client(self):
        return Client(api_key=self.api_key, http_options=types.HttpOptions(base_url=self.base_url))


class KitTool(BaseTool):
    """A tool of the kit."""

    def __init__(self, wire, tool):
        super().__init__(name=tool["name"], description=tool["description"])
        self._wire = wire
        self._schema = tool["inputSchema"]

    def _get_declaration(self):
        return types.FunctionDeclaration(
            name=self.name, description=self.description, parameters_json_schema=self._schema
        )

    async def run_async(self, *, args, tool_context):
        value = await self._wire.execute(self.name, args, tool_context.function_call_id)
        return {} if value is None else {"result": value}


async def run(wire):
    base_url = wire.base_url.rsplit("/", 1)[0]
    model = LocalGemini(model=wire.model, base_url=base_url, api_key=wire.api_key)
    agent = LlmAgent(
        name="agent", model=model, tools=[KitTool(wire, tool) for tool in wire.tools]
    )
    runner = InMemoryRunner(agent, app_name="kit")
    session = await runner.session_service.create_session(app_name="kit", user_id="user")
    message = types.Content(role="user", parts=[types.Part(text=wire.prompt)])
    text = ""
    events = runner.run_async(user_id="user", session_id=session.id, new_message=message)
    async with aclosing(events):
        async for event in events:
            if event.is_final_response() and event.content and event.content.parts:
                text = "".join(part.text or "" for part in event.content.parts)
    return text


OPERATION = wire_operation(APIS, run)
FEATURES = wire_features(APIS)
