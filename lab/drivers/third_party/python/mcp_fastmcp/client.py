"""A driver for the client of FastMCP."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

import client_driver
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from mcp.types import PromptReference, ResourceTemplateReference
from pydantic import BaseModel

Json = dict[str, Any]


def plain(model: BaseModel) -> Json:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


class FastMcpClient:
    """The library's client with the methods of the driver protocol."""

    def __init__(self, client: Client):
        self._client = client

    async def list_tools(self) -> list[Json]:
        return [plain(tool) for tool in await self._client.list_tools()]

    async def list_resources(self) -> list[Json]:
        return [plain(each) for each in await self._client.list_resources()]

    async def list_resource_templates(self) -> list[Json]:
        return [plain(each) for each in await self._client.list_resource_templates()]

    async def list_prompts(self) -> list[Json]:
        return [plain(prompt) for prompt in await self._client.list_prompts()]

    async def call_tool(
        self, name: str, arguments: Json, timeout: float | None, report: Callable[[Json], None] | None
    ) -> Json:
        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            known = {"progress": progress, "total": total, "message": message}
            report({key: value for key, value in known.items() if value is not None})

        handler = None if report is None else on_progress
        found = await self._client.call_tool_mcp(
            name, arguments, progress_handler=handler, timeout=timeout
        )
        return plain(found)

    async def read_resource(self, uri: str) -> Json:
        return plain(await self._client.read_resource_mcp(uri))

    async def get_prompt(self, name: str, arguments: dict[str, str]) -> Json:
        return plain(await self._client.get_prompt_mcp(name, arguments))

    async def complete(self, params: Json) -> Json:
        kinds = {"ref/prompt": PromptReference, "ref/resource": ResourceTemplateReference}
        ref = kinds[params["ref"]["type"]].model_validate(params["ref"])
        return plain(await self._client.complete(ref, params["argument"]))

    async def set_log_level(self, level: str) -> None:
        await self._client.set_logging_level(level)


@asynccontextmanager
async def connect(connection: client_driver.Connection) -> AsyncIterator[FastMcpClient]:
    transport = connection.transport
    server = transport.get("url") or StdioTransport(
        command=transport["command"], args=transport["args"], keep_alive=False
    )
    mode = "auto" if connection.protocol is None else "legacy"
    async with Client(server, mode=mode) as client:
        yield FastMcpClient(client)


if __name__ == "__main__":
    client_driver.serve(
        "fastmcp",
        version("fastmcp"),
        {
            "mcp.client.dualEra": True,
            "mcp.client.pages": True,
            "mcp.client.progress": True,
            "mcp.client.protocol": True,
        },
        connect,
    )
