"""The kit's driver protocol: one JSON object per line on standard input and output.

Drivers of Python libraries share this module. Operations run concurrently, and an operation can call
the kit's host functions.
"""

import asyncio
import inspect
import json
import sys
import traceback


class Unsupported(Exception):
    """The library does not have a feature."""


class Rejected(Exception):
    """The library reports a documented error."""

    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.code = code
        self.data = data


class HostError(Exception):
    """A host function of the case throws. `details` holds the members of the error."""

    def __init__(self, details):
        super().__init__(details.get("message", ""))
        self.details = details


class Special(Exception):
    """A host function returns a value that JSON cannot represent."""

    def __init__(self, name):
        super().__init__(name)
        self.name = name


class Op:
    """An operation: its arguments, the object it is called on, and the kit's host functions."""

    def __init__(self, conversation, message):
        self.args = message.get("args", {})
        self.objects = conversation.objects
        self.on = self.objects.get(message.get("on"))
        self._conversation = conversation

    def keep(self, thing):
        """Registers a new object and returns its handle."""
        handle = "h%d" % (len(self.objects) + 1)
        self.objects[handle] = thing
        return handle

    async def call(self, function, args):
        """Calls a host function of the kit. Tells the kit if the calling task is cancelled."""
        return await self._conversation.call(function, args)

    def event(self, name, data):
        """Sends an event to the kit."""
        self._conversation.write({"type": "event", "name": name, "data": data})


class Conversation:
    """The driver's end of the connection to the kit."""

    def __init__(self, implementation, operations, features=None):
        self._hello = {
            "type": "hello",
            "protocol": 1,
            "implementation": implementation,
            "ops": sorted(operations),
            "features": features or {},
        }
        self._operations = operations
        self._running = {}
        self._calls = {}
        self.objects = {}

    async def listen(self):
        """Handles lines until the kit sends the bye message or closes the connection."""
        loop = asyncio.get_running_loop()
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            message = json.loads(line)
            if message["type"] == "bye":
                break
            self._take(message)

    def write(self, message):
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()

    async def call(self, function, args):
        number = len(self._calls) + 1
        waiting = self._calls[number] = asyncio.get_running_loop().create_future()
        self.write({"type": "call", "call": number, "fn": function, "args": args})
        try:
            return await waiting
        except asyncio.CancelledError:
            self.write({"type": "cancelled", "call": number})
            raise

    def _take(self, message):
        if message["type"] == "hello":
            self.write(self._hello)
        elif message["type"] == "case":
            self._begin()
        elif message["type"] == "op":
            self._running[message["seq"]] = asyncio.ensure_future(self._answer(message))
        elif message["type"] == "return":
            self._return(message)
        elif message["type"] == "abort" and message["seq"] in self._running:
            self._running[message["seq"]].cancel()

    def _begin(self):
        """Starts a case. Discards the objects of the previous case and cancels its operations."""
        running, self._running, self.objects = self._running, {}, {}
        for task in running.values():
            task.cancel()

    def _return(self, message):
        waiting = self._calls.get(message["call"])
        if waiting is None or waiting.done():
            return
        if "error" in message:
            waiting.set_exception(HostError(message["error"]))
        elif "special" in message:
            waiting.set_exception(Special(message["special"]))
        else:
            waiting.set_result(message["ok"])

    async def _answer(self, message):
        seq, running = message["seq"], self._running
        try:
            result = await self._run(message)
        except asyncio.CancelledError:
            result = {"error": {"code": "aborted", "message": "aborted"}}
        if running is self._running:
            del running[seq]
            self.write({"type": "result", "seq": seq, **result})

    async def _run(self, message):
        act = self._operations.get(message["op"])
        if act is None:
            return {"unsupported": {"reason": "unknown operation %s" % message["op"]}}
        try:
            found = act(Op(self, message))
            found = await found if inspect.isawaitable(found) else found
            return {"ok": {} if found is None else found}
        except Unsupported as reason:
            return {"unsupported": {"reason": str(reason)}}
        except Rejected as error:
            details = {"code": error.code, "message": str(error)}
            return {"error": details if error.data is None else {**details, "data": error.data}}
        except HostError as error:
            return {"error": {"code": "host_error", "message": str(error)}}
        except Exception as error:  # whatever else happens is a fault, and the kit has to hear of it
            return {"fault": {"message": repr(error), "trace": traceback.format_exc()}}


def serve(implementation, operations, features=None):
    """Runs a driver until the kit ends the conversation."""
    asyncio.run(Conversation(implementation, operations, features).listen())
