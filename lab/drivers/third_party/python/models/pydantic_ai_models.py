"""Driver for the models of Pydantic AI: its adapters of model providers, without its agents."""

import base64
import json
from importlib.metadata import version

from anthropic import AsyncAnthropic
from driver_protocol import Rejected, serve, Unsupported
from openai import AsyncOpenAI
from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.exceptions import (
    AgentRunError,
    ModelAPIError,
    ModelConnectionError,
    ModelHTTPError,
    ModelRateLimitError,
    ModelServerError,
    ModelUnavailableError,
)
from pydantic_ai.messages import (
    BinaryContent,
    FilePart,
    ModelRequest,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    SystemPromptPart,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.tools import ToolDefinition

FINISH_REASONS = {"content_filter": "content-filter", "tool_call": "tool-calls", None: "other"}
SETTING_NAMES = {
    "maxOutputTokens": "max_tokens",
    "temperature": "temperature",
    "topP": "top_p",
    "stopSequences": "stop_sequences",
}
RETRYABLE = (
    ModelConnectionError,
    ModelRateLimitError,
    ModelServerError,
    ModelUnavailableError,
)


def open_model(op):
    """Opens a model whose client does not repeat failed calls."""
    args = op.args
    api, name, key, url = args["api"], args["model"], args["apiKey"], args["baseUrl"]
    if api in ("openai-chat", "openai-responses"):
        client = AsyncOpenAI(api_key=key, base_url=url, max_retries=0)
        kind = OpenAIChatModel if api == "openai-chat" else OpenAIResponsesModel
        model = kind(name, provider=OpenAIProvider(openai_client=client))
    elif api == "anthropic":
        # The clients of Anthropic and Google append the version to the base URL.
        base = url.removesuffix("/v1")
        client = AsyncAnthropic(api_key=key, base_url=base, max_retries=0)
        model = AnthropicModel(name, provider=AnthropicProvider(anthropic_client=client))
    elif api == "gemini":
        base = url.removesuffix("/v1beta")
        model = GoogleModel(name, provider=GoogleProvider(api_key=key, base_url=base))
    else:
        raise Unsupported("no model for the API %s" % api)
    return {"handle": op.keep(model)}


async def generate(op):
    messages, options = read_request(op)
    with reported():
        response = await model_request(op.on, messages, **options)
    return describe(op, messages, response)


async def stream(op):
    messages, options = read_request(op)
    text = ""
    with reported():
        async with model_request_stream(op.on, messages, **options) as events:
            async for event in events:
                text += text_of(event)
            response = events.get()
    return {**describe(op, messages, response), "streamedText": text}


def text_of(event):
    """Returns the text that an event of a stream adds."""
    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        return event.part.content
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return event.delta.content_delta
    return ""


def read_request(op):
    args = op.args
    earlier = op.objects[args["continues"]] if "continues" in args else []
    parts = [to_result(each, earlier) for each in args.get("results", [])]
    messages = list(earlier)
    for message in args.get("messages", []):
        if message["role"] == "assistant":
            raise Unsupported("the driver writes no assistant messages")
        parts.append(to_part(message))
    if parts:
        messages.append(ModelRequest(parts=parts))
    tools = [
        ToolDefinition(
            name=tool["name"],
            description=tool["description"],
            parameters_json_schema=tool["inputSchema"],
        )
        for tool in args.get("tools", [])
    ]
    settings = dict(SETTINGS)
    for name, value in args.get("options", {}).items():
        settings[SETTING_NAMES[name]] = value
    choice = args.get("toolChoice")
    if choice is not None:
        settings["tool_choice"] = [choice["tool"]] if isinstance(choice, dict) else choice
    parameters = ModelRequestParameters(function_tools=tools)
    return messages, {"model_settings": settings, "model_request_parameters": parameters}


# Applications that store no data at the provider set this option.
SETTINGS = {"openai_store": False}


def to_part(message):
    if message["role"] == "system":
        return SystemPromptPart(content=message["text"])
    if "content" not in message:
        return UserPromptPart(content=message["text"])
    return UserPromptPart(content=[
        part["text"] if part["type"] == "text" else BinaryContent(
            data=base64.b64decode(part["base64"]), media_type=part["mediaType"])
        for part in message["content"]
    ])


def to_result(result, earlier):
    calls = [part for part in earlier[-1].parts if isinstance(part, ToolCallPart)]
    names = [call.tool_name for call in calls if call.tool_call_id == result["id"]]
    return ToolReturnPart(
        tool_name=names[0] if names else "",
        content=result["text"],
        tool_call_id=result["id"],
        outcome="failed" if result.get("isError") else "success",
    )


def describe(op, messages, response: ModelResponse):
    calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
    # A response that the provider did not complete has another state than "complete".
    reason = FINISH_REASONS.get(response.finish_reason, response.finish_reason)
    is_cut = response.finish_reason is None and response.state != "complete"
    usage = response.usage
    return {
        "text": "".join(each.content for each in response.parts if isinstance(each, TextPart)),
        "reasoning": "".join(
            each.content for each in response.parts if isinstance(each, ThinkingPart)),
        "calls": [
            {
                "id": call.tool_call_id,
                "name": call.tool_name,
                "inputText": call.args if isinstance(call.args, str) else json.dumps(call.args or {}),
            }
            for call in calls
        ],
        "files": [
            {"mediaType": each.content.media_type}
            for each in response.parts if isinstance(each, FilePart)
        ],
        "finish": "interrupted" if is_cut else reason,
        "usage": {"input": usage.input_tokens, "output": usage.output_tokens},
        "continued": op.keep([*messages, response]),
    }


class reported:
    """Reports the exceptions of the library as errors of the model."""

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if not isinstance(error, AgentRunError):
            return
        if not isinstance(error, ModelAPIError):
            raise Rejected("model_error", str(error)) from error
        data = {"retryable": isinstance(error, RETRYABLE)}
        if isinstance(error, ModelHTTPError):
            data["status"] = error.status_code
        if error.retry_after is not None:
            data["retryAfterMs"] = error.retry_after * 1000
        raise Rejected("model_error", str(error), data) from error


serve(
    {
        "name": "pydantic-ai-models",
        "version": version("pydantic-ai-slim"),
        "language": "python",
        "url": "https://ai.pydantic.dev",
    },
    {"model.open": open_model, "model.generate": generate, "model.stream": stream},
    {"model.retryable": True, "model.retryAfterMs": True},
)
