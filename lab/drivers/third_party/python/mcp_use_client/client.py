"""A driver for the client of mcp-use."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from importlib.metadata import version
from typing import Any

import client_driver
from mcp_use import MCPClient
from mcp_use.client.connectors.base import BaseConnector
from pydantic import AnyUrl, BaseModel

Json = dict[str, Any]


def plain(model: BaseModel) -> Json:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


class McpUseClient:
    """The library's client with the methods of the driver protocol."""

    def __init__(self, connector: BaseConnector):
        self._connector = connector

    async def list_tools(self) -> list[Json]:
        return [plain(tool) for tool in await self._connector.list_tools()]

    async def list_resources(self) -> list[Json]:
        return [plain(each) for each in await self._connector.list_resources()]

    async def list_prompts(self) -> list[Json]:
        return [plain(prompt) for prompt in await self._connector.list_prompts()]

    async def call_tool(
        self, name: str, arguments: Json, timeout: float | None, report: Callable[[Json], None] | None
    ) -> Json:
        limit = None if timeout is None else timedelta(seconds=timeout)
        return plain(await self._connector.call_tool(name, arguments, limit))

    async def read_resource(self, uri: str) -> Json:
        return plain(await self._connector.read_resource(AnyUrl(uri)))

    async def get_prompt(self, name: str, arguments: dict[str, str]) -> Json:
        return plain(await self._connector.get_prompt(name, arguments))


@asynccontextmanager
async def connect(connection: client_driver.Connection) -> AsyncIterator[McpUseClient]:
    transport = connection.transport
    keys = ("url",) if "url" in transport else ("command", "args")
    config = {"mcpServers": {"kit": {key: transport[key] for key in keys}}}
    client = MCPClient(config=config)
    try:
        # The automatic initialization also reads all lists, which the cases do not expect.
        session = await client.create_session("kit", auto_initialize=False)
        await session.connect()
        await session.connector.client_session.initialize()
        yield McpUseClient(session.connector)
    finally:
        await client.close_all_sessions()


if __name__ == "__main__":
    client_driver.serve(
        "mcp-use",
        version("mcp-use"),
        {},
        connect,
        frozenset(
            {
                "mcp.client.complete",
                "mcp.client.listResourceTemplates",
                "mcp.client.setLogLevel",
            }
        ),
        # Over HTTP, the client lists the tools while it connects, which the cases do not expect.
        transports=("stdio",),
    )
