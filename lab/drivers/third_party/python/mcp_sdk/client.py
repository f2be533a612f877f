"""A driver for the client of the official Python SDK."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

import client_driver
from mcp import Client, StdioServerParameters
from mcp.types import (
    CreateMessageResult,
    ElicitRequestParams,
    ElicitResult,
    ListRootsResult,
    PromptReference,
    ResourceTemplateReference,
)
from pydantic import BaseModel

Json = dict[str, Any]


def plain(model: BaseModel) -> Json:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


class SdkClient:
    """The SDK's client with the methods of the driver protocol."""

    def __init__(self, client: Client):
        self._client = client

    async def list_tools(self) -> list[Json]:
        return [plain(tool) for tool in (await self._client.list_tools()).tools]

    async def list_resources(self) -> list[Json]:
        return [plain(each) for each in (await self._client.list_resources()).resources]

    async def list_resource_templates(self) -> list[Json]:
        found = await self._client.list_resource_templates()
        return [plain(each) for each in found.resource_templates]

    async def list_prompts(self) -> list[Json]:
        return [plain(prompt) for prompt in (await self._client.list_prompts()).prompts]

    async def call_tool(
        self, name: str, arguments: Json, timeout: float | None, report: Callable[[Json], None] | None
    ) -> Json:
        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            known = {"progress": progress, "total": total, "message": message}
            report({key: value for key, value in known.items() if value is not None})

        callback = None if report is None else on_progress
        return plain(await self._client.call_tool(name, arguments, timeout, callback))

    async def read_resource(self, uri: str) -> Json:
        return plain(await self._client.read_resource(uri))

    async def get_prompt(self, name: str, arguments: dict[str, str]) -> Json:
        return plain(await self._client.get_prompt(name, arguments))

    async def complete(self, params: Json) -> Json:
        kinds = {"ref/prompt": PromptReference, "ref/resource": ResourceTemplateReference}
        ref = kinds[params["ref"]["type"]].model_validate(params["ref"])
        context = params.get("context", {}).get("arguments")
        return plain((await self._client.complete(ref, params["argument"], context)).completion)

    async def set_log_level(self, level: str) -> None:
        await self._client.set_logging_level(level)


def answer(result: BaseModel) -> Callable[..., Any]:
    async def callback(*_: object) -> BaseModel:
        return result

    return callback


def callbacks(handlers: Json) -> Json:
    found: Json = {}
    if "elicit" in handlers or "elicitUrl" in handlers:

        async def elicit(_: object, params: ElicitRequestParams) -> ElicitResult:
            name = "elicitUrl" if params.mode == "url" else "elicit"
            return ElicitResult.model_validate(handlers[name])

        found["elicitation_callback"] = elicit
    if "createMessage" in handlers:
        result = CreateMessageResult.model_validate(handlers["createMessage"])
        found["sampling_callback"] = answer(result)
    if "listRoots" in handlers:
        found["list_roots_callback"] = answer(ListRootsResult(roots=handlers["listRoots"]))
    return found


@asynccontextmanager
async def connect(connection: client_driver.Connection) -> AsyncIterator[SdkClient]:
    transport = connection.transport
    server = transport.get("url") or StdioServerParameters(
        command=transport["command"], args=transport["args"]
    )
    mode = "auto" if connection.protocol is None else "legacy"
    async with Client(server, mode=mode, **callbacks(connection.handlers)) as client:
        yield SdkClient(client)


if __name__ == "__main__":
    client_driver.serve(
        "mcp",
        version("mcp"),
        {
            "mcp.client.handlers": True,
            "mcp.client.dualEra": True,
            "mcp.client.progress": True,
            "mcp.client.protocol": True,
        },
        connect,
    )
