#!/usr/bin/env python3
"""A driver for the comm operations, on Python's standard library and python3-cryptography.

    parley-kit run --driver "python3 driver.py" --lib comm

It answers the driver protocol of PROTOCOL.md: one JSON object per line on standard input and
output. Operations run side by side, since a `receive` can wait while a `send` runs.
"""

import asyncio
import inspect
import json
import sys
import traceback

from operations import FEATURES, OPS
from parley_comm.errors import CommError


class Call:
    """What an operation has beside its arguments: its object, and a place for new ones."""

    def __init__(self, on, objects):
        self.on = on
        self._objects = objects

    def keep(self, thing):
        """The handle of a new object."""
        handle = "h%d" % (len(self._objects) + 1)
        self._objects[handle] = thing
        return handle


class Conversation:
    """The driver's side of one conversation with the kit."""

    def __init__(self):
        self._objects = {}
        self._running = {}

    async def listen(self):
        """Takes lines until the kit says good-bye or falls silent."""
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
        """A new case: nothing of the last one is left, and nothing more is said about it."""
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
    """One operation, as the result that the protocol wants."""
    op = OPS.get(message["op"])
    if op is None:
        return {"unsupported": {"reason": "no operation %s" % message["op"]}}
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
