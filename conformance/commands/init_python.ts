/**
 * The driver skeleton in Python.
 *
 * @module
 */

/** Text before the list of operations. */
const START: string = `#!/usr/bin/env python3
"""A driver between parley-kit and my library: one JSON object per line on standard input and output.

Implement an operation, add it to OPS, run the kit. Do not print to standard output. Write logs to standard error.
"""

import asyncio
import inspect
import json
import sys
import traceback


class LibraryError(Exception):
    """A documented error of the library, with its code, and its details as JSON data."""

    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.members = {"code": code, "message": message, **({} if data is None else {"data": data})}


class HostError(Exception):
    """An error that a function of the host throws, such as a tool of the case."""


class Unsupported(Exception):
    """The library lacks a feature that a call needs. The kit reports the case as untestable instead of failed."""


# Each operation accepts the arguments of a case and a Call, and returns the object that PROTOCOL.md describes. An
# operation that waits is an "async def", so that other operations can run in the meantime. For example:
#
# def canonicalize(args, call):
#     if "text" not in args:
#         raise Unsupported("the library accepts only JSON text")
#     return {"text": my_library.canonicalize(json.loads(args["text"]))}
#
# def new_transport(args, call):
#     return {"handle": call.keep(my_library.Transport())}
#
# async def receive(args, call):
#     return {"message": await call.on.receive()}
#
# async def run(args, call):
#     # The model and the tools of a case are functions of the host.
#     async def model(request):
#         return await call.host("model.generate", {"model": args["config"]["model"], **request})
#     return await my_library.run(model, args["input"])
#
# OPS = {"comm.canonicalize": canonicalize, "comm.noop.new": new_transport, "comm.transport.receive": receive}

OPS = {}

# Names of the optional features in PROTOCOL.md that the library has. Cases that need other features are untestable.
FEATURES = []

# Operations that this driver does not implement yet, with their arguments and the members of their results.
# PROTOCOL.md in the package @parley/conformance describes them in detail:
#
`;

/** Text after the list of operations. */
const END: string = `


class Call:
    """The context of an operation: the object it is called on, and the registry of new objects."""

    def __init__(self, on, objects, host):
        self.on = on
        self._objects = objects
        self._host = host

    def keep(self, thing):
        """Registers an object and returns its handle."""
        handle = "h%d" % (len(self._objects) + 1)
        self._objects[handle] = thing
        return handle

    async def host(self, fn, args):
        """Calls a function of the host, and returns its value."""
        return await self._host(fn, args)


class DriverLoop:
    """State of the current case: its objects and the running operations."""

    def __init__(self):
        self._objects = {}
        self._running = {}
        self._host_calls = {}
        self._last_call = 0

    async def run(self):
        loop = asyncio.get_running_loop()
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            message = json.loads(line)
            if message["type"] == "bye":
                break
            self._take(message)

    def _take(self, message):
        if message["type"] == "hello":
            implementation = {"name": "my library", "version": "0", "language": "python"}
            features = {name: True for name in FEATURES}
            write({
                "type": "hello", "protocol": 1, "implementation": implementation, "ops": sorted(OPS), "features": features
            })
        elif message["type"] == "case":
            running, self._running, self._objects, self._host_calls = self._running, {}, {}, {}
            for task in running.values():
                task.cancel()
        elif message["type"] == "op":
            self._running[message["seq"]] = asyncio.ensure_future(self._answer(message))
        elif message["type"] == "abort" and message["seq"] in self._running:
            self._running[message["seq"]].cancel()
        elif message["type"] == "return" and message["call"] in self._host_calls:
            self._host_calls.pop(message["call"]).set_result(message)

    async def _answer(self, message):
        seq, running = message["seq"], self._running
        try:
            result = await run(message, self._objects, self._call_host)
        except asyncio.CancelledError:
            result = {"error": {"code": "aborted", "message": "aborted"}}
        if running is self._running:
            del running[seq]
            write({"type": "result", "seq": seq, **result})

    async def _call_host(self, fn, args):
        self._last_call += 1
        call, calls = self._last_call, self._host_calls
        calls[call] = asyncio.get_running_loop().create_future()
        write({"type": "call", "call": call, "fn": fn, "args": args})
        try:
            answer = await calls[call]
        except asyncio.CancelledError:
            if calls is self._host_calls:
                write({"type": "cancelled", "call": call})
            raise
        if "error" in answer:
            raise HostError(answer["error"].get("message"))
        if "special" in answer:
            raise Unsupported("no value %s" % answer["special"])  # PROTOCOL.md lists the values
        return answer.get("ok")


async def run(message, objects, host):
    op = OPS.get(message["op"])
    if op is None:
        return {"unsupported": {"reason": "no operation %s" % message["op"]}}
    try:
        found = op(message.get("args", {}), Call(objects.get(message.get("on")), objects, host))
        return {"ok": await found if inspect.isawaitable(found) else found}
    except Unsupported as error:
        return {"unsupported": {"reason": str(error)}}
    except LibraryError as error:
        return {"error": error.members}
    except Exception as error:
        return {"fault": {"message": repr(error), "trace": traceback.format_exc()}}


def write(message):
    sys.stdout.write(json.dumps(message) + "\\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(DriverLoop().run())
`;

/**
 * Formats a driver that runs without changes but supports no operation.
 *
 * @param operations Lines that describe the operations, for a comment.
 */
export function pythonDriver(operations: readonly string[]): string {
  return `${START}${operations.map((line) => `#   ${line}`).join("\n")}${END}`;
}
