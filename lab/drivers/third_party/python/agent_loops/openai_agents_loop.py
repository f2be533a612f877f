"""Driver for the runner of the OpenAI Agents SDK for Python."""

import json
from importlib.metadata import version

from agents import (
    Agent,
    FunctionTool,
    MaxTurnsExceeded,
    Model,
    ModelBehaviorError,
    ModelResponse,
    ModelSettings,
    RunConfig,
    Runner,
    Usage,
    UserError,
    default_tool_error_function,
)
import wire_openai_agents
from driver_protocol import HostError, Rejected, serve
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseReasoningItem,
)
from openai.types.responses.response_reasoning_item import Summary
from scripted_agent import (
    count,
    describe_run,
    loop_operations,
    ModelFailure,
    pending_call,
    read_input,
)

# The SDK records traces and sends them to OpenAI unless the caller opts out.
CONFIG = RunConfig(tracing_disabled=True)


class ScriptedModel(Model):
    """The scripted model as a model of the SDK."""

    def __init__(self, scripted):
        self._scripted = scripted

    async def get_response(self, system_instructions, input, model_settings, tools, *_args, **_named):
        definitions = [
            {
                "name": tool.name,
                "description": tool.description or None,
                "inputSchema": tool.params_json_schema,
            }
            for tool in tools
        ]
        items = [{"role": "user", "content": input}] if isinstance(input, str) else input
        content, reason, usage = await self._scripted.generate(
            to_conversation(system_instructions, items),
            definitions,
            {
                "temperature": model_settings.temperature,
                "topP": model_settings.top_p,
                "maxOutputTokens": model_settings.max_tokens,
            },
        )
        if reason in ("error", "content-filter"):
            raise self._scripted.reject('a model response cannot express "%s"' % reason)
        # The items of a truncated response have the status `incomplete`.
        status = "completed" if reason in ("stop", "tool-calls") else "incomplete"
        tokens_in, tokens_out = usage.get("inputTokens", 0), usage.get("outputTokens", 0)
        return ModelResponse(
            output=to_items(content, status),
            usage=Usage(
                requests=1,
                input_tokens=tokens_in,
                output_tokens=tokens_out,
                total_tokens=tokens_in + tokens_out,
            ),
            response_id=None,
        )

    def stream_response(self, *_args, **_named):
        raise NotImplementedError("streaming is not supported")


class OpenAiAgent:
    """An agent of the OpenAI Agents SDK."""

    def __init__(self, scripted):
        self.scripted = scripted
        settings = scripted.settings
        names = {"temperature": "temperature", "topP": "top_p", "maxOutputTokens": "max_tokens"}
        try:
            self.agent = Agent(
                name=scripted.config.get("name", "agent"),
                instructions=scripted.prompt,
                model=ScriptedModel(scripted),
                model_settings=ModelSettings(**{names[name]: settings[name] for name in settings}),
                tools=[self._to_tool(spec) for spec in scripted.tools()],
            )
        except (UserError, TypeError, ValueError) as error:
            raise Rejected("invalid_argument", str(error)) from error

    async def run(self, text):
        limit = self.scripted.max_iterations()
        options = {"run_config": CONFIG, **({} if limit is None else {"max_turns": limit})}
        try:
            result = await Runner.run(self.agent, text, **options)
            while result.interruptions:
                state, pending = result.to_state(), []
                for item in result.interruptions:
                    await self._settle(state, item, pending)
                if pending:
                    return self._describe(result, "approval_pending", pending=pending)
                result = await Runner.run(self.agent, state, **options)
        except MaxTurnsExceeded as error:
            raise Rejected("max_iterations_exceeded", str(error)) from error
        except (ModelBehaviorError, UserError) as error:
            raise Rejected(type(error).__name__, str(error)) from error
        except ModelFailure as error:
            raise Rejected("model_error", str(error)) from error
        return self._describe(result, "model_stop", result.final_output)

    def _to_tool(self, spec):
        async def invoke(context, text):
            try:
                return await self.scripted.execute(spec.name, context.tool_call_id, json.loads(text))
            except HostError as error:
                told = error.details.get("tellModel")
                if told is None:
                    return default_tool_error_function(context, error)
                return told if isinstance(told, str) else json.dumps(told)
            except ValueError as error:
                # The SDK's own function tools also return the default error message if the input is not JSON.
                return default_tool_error_function(context, error)

        return FunctionTool(
            name=spec.name,
            description=spec.description or "",
            params_json_schema=spec.schema,
            on_invoke_tool=invoke,
            strict_json_schema=False,
            needs_approval="approval" in self.scripted.config,
            timeout_seconds=spec.timeout,
        )

    async def _settle(self, state, item, pending):
        call = item.raw_item
        request = (call.name, call.call_id, read_input(call.arguments))
        decision, reason = await self.scripted.decide(*request)
        if decision == "approve":
            state.approve(item)
        elif decision == "deny":
            state.reject(item, rejection_message=reason)
        else:
            pending.append(pending_call(*request))

    def _describe(self, result, reason, final=None, pending=()):
        messages = to_conversation(self.scripted.prompt, result.to_input_list())
        responses = [
            (
                [part for item in each.output for part in describe_item(item.model_dump())[1]],
                count(each.usage.input_tokens, each.usage.output_tokens),
            )
            for each in result.raw_responses
        ]
        usage = result.context_wrapper.usage
        total = count(usage.input_tokens, usage.output_tokens)
        return describe_run(messages, responses, total, reason, final, pending)


def to_items(content, status):
    """Converts the parts of a model response. Consecutive texts form one message."""
    items = []
    for part in content:
        # The SDK retains unknown members, such as provider data.
        extra = {"provider_data": part["providerOptions"]} if "providerOptions" in part else {}
        if part["type"] == "tool-call":
            items.append(ResponseFunctionToolCall(
                type="function_call",
                call_id=part["toolCallId"],
                name=part["toolName"],
                arguments=part["input"],
                status=status,
                **extra,
            ))
        elif part["type"] == "reasoning":
            summary = Summary(text=part["text"], type="summary_text")
            items.append(ResponseReasoningItem(id="r", type="reasoning", summary=[summary], **extra))
        else:
            text = ResponseOutputText(type="output_text", text=part["text"], annotations=[])
            if items and isinstance(items[-1], ResponseOutputMessage):
                items[-1].content.append(text)
            else:
                items.append(ResponseOutputMessage(
                    id="m", type="message", role="assistant", status=status, content=[text], **extra
                ))
    return items


def to_conversation(instructions, items):
    """Converts items. The items of one response form one message, and its tool results form another."""
    conversation = [] if instructions is None else [{"role": "system", "content": instructions}]
    for item in items:
        role, parts = describe_item(dict(item))
        if role == "user":
            conversation.append({"role": role, "content": item["content"]})
        elif conversation and conversation[-1]["role"] == role:
            conversation[-1]["content"].extend(parts)
        else:
            conversation.append({"role": role, "content": parts})
    names = {
        part["toolCallId"]: part["toolName"]
        for message in conversation
        if message["role"] == "assistant"
        for part in message["content"]
        if part["type"] == "tool-call"
    }
    for message in conversation:
        for part in message["content"] if message["role"] == "tool" else ():
            part["toolName"] = names.get(part["toolCallId"])
    return conversation


def describe_item(item):
    """Returns the role of an item, and its parts."""
    kind = item.get("type", "message")
    details = item.get("provider_data")
    extra = {} if details is None else {"providerOptions": details}
    if kind == "function_call":
        call = {"toolCallId": item["call_id"], "toolName": item["name"]}
        arguments = read_input(item["arguments"])
        return "assistant", [{"type": "tool-call", **call, "input": arguments, **extra}]
    if kind == "function_call_output":
        output = {"type": "text", "value": item["output"]}
        return "tool", [{"type": "tool-result", "toolCallId": item["call_id"], "output": output}]
    if kind == "reasoning":
        texts = [part["text"] for part in item["summary"]]
        return "assistant", [{"type": "reasoning", "text": text, **extra} for text in texts]
    if item["role"] == "user":
        return "user", []
    return "assistant", [{"type": "text", "text": part["text"], **extra} for part in item["content"]]


OPTIONS = ("approval", "toolTimeoutMs")

if __name__ == "__main__":
    implementation = {
        "name": "openai-agents",
        "version": version("openai-agents"),
        "language": "python",
        "url": "https://openai.github.io/openai-agents-python/",
    }
    operations = {**loop_operations(OpenAiAgent, OPTIONS), **wire_openai_agents.OPERATION}
    serve(implementation, operations, {"runtime.tellModel": True, **wire_openai_agents.FEATURES})
