"""The driver protocol of the kit for MCP clients in Python.

A program passes a function that opens a client. Every client runs in a task of its own, because the client libraries
must be closed by the task that opened them.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

Json = dict[str, Any]


@dataclass(frozen=True)
class Connection:
    """What a case requires of a client."""

    transport: Json
    """The test server: `url`, or `command` and `args`."""
    handlers: Json
    """The responses to input requests."""
    protocol: str | None
    """The protocol version to which the client is restricted."""


class Client(Protocol):
    """A connected client. Each method that returns a list sends one list request."""

    async def list_tools(self) -> list[Json]: ...
    async def list_resources(self) -> list[Json]: ...
    async def list_resource_templates(self) -> list[Json]: ...
    async def list_prompts(self) -> list[Json]: ...
    async def call_tool(
        self, name: str, arguments: Json, timeout: float | None, report: Callable[[Json], None] | None
    ) -> Json: ...
    async def read_resource(self, uri: str) -> Json: ...
    async def get_prompt(self, name: str, arguments: dict[str, str]) -> Json: ...
    async def complete(self, params: Json) -> Json: ...
    async def set_log_level(self, level: str) -> None: ...


Open = Callable[[Connection], AbstractAsyncContextManager[Client]]


class Opened:
    """A client and the task that owns it."""

    def __init__(self, open_client: Open, connection: Connection):
        self._closing = asyncio.Event()
        self._ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._own(open_client, connection))

    async def client(self) -> Client:
        return await asyncio.shield(self._ready)

    async def close(self) -> None:
        self._closing.set()
        await asyncio.wait([self._task])

    def abandon(self) -> None:
        self._task.cancel()

    async def _own(self, open_client: Open, connection: Connection) -> None:
        try:
            async with open_client(connection) as client:
                self._ready.set_result(client)
                await self._closing.wait()
        except BaseException as error:
            if self._ready.done():
                print(f"the client failed while closing: {error!r}", file=sys.stderr)
            else:
                self._ready.set_exception(error)
                self._ready.exception()


@dataclass
class Case:
    """The clients and running operations of one case."""

    clients: dict[str, Opened] = field(default_factory=dict)
    running: dict[int, asyncio.Task[None]] = field(default_factory=dict)

    def end(self) -> None:
        for task in self.running.values():
            task.cancel()
        for client in self.clients.values():
            client.abandon()


class Driver:
    """Reads operations from standard input and writes their results to standard output."""

    def __init__(
        self,
        implementation: Json,
        features: Json,
        open_client: Open,
        unsupported: frozenset[str],
        transports: tuple[str, ...],
    ):
        self._implementation = {**implementation, "language": "python"}
        self._transports = transports
        self._features = features
        self._open = open_client
        self._case = Case()
        self._operations: dict[str, Callable[[Json, Client], Awaitable[Json]]] = {
            name: operation for name, operation in OPERATIONS.items() if name not in unsupported
        }

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            message = json.loads(line)
            match message["type"]:
                case "hello":
                    self._greet()
                case "case":
                    self._case.end()
                    self._case = Case()
                case "op":
                    task = asyncio.create_task(self._answer(message, self._case))
                    self._case.running[message["seq"]] = task
                case "abort" if message["seq"] in self._case.running:
                    self._case.running[message["seq"]].cancel()
                case "bye":
                    break
        self._case.end()

    def _greet(self) -> None:
        names = ["mcp.client.connect", "mcp.client.disconnect", *self._operations]
        write(
            {
                "type": "hello",
                "protocol": 1,
                "implementation": self._implementation,
                "ops": names,
                "features": self._features,
                "transports": self._transports,
            }
        )

    async def _answer(self, message: Json, case: Case) -> None:
        seq = message["seq"]
        try:
            result = {"ok": await self._run(message, case)}
        except asyncio.CancelledError:
            result = {"error": {"code": "aborted", "message": "aborted"}}
        except LookupError as error:
            result = {"unsupported": {"reason": str(error)}}
        except BaseException as error:
            result = {"error": {"code": "error", "message": message_of(error)}}
        case.running.pop(seq, None)
        if case is self._case:
            write({"type": "result", "seq": seq, **result})

    async def _run(self, message: Json, case: Case) -> Json:
        name, args = message["op"], message.get("args", {})
        if name == "mcp.client.connect":
            connection = Connection(args["transport"], args.get("handlers", {}), args.get("protocol"))
            opened = Opened(self._open, connection)
            handle = f"h{len(case.clients) + 1}"
            case.clients[handle] = opened
            await opened.client()
            return {"handle": handle}
        opened = case.clients[message["on"]]
        if name == "mcp.client.disconnect":
            await opened.close()
            return {}
        operation = self._operations.get(name)
        if operation is None:
            raise LookupError(f"no operation {name}")
        return await operation(args, await opened.client())


def message_of(error: BaseException) -> str:
    """Returns the messages of an error and of the errors in a group."""
    if isinstance(error, BaseExceptionGroup):
        return "; ".join(message_of(each) for each in error.exceptions)
    return str(error) or repr(error)


async def call_tool(args: Json, client: Client) -> Json:
    progress: list[Json] = []
    timeout = args["timeoutMs"] / 1000 if "timeoutMs" in args else None
    report = progress.append if args.get("progress") else None
    result = await client.call_tool(args["name"], args.get("arguments", {}), timeout, report)
    return {"result": result, "progress": progress}


async def get_prompt(args: Json, client: Client) -> Json:
    arguments = {key: str(value) for key, value in args.get("arguments", {}).items()}
    return {"result": await client.get_prompt(args["name"], arguments)}


async def set_log_level(args: Json, client: Client) -> Json:
    await client.set_log_level(args["level"])
    return {}


async def list_items(items: Awaitable[list[Json]]) -> Json:
    return {"items": await items}


async def result_of(result: Awaitable[Json]) -> Json:
    return {"result": await result}


OPERATIONS: dict[str, Callable[[Json, Client], Awaitable[Json]]] = {
    "mcp.client.listTools": lambda _, client: list_items(client.list_tools()),
    "mcp.client.listResources": lambda _, client: list_items(client.list_resources()),
    "mcp.client.listResourceTemplates": lambda _, client: list_items(client.list_resource_templates()),
    "mcp.client.listPrompts": lambda _, client: list_items(client.list_prompts()),
    "mcp.client.callTool": call_tool,
    "mcp.client.getResource": lambda args, client: result_of(client.read_resource(args["uri"])),
    "mcp.client.getPrompt": get_prompt,
    "mcp.client.complete": lambda args, client: result_of(client.complete(args["params"])),
    "mcp.client.setLogLevel": set_log_level,
}


def write(message: Json) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def serve(
    name: str,
    version: str,
    features: Json,
    open_client: Open,
    unsupported: frozenset[str] = frozenset(),
    transports: tuple[str, ...] = ("stdio", "http"),
) -> None:
    """Serves the driver protocol until the kit ends it."""
    implementation = {"name": name, "version": version}
    asyncio.run(Driver(implementation, features, open_client, unsupported, transports).run())
