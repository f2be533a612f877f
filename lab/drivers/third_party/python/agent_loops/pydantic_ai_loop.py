"""Driver for the agents of Pydantic AI."""

from importlib.metadata import version

import wire_pydantic_ai
from driver_protocol import HostError, Rejected, serve
from pydantic_ai import (
    Agent,
    DeferredToolRequests,
    DeferredToolResults,
    ModelRetry,
    RunContext,
    Tool,
    ToolDenied,
    UsageLimits,
)
from pydantic_ai.exceptions import UnexpectedModelBehavior, UsageLimitExceeded, UserError
from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.usage import RequestUsage
from scripted_agent import (
    count,
    describe_run,
    loop_operations,
    ModelFailure,
    pending_call,
    read_input,
)

FINISH_REASONS = {
    "stop": "stop",
    "length": "length",
    "content-filter": "content_filter",
    "tool-calls": "tool_call",
    "error": "error",
}


class PydanticAgent:
    """An agent of Pydantic AI."""

    def __init__(self, scripted):
        self.scripted = scripted
        settings = scripted.settings
        names = {"temperature": "temperature", "topP": "top_p", "maxOutputTokens": "max_tokens"}
        asks = "approval" in scripted.config
        try:
            self.agent = Agent(
                FunctionModel(self._generate),
                instructions=scripted.prompt,
                name=scripted.config.get("name"),
                output_type=[str, DeferredToolRequests] if asks else str,
                tools=[self._to_tool(spec, asks) for spec in scripted.tools()],
                model_settings={names[name]: value for name, value in settings.items()},
            )
        except UserError as error:
            raise Rejected("invalid_argument", str(error)) from error

    async def run(self, text):
        limit = self.scripted.max_iterations()
        limits = None if limit is None else UsageLimits(request_limit=limit)
        try:
            result = await self.agent.run(text, usage_limits=limits)
            while isinstance(result.output, DeferredToolRequests):
                results, pending = await self._settle(result.output)
                if pending:
                    return self._describe(result, "approval_pending", pending=pending)
                result = await self.agent.run(
                    message_history=result.all_messages(),
                    deferred_tool_results=results,
                    usage_limits=limits,
                    usage=result.usage,
                )
        except UsageLimitExceeded as error:
            raise Rejected("max_iterations_exceeded", str(error)) from error
        except UnexpectedModelBehavior as error:
            raise Rejected("UnexpectedModelBehavior", str(error)) from error
        except ModelFailure as error:
            raise Rejected("model_error", str(error)) from error
        return self._describe(result, "model_stop", result.output)

    def _to_tool(self, spec, asks):
        async def execute(context: RunContext, **values):
            try:
                return await self.scripted.execute(spec.name, context.tool_call_id, values)
            except HostError as error:
                if "tellModel" in error.details:
                    raise ModelRetry(str(error.details["tellModel"])) from error
                raise

        tool = Tool.from_schema(execute, spec.name, spec.description, spec.schema, takes_ctx=True)
        tool.requires_approval = asks
        tool.timeout = spec.timeout
        return tool

    async def _generate(self, messages, info):
        settings = info.model_settings or {}
        tools = [
            {
                "name": tool.name,
                "description": tool.description,
                "inputSchema": tool.parameters_json_schema,
            }
            for tool in info.function_tools
        ]
        content, reason, usage = await self.scripted.generate(
            to_conversation(messages, info.instructions),
            tools,
            {
                "temperature": settings.get("temperature"),
                "topP": settings.get("top_p"),
                "maxOutputTokens": settings.get("max_tokens"),
            },
        )
        return ModelResponse(
            parts=[to_part(part) for part in content],
            usage=to_usage(usage),
            finish_reason=FINISH_REASONS.get(reason),
        )

    async def _settle(self, requests):
        """Returns the decisions for the pending calls, and the calls that remain pending."""
        results, pending = DeferredToolResults(), []
        for call in requests.approvals:
            request = (call.tool_name, call.tool_call_id, call.args_as_dict())
            decision, reason = await self.scripted.decide(*request)
            if decision == "defer":
                pending.append(pending_call(*request))
            elif decision == "approve":
                results.approvals[call.tool_call_id] = True
            else:
                denied = ToolDenied() if reason is None else ToolDenied(reason)
                results.approvals[call.tool_call_id] = denied
        return results, pending

    def _describe(self, result, reason, final=None, pending=()):
        messages = result.all_messages()
        conversation = to_conversation(messages, self.scripted.prompt)
        responses = [
            (
                [describe_part(part) for part in each.parts],
                count(each.usage.input_tokens, each.usage.output_tokens),
            )
            for each in messages
            if isinstance(each, ModelResponse)
        ]
        total = count(result.usage.input_tokens, result.usage.output_tokens)
        return describe_run(conversation, responses, total, reason, final, pending)


def to_usage(usage):
    """Converts the usage of a response. `FunctionModel` estimates usage that is not marked as unmeasured."""
    if not usage:
        return RequestUsage(unmeasured_requests=1)
    return RequestUsage(input_tokens=usage["inputTokens"], output_tokens=usage["outputTokens"])


def to_part(part):
    """Converts a part of a model response."""
    details = part.get("providerOptions")
    if part["type"] == "tool-call":
        return ToolCallPart(
            part["toolName"], part["input"], tool_call_id=part["toolCallId"], provider_details=details
        )
    kind = TextPart if part["type"] == "text" else ThinkingPart
    return kind(part["text"], provider_details=details)


def to_conversation(messages, instructions):
    """Converts messages. The results of the calls of one response form one message."""
    conversation = [] if instructions is None else [{"role": "system", "content": instructions}]
    for message in messages:
        if isinstance(message, ModelResponse):
            content = [describe_part(part) for part in message.parts]
            conversation.append({"role": "assistant", "content": content})
        elif isinstance(message, ModelRequest):
            for part in message.parts:
                add_request_part(conversation, part)
    return conversation


def add_request_part(conversation, part):
    if isinstance(part, SystemPromptPart):
        conversation.append({"role": "system", "content": part.content})
    elif isinstance(part, UserPromptPart):
        conversation.append({"role": "user", "content": part.content})
    elif isinstance(part, (ToolReturnPart, RetryPromptPart)) and part.tool_name is not None:
        if conversation[-1]["role"] != "tool":
            conversation.append({"role": "tool", "content": []})
        conversation[-1]["content"].append(describe_result(part))
    elif isinstance(part, RetryPromptPart):
        conversation.append({"role": "user", "content": part.model_response()})


def describe_part(part):
    details = part.provider_details
    options = {} if details is None else {"providerOptions": details}
    if isinstance(part, ToolCallPart):
        return {
            "type": "tool-call",
            "toolCallId": part.tool_call_id,
            "toolName": part.tool_name,
            "input": read_input(part.args) if isinstance(part.args, str) else part.args,
            **options,
        }
    kind = "text" if isinstance(part, TextPart) else "reasoning"
    return {"type": kind, "text": part.content, **options}


def describe_result(part):
    if isinstance(part, RetryPromptPart):
        output = {"type": "error-text", "value": part.model_response()}
    elif part.outcome == "denied":
        output = {"type": "execution-denied", "reason": part.model_response_str()}
    elif part.outcome != "success":
        output = {"type": "error-text", "value": part.model_response_str()}
    else:
        # Pydantic AI sends tool results to providers as text.
        output = {"type": "text", "value": part.model_response_str()}
    return {
        "type": "tool-result",
        "toolCallId": part.tool_call_id,
        "toolName": part.tool_name,
        "output": output,
    }


OPTIONS = ("approval", "toolTimeoutMs")

if __name__ == "__main__":
    implementation = {
        "name": "pydantic-ai",
        "version": version("pydantic-ai-slim"),
        "language": "python",
        "url": "https://ai.pydantic.dev",
    }
    operations = {**loop_operations(PydanticAgent, OPTIONS), **wire_pydantic_ai.OPERATION}
    serve(implementation, operations, {"runtime.tellModel": True, **wire_pydantic_ai.FEATURES})
