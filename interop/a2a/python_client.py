"""Calls our agent with the client of the package a2a-sdk, and prints the results as JSON."""

import asyncio
import json
import sys

import httpx
from a2a.client import ClientConfig, ClientFactory
from a2a.types import (
    CancelTaskRequest,
    GetTaskRequest,
    Message,
    Part,
    Role,
    SendMessageRequest,
    TaskState,
)


class Caller:
    """A client with one binding."""

    def __init__(self, client):
        self.client = client
        self.count = 0

    async def send(self, text, **task):
        """Sends a message. Returns the kinds of the updates, the text and the last task and state."""
        self.count += 1
        parts = [Part(text=text)]
        message = Message(message_id=f"m{self.count}", role=Role.ROLE_USER, parts=parts, **task)
        result = {"kinds": set(), "text": "", "state": None, "id": None, "context": None}
        async for update in self.client.send_message(SendMessageRequest(message=message)):
            kind = update.WhichOneof("payload")
            result["kinds"].add(kind)
            if kind == "task":
                result["id"], result["context"] = update.task.id, update.task.context_id
                result["text"] = "".join(
                    part.text for artifact in update.task.artifacts for part in artifact.parts
                )
                result["state"] = TaskState.Name(update.task.status.state)
            elif kind == "status_update":
                result["state"] = TaskState.Name(update.status_update.status.state)
            elif kind == "artifact_update":
                added = "".join(part.text for part in update.artifact_update.artifact.parts)
                earlier = result["text"] if update.artifact_update.append else ""
                result["text"] = earlier + added
        return result


async def error_of(call):
    """Returns the name of the error of a call."""
    try:
        await call
        return None
    except Exception as error:
        return type(error).__name__


async def check(url, binding, streaming):
    """Returns the results of one binding."""
    async with httpx.AsyncClient() as http:
        config = ClientConfig(
            streaming=streaming, supported_protocol_bindings=[binding], httpx_client=http
        )
        client = await ClientFactory(config).create_from_url(url)
        caller = Caller(client)
        answered = await caller.send("6 * 7")
        asked = await caller.send("ask")
        ids = {"task_id": asked["id"], "context_id": asked["context"]}
        replied = await caller.send("the red one", **ids)
        read = await client.get_task(GetTaskRequest(id=answered["id"], history_length=1))
        return {
            "binding": binding,
            "streaming": streaming,
            "answer": [sorted(answered["kinds"]), answered["text"], answered["state"]],
            "question": asked["state"],
            "reply": [replied["text"], replied["state"]],
            "read": [TaskState.Name(read.status.state), len(read.history)],
            "unknown": await error_of(client.get_task(GetTaskRequest(id="unknown"))),
            "ended": await error_of(client.cancel_task(CancelTaskRequest(id=answered["id"]))),
        }


async def main():
    for binding in ["JSONRPC", "HTTP+JSON"]:
        for streaming in [False, True]:
            print(json.dumps(await check(sys.argv[1], binding, streaming)))


asyncio.run(main())
