"""Driver for the agents of Google's Agent Development Kit (ADK)."""

import json
from contextlib import aclosing
from importlib.metadata import version

import wire_adk
from driver_protocol import HostError, Rejected, Unsupported, serve
from google.adk.agents import LlmAgent, RunConfig
from google.adk.agents.invocation_context import LlmCallsLimitExceededError
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools.base_tool import BaseTool
from google.genai import types
from pydantic import ValidationError
from scripted_agent import (
    count,
    describe_run,
    loop_operations,
    ModelFailure,
    pending_call,
    read_input,
)

USER = "user"
CONFIRMATION = "adk_request_confirmation"
IDENTITY = 'You are an agent. Your internal name is "agent".'
REJECTED = {"error": "This tool call is rejected."}
FINISH_REASONS = {
    "stop": types.FinishReason.STOP,
    "tool-calls": types.FinishReason.STOP,
    "length": types.FinishReason.MAX_TOKENS,
    "content-filter": types.FinishReason.SAFETY,
}


class ScriptedModel(BaseLlm):
    """The scripted model as a model of ADK."""

    scripted: object

    async def generate_content_async(self, llm_request, stream=False):
        config = llm_request.config
        tools = [
            {
                "name": each.name,
                "description": each.description,
                "inputSchema": each.parameters_json_schema,
            }
            for tool in config.tools or []
            for each in tool.function_declarations or []
        ]
        content, reason, usage = await self.scripted.generate(
            to_conversation(own_instruction(config.system_instruction), llm_request.contents),
            tools,
            {
                "temperature": config.temperature,
                "topP": config.top_p,
                "maxOutputTokens": config.max_output_tokens,
            },
        )
        finish = FINISH_REASONS.get(reason, types.FinishReason.OTHER)
        parts = [to_part(part, self.scripted) for part in content]
        yield LlmResponse(
            content=types.Content(role="model", parts=parts),
            finish_reason=finish,
            usage_metadata=to_usage(usage),
        )


class ScriptedTool(BaseTool):
    """A tool of the case as a tool of ADK."""

    def __init__(self, spec, scripted, asks):
        if spec.timeout is not None:
            raise Unsupported("a tool has no time limit")
        super().__init__(name=spec.name, description=spec.description or "")
        self._spec = spec
        self._scripted = scripted
        self._asks = asks

    def _get_declaration(self):
        return types.FunctionDeclaration(
            name=self.name,
            description=self._spec.description,
            parameters_json_schema=self._spec.schema,
        )

    async def check_require_confirmation(self, args, tool_context):
        return self._asks

    async def run_async(self, *, args, tool_context):
        try:
            return await self._scripted.execute(self.name, tool_context.function_call_id, args)
        except HostError as error:
            if "tellModel" not in error.details:
                raise
            # ADK tools report an error to the model as a member of their result.
            return {"error": error.details["tellModel"]}


class AdkAgent:
    """An agent of ADK."""

    def __init__(self, scripted):
        self.scripted = scripted
        settings = scripted.settings
        asks = "approval" in scripted.config
        try:
            self.agent = LlmAgent(
                name="agent",
                model=ScriptedModel(model="scripted", scripted=scripted),
                instruction=scripted.prompt or "",
                tools=[ScriptedTool(spec, scripted, asks) for spec in scripted.tools()],
                generate_content_config=types.GenerateContentConfig(
                    temperature=settings.get("temperature"),
                    top_p=settings.get("topP"),
                    max_output_tokens=settings.get("maxOutputTokens"),
                ),
            )
        except (ValidationError, ValueError) as error:
            raise Rejected("invalid_argument", str(error)) from error

    async def run(self, text):
        limit = self.scripted.max_iterations()
        try:
            config = RunConfig() if limit is None else RunConfig(max_llm_calls=limit)
        except ValidationError as error:
            raise Rejected("invalid_argument", str(error)) from error
        runner = InMemoryRunner(self.agent)
        session = await runner.session_service.create_session(app_name=runner.app_name, user_id=USER)
        message = types.Content(role="user", parts=[types.Part(text=text)])
        contents, events = [message], []
        try:
            while message is not None:
                stream = runner.run_async(
                    user_id=USER, session_id=session.id, new_message=message, run_config=config
                )
                requests = []
                async with aclosing(stream):
                    async for event in stream:
                        asked = [
                            call for call in event.get_function_calls() if call.name == CONFIRMATION
                        ]
                        requests.extend(asked)
                        if not asked and event.content is not None:
                            events.append(event)
                            contents.append(without_placeholders(event))
                message, pending = await self._settle(requests)
                if pending:
                    return self._describe(contents, events, "approval_pending", pending=pending)
        except LlmCallsLimitExceededError as error:
            raise Rejected("max_iterations_exceeded", str(error)) from error
        except ModelFailure as error:
            raise Rejected("model_error", str(error)) from error
        return self._describe(contents, events, "model_stop", final_text(events))

    async def _settle(self, requests):
        """Returns the message with the decisions, and the calls that remain pending."""
        decisions, pending = [], []
        for request in requests:
            call = request.args["originalFunctionCall"]
            details = (call["name"], call["id"], call.get("args", {}))
            decision, _ = await self.scripted.decide(*details)
            if decision == "defer":
                pending.append(pending_call(*details))
            response = {"confirmed": decision == "approve"}
            answer = types.FunctionResponse(id=request.id, name=CONFIRMATION, response=response)
            decisions.append(types.Part(function_response=answer))
        return types.Content(role="user", parts=decisions) if decisions else None, pending

    def _describe(self, contents, events, reason, final=None, pending=()):
        responses = [
            (describe_parts(event.content), usage_of(event))
            for event in events
            if event.content.role == "model"
        ]
        total = count(
            sum(usage["inputTokens"] for _, usage in responses),
            sum(usage["outputTokens"] for _, usage in responses),
        )
        messages = to_conversation(self.scripted.prompt, contents)
        return describe_run(messages, responses, total, reason, final, pending)


def own_instruction(instruction):
    """Returns the instruction of the agent. ADK appends a sentence with the name of the agent."""
    return str(instruction or "").removesuffix(IDENTITY).strip() or None


def without_placeholders(event):
    """Returns the content without the results that ADK creates for calls that wait for a decision."""
    waiting = event.actions.requested_tool_confirmations
    parts = [
        part
        for part in event.content.parts or []
        if part.function_response is None or part.function_response.id not in waiting
    ]
    return types.Content(role=event.content.role, parts=parts)


def final_text(events):
    """Returns the text of the last response."""
    last = next((each for each in reversed(events) if each.is_final_response()), None)
    parts = [] if last is None else last.content.parts or []
    return "".join(part.text for part in parts if part.text and not part.thought)


def to_part(part, scripted):
    """Converts a part of a model response."""
    details = part.get("providerOptions")
    if part["type"] != "tool-call":
        thought = True if part["type"] == "reasoning" else None
        return types.Part(text=part["text"], thought=thought, part_metadata=details)
    arguments = read_input(part["input"])
    if not isinstance(arguments, dict):
        raise scripted.reject("the arguments of a function call are an object")
    call = types.FunctionCall(id=part["toolCallId"], name=part["toolName"], args=arguments)
    return types.Part(function_call=call, part_metadata=details)


def to_usage(usage):
    if not usage:
        return None
    tokens_in, tokens_out = usage.get("inputTokens", 0), usage.get("outputTokens", 0)
    return types.GenerateContentResponseUsageMetadata(
        prompt_token_count=tokens_in,
        candidates_token_count=tokens_out,
        total_token_count=tokens_in + tokens_out,
    )


def usage_of(event):
    usage = event.usage_metadata
    if usage is None:
        return count(0, 0)
    return count(usage.prompt_token_count or 0, usage.candidates_token_count or 0)


def to_conversation(instruction, contents):
    """Converts contents. The results of the calls of one response form one message."""
    conversation = [] if instruction is None else [{"role": "system", "content": instruction}]
    for content in contents:
        if content.role == "model":
            conversation.append({"role": "assistant", "content": describe_parts(content)})
            continue
        for part in content.parts or []:
            answer = part.function_response
            if answer is None:
                conversation.append({"role": "user", "content": part.text})
            elif answer.name != CONFIRMATION:
                add_result(conversation, answer)
    return conversation


def add_result(conversation, answer):
    if conversation[-1]["role"] != "tool":
        conversation.append({"role": "tool", "content": []})
    conversation[-1]["content"].append({
        "type": "tool-result",
        "toolCallId": answer.id,
        "toolName": answer.name,
        "output": describe_output(answer.response),
    })


def describe_output(response):
    """Describes a result. ADK wraps a value that is not an object in the member `result`."""
    if response == REJECTED:
        return {"type": "execution-denied", "reason": response["error"]}
    if "error" in response:
        error = response["error"]
        return {"type": "error-text", "value": error if isinstance(error, str) else json.dumps(error)}
    value = response["result"] if list(response) == ["result"] else response
    return {"type": "text" if isinstance(value, str) else "json", "value": value}


def describe_parts(content):
    parts = []
    for part in content.parts or []:
        details = {} if part.part_metadata is None else {"providerOptions": part.part_metadata}
        call = part.function_call
        if call is None:
            kind = "reasoning" if part.thought else "text"
            parts.append({"type": kind, "text": part.text, **details})
        else:
            parts.append({
                "type": "tool-call",
                "toolCallId": call.id,
                "toolName": call.name,
                "input": call.args or {},
                **details,
            })
    return parts


OPTIONS = ("approval",)

if __name__ == "__main__":
    implementation = {
        "name": "google-adk",
        "version": version("google-adk"),
        "language": "python",
        "url": "https://adk.dev",
    }
    operations = {**loop_operations(AdkAgent, OPTIONS), **wire_adk.OPERATION}
    serve(implementation, operations, {"runtime.tellModel": True, **wire_adk.FEATURES})
