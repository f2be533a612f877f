#!/usr/bin/env python3
"""Driver for the comm operations. Uses only Python's standard library and python3-cryptography.

    parley-kit run --driver "python3 driver.py" --lib comm

The driver implements the protocol in PROTOCOL.md: one JSON object per line on standard input and
output. Operations run concurrently, because a `receive` can wait while a `send` runs.
"""

import asyncio
import inspect
import json
import sys
import traceback

from operations import FEATURES, OPS
from parley_comm.errors import CommError


class Call:
    """Context of an operation: the object it is called on, and a registry for new objects."""

    def __init__(self, on, objects):
        self.on = on
        self._objects = objects

    def keep(self, thing):
        """Registers a new object and returns its handle."""
        handle = "h%d" % (len(self._objects) + 1)
        self._objects[handle] = thing
        return handle

    def get(self, handle):
        """Returns the object with the handle."""
        return self._objects[handle]


class Conversation:
    """The driver's end of the connection to the kit."""

    def __init__(self):
        self._objects = {}
        self._running = {}

    async def listen(self):
        """Handles lines until the kit sends the bye message or closes the connection."""
        loop = asyncio.get_running_loop()
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            message = json.loads(line)
            if message["type"] == "bye":
                break
            self._take(message)

    def _take(self, message):
        if message["type"] == "hello":
            write({
                "type": "hello",
                "protocol": 1,
                "implementation": {"name": "parley_comm", "version": "0.1.0", "language": "python"},
                "ops": sorted(OPS),
                "features": FEATURES,
            })
        elif message["type"] == "case":
            self._begin()
        elif message["type"] == "op":
            self._running[message["seq"]] = asyncio.ensure_future(self._answer(message))
        elif message["type"] == "abort" and message["seq"] in self._running:
            self._running[message["seq"]].cancel()

    def _begin(self):
        """Starts a case. Discards the objects of the previous case and cancels its operations."""
        running, self._running, self._objects = self._running, {}, {}
        for task in running.values():
            task.cancel()

    async def _answer(self, message):
        seq, running = message["seq"], self._running
        try:
            result = await run(message, self._objects)
        except asyncio.CancelledError:
            result = {"error": {"code": "aborted", "message": "aborted"}}
        if running is self._running:
            del running[seq]
            write({"type": "result", "seq": seq, **result})


async def run(message, objects):
    """Runs an operation and returns the members of its result message."""
    op = OPS.get(message["op"])
    if op is None:
        return {"unsupported": {"reason": "unknown operation %s" % message["op"]}}
    try:
        found = op(message.get("args", {}), Call(objects.get(message.get("on")), objects))
        return {"ok": await found if inspect.isawaitable(found) else found}
    except CommError as error:
        return {"error": {"code": error.code, "message": str(error), "data": error.data}}
    except Exception as error:  # whatever else happens is a fault, and the kit has to hear of it
        return {"fault": {"message": repr(error), "trace": traceback.format_exc()}}


def write(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(Conversation().listen())
