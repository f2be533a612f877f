"""Driver for the agents of LangChain, which run on LangGraph."""

import json
from importlib.metadata import version

import wire_langchain
from driver_protocol import HostError, Rejected, Unsupported, serve
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware, ModelCallLimitMiddleware
from langchain.agents.middleware.model_call_limit import ModelCallLimitExceededError
from langchain.tools import ToolRuntime
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import StructuredTool, ToolException
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphRecursionError
from langgraph.types import Command
from scripted_agent import (
    count,
    describe_run,
    loop_operations,
    ModelFailure,
    pending_call,
    read_input,
)


class ScriptedModel(BaseChatModel):
    """The scripted model as a chat model of LangChain."""

    scripted: object
    settings: dict

    @property
    def _llm_type(self):
        return "scripted"

    def bind_tools(self, tools, **options):
        return self.bind(tools=tools, **options)

    def _generate(self, messages, stop=None, run_manager=None, **options):
        raise NotImplementedError("the scripted model is asynchronous")

    async def _agenerate(self, messages, stop=None, run_manager=None, tools=(), **options):
        definitions = [
            {"name": tool.name, "description": tool.description or None, "inputSchema": tool.args_schema}
            for tool in tools
        ]
        content, reason, usage = await self.scripted.generate(
            to_conversation(messages), definitions, self.settings
        )
        message = to_message(content, reason, usage)
        return ChatResult(generations=[ChatGeneration(message=message)])


class LangGraphAgent:
    """An agent of LangChain."""

    def __init__(self, scripted):
        self.scripted = scripted
        tools = scripted.tools()
        middleware = []
        limit = scripted.max_iterations()
        if limit is not None:
            behavior = "error" if scripted.config.get("onMaxIterations") == "throw" else "end"
            middleware.append(ModelCallLimitMiddleware(run_limit=limit, exit_behavior=behavior))
        if "approval" in scripted.config:
            choices = {"allowed_decisions": ["approve", "reject"]}
            middleware.append(HumanInTheLoopMiddleware({tool.name: choices for tool in tools}))
        try:
            self.agent = create_agent(
                ScriptedModel(scripted=scripted, settings=scripted.settings),
                [self._to_tool(spec) for spec in tools],
                system_prompt=scripted.prompt,
                middleware=middleware,
                checkpointer=InMemorySaver() if "approval" in scripted.config else None,
            )
        except ValueError as error:
            raise Rejected("invalid_argument", str(error)) from error

    async def run(self, text):
        config = {"configurable": {"thread_id": "t"}}
        try:
            state = await self.agent.ainvoke({"messages": [("user", text)]}, config)
            while interrupts := state.get("__interrupt__"):
                decisions, pending = await self._settle(state, interrupts[0].value)
                if pending:
                    return self._describe(state, "approval_pending", pending=pending)
                state = await self.agent.ainvoke(Command(resume={"decisions": decisions}), config)
        except (ModelCallLimitExceededError, GraphRecursionError) as error:
            raise Rejected("max_iterations_exceeded", str(error)) from error
        except ModelFailure as error:
            raise Rejected("model_error", str(error)) from error
        return self._describe(state, "model_stop", state["messages"][-1].text)

    def _to_tool(self, spec):
        if spec.timeout is not None:
            raise Unsupported("a tool has no time limit")

        async def execute(runtime: ToolRuntime, **values):
            try:
                return await self.scripted.execute(spec.name, runtime.tool_call_id, values)
            except HostError as error:
                if "tellModel" not in error.details:
                    raise
                told = error.details["tellModel"]
                raise ToolException(told if isinstance(told, str) else json.dumps(told)) from error

        return StructuredTool(
            name=spec.name,
            description=spec.description or "",
            args_schema=spec.schema,
            coroutine=execute,
            handle_tool_error=True,
        )

    async def _settle(self, state, request):
        """Returns the decisions for the pending calls, and the calls that remain pending."""
        calls = list(state["messages"][-1].tool_calls)
        decisions, pending = [], []
        for action in request["action_requests"]:
            # LangGraph's requests for decisions contain no call ids.
            call = next(each for each in calls if each["name"] == action["name"])
            calls.remove(call)
            details = (call["name"], call["id"], call["args"])
            decision, reason = await self.scripted.decide(*details)
            if decision == "approve":
                decisions.append({"type": "approve"})
            elif decision == "deny":
                message = {} if reason is None else {"message": reason}
                decisions.append({"type": "reject", **message})
            else:
                pending.append(pending_call(*details))
        return decisions, pending

    def _describe(self, state, reason, final=None, pending=()):
        prompt = self.scripted.prompt
        messages = to_conversation(state["messages"])
        if prompt is not None:
            messages = [{"role": "system", "content": prompt}, *messages]
        responses = [
            (describe_parts(each), usage_of(each))
            for each in state["messages"]
            if isinstance(each, AIMessage)
        ]
        total = count(
            sum(usage["inputTokens"] for _, usage in responses),
            sum(usage["outputTokens"] for _, usage in responses),
        )
        return describe_run(messages, responses, total, reason, final, pending)


def to_message(content, reason, usage):
    """Converts a model response. Calls whose input is not a JSON object are invalid calls.

    The data of a provider about calls is in `additional_kwargs`, as in LangChain's integrations.
    """
    blocks, calls, invalid, details = [], [], [], {}
    for part in content:
        extras = {"extras": part["providerOptions"]} if "providerOptions" in part else {}
        if part["type"] == "tool-call":
            call = {"name": part["toolName"], "id": part["toolCallId"]}
            arguments = read_input(part["input"])
            if isinstance(arguments, dict):
                calls.append({**call, "args": arguments, "type": "tool_call"})
            else:
                invalid.append({**call, "args": part["input"], "error": "not a JSON object"})
            if "providerOptions" in part:
                details[part["toolCallId"]] = part["providerOptions"]
        elif part["type"] == "reasoning":
            blocks.append({"type": "reasoning", "reasoning": part["text"], **extras})
        else:
            blocks.append({"type": "text", "text": part["text"], **extras})
    tokens = (usage.get("inputTokens", 0), usage.get("outputTokens", 0))
    names = ("input_tokens", "output_tokens", "total_tokens")
    return AIMessage(
        content=blocks,
        tool_calls=calls,
        invalid_tool_calls=invalid,
        usage_metadata=dict(zip(names, (*tokens, sum(tokens)), strict=True)) if usage else None,
        response_metadata={"finish_reason": reason},
        additional_kwargs={"provider_data": details} if details else {},
    )


def usage_of(message):
    usage = message.usage_metadata or {}
    return count(usage.get("input_tokens", 0), usage.get("output_tokens", 0))


def to_conversation(messages):
    """Converts messages. The results of the calls of one response form one message."""
    conversation = []
    for message in messages:
        if isinstance(message, AIMessage):
            conversation.append({"role": "assistant", "content": describe_parts(message)})
        elif isinstance(message, ToolMessage):
            if conversation[-1]["role"] != "tool":
                conversation.append({"role": "tool", "content": []})
            conversation[-1]["content"].append(describe_result(message))
        else:
            role = "system" if isinstance(message, SystemMessage) else "user"
            conversation.append({"role": role, "content": message.content})
    return conversation


def describe_parts(message):
    parts = []
    for block in [message.content] if isinstance(message.content, str) else message.content:
        block = {"type": "text", "text": block} if isinstance(block, str) else block
        options = {"providerOptions": block["extras"]} if "extras" in block else {}
        if block["type"] in ("text", "reasoning"):
            parts.append({"type": block["type"], "text": block[block["type"]], **options})
    details = message.additional_kwargs.get("provider_data", {})
    for call in [*message.tool_calls, *message.invalid_tool_calls]:
        options = {"providerOptions": details[call["id"]]} if call["id"] in details else {}
        parts.append({
            "type": "tool-call",
            "toolCallId": call["id"],
            "toolName": call["name"],
            "input": call["args"],
            **options,
        })
    return parts


def describe_result(message):
    value = message.content if isinstance(message.content, str) else json.dumps(message.content)
    # A rejected call has an error status, but the text of its result is the user's message.
    is_error = message.status == "error" and not value.startswith("User rejected the tool call")
    kind = "error-text" if is_error else "text"
    return {
        "type": "tool-result",
        "toolCallId": message.tool_call_id,
        "toolName": message.name,
        "output": {"type": kind, "value": value},
    }


OPTIONS = ("approval",)

if __name__ == "__main__":
    implementation = {
        "name": "langchain",
        "version": version("langchain"),
        "language": "python",
        "url": "https://docs.langchain.com/oss/python/langchain/agents",
    }
    operations = {**loop_operations(LangGraphAgent, OPTIONS), **wire_langchain.OPERATION}
    serve(implementation, operations, {"runtime.tellModel": True, **wire_langchain.FEATURES})
