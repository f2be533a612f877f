"""Requests between agents over a transport.

A peer sends requests and serves the requests of other agents. Received messages are verified one
after another, in the order in which they arrive.
"""

import asyncio

from .dids import format_did_key
from .ed25519 import public_key_of
from .errors import CommError
from .messages import new_message, reply_to
from .signing import sign_message

ANSWERS = ("update", "response", "error")
RESERVED = (*ANSWERS, "cancel")


class PeerError(Exception):
    """An error that a handler raises to inform the requester."""

    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.payload = {"code": code, "message": message}
        if data is not None:
            self.payload["data"] = data


BUSY = PeerError("busy", "too many requests in progress")
INTERNAL = PeerError("internal_error", "internal error")
NOT_SERVING = PeerError("not_serving", "this agent does not serve requests")


class PendingRequest:
    """A request that waits for its response."""

    def __init__(self, recipient, on_update):
        loop = asyncio.get_running_loop()
        self.recipient = recipient
        self.answer = loop.create_future()
        self._clock = loop.time
        self._on_update = on_update
        self._heard = self._clock()

    def take(self, kind, payload):
        """Takes a verified reply. Only an update does not end the request."""
        if self.answer.done():
            return
        if kind == "response":
            self.answer.set_result(payload)
        elif kind == "error":
            self.fail(CommError("request_failed", self.recipient, read_error(payload)))
        else:
            self._heard = self._clock()
            self._on_update(payload)

    def fail(self, error):
        if not self.answer.done():
            self.answer.set_exception(error)

    async def response(self, timeout, max_total):
        """Waits for the response. Each update restarts the timeout."""
        end = self._clock() + max_total
        while not self.answer.done():
            left = min(end, self._heard + timeout) - self._clock()
            if left <= 0:
                raise CommError("timeout", "no response from %s" % self.recipient)
            await asyncio.wait([self.answer], timeout=left)
        return self.answer.result()


def read_error(payload):
    """Returns the code, the message and the data of an `error` message."""
    given = payload if isinstance(payload, dict) else {}
    code, message = given.get("code"), given.get("message")
    found = {
        "code": code if isinstance(code, str) and code else "unknown",
        "message": message if isinstance(message, str) else "",
    }
    return {**found, "data": given["data"]} if "data" in given else found


class Peer:
    """An agent with a did:key that sends and serves the requests of one protocol.

    The peer is the only reader of its transport. Invalid messages are dropped.
    """

    def __init__(self, seed, transport, verifier, protocol, max_pending=1000, max_serving=32):
        self.did = format_did_key(public_key_of(seed))
        self._seed = seed
        self._transport = transport
        self._verifier = verifier
        self._protocol = protocol
        self._max_pending = max_pending
        self._max_serving = max_serving
        self._handler = None
        self._pending = {}
        self._serving = {}
        self._tasks = set()
        self._ended = False
        self._start(self._read())

    async def request(
        self, recipient, payload, message_type="request", timeout=60, max_total=600, on_update=None
    ):
        """Sends a request and returns the payload of the response. Times are in seconds.

        A request that times out or is cancelled sends a `cancel` message to the recipient.
        """
        if message_type in RESERVED:
            raise CommError("invalid_argument", "%s is not a type of requests" % message_type)
        message = self._new_message(recipient, message_type, payload)
        if self._ended:
            raise CommError("transport_closed", "transport is closed")
        if len(self._pending) >= self._max_pending:
            raise CommError("capacity_exceeded", "%d requests are pending" % self._max_pending)
        pending = PendingRequest(recipient, on_update or (lambda _payload: None))
        self._pending[message["id"]] = pending
        try:
            await self._send(message)
            return await pending.response(timeout, max_total)
        finally:
            del self._pending[message["id"]]
            if not pending.answer.done():
                cancel = self._new_message(recipient, "cancel", None, correlationId=message["id"])
                self._start(self._send(cancel))

    def serve(self, handler):
        """Serves requests with `await handler(payload, update)`, where `update` is a coroutine
        function that sends an update. The handler is cancelled if the requester cancels.
        """
        self._handler = handler

    async def close(self):
        """Ends the peer and its transport."""
        self._end()
        await self._transport.close()

    def _new_message(self, recipient, message_type, payload, **more):
        return new_message({
            "sender": self.did,
            "recipient": recipient,
            "protocol": self._protocol,
            "messageType": message_type,
            "payload": payload,
            **more,
        })

    def _start(self, coroutine):
        """Runs a coroutine in the background. The event loop itself holds tasks only weakly."""
        task = asyncio.ensure_future(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        return task

    def _forget(self, task):
        self._tasks.discard(task)
        if not task.cancelled() and not isinstance(task.exception(), (CommError, type(None))):
            raise task.exception()

    async def _send(self, message):
        await self._transport.send(sign_message(message, self._seed))

    async def _read(self):
        while True:
            try:
                message = await self._transport.receive()
                if message is None:
                    self._end()
                    return
                await self._take(message)
            except CommError:
                pass  # The message is invalid, or its verification failed.

    def _end(self):
        self._ended = True
        for pending in self._pending.values():
            pending.fail(CommError("transport_closed", "transport was closed"))
        for task in self._serving.values():
            task.cancel()

    async def _take(self, message):
        kind, correlation = message["messageType"], message.get("correlationId")
        if message["protocol"] != self._protocol:
            return
        if kind in ANSWERS:
            pending = self._pending.get(correlation)
            if pending is not None and pending.recipient == message["sender"]:
                await self._verifier.verify(message)
                pending.take(kind, message["payload"])
        elif kind == "cancel":
            task = self._serving.get((message["sender"], correlation))
            if task is not None:
                await self._verifier.verify(message)
                task.cancel()
        elif correlation is None:
            self._accept(message, await self._verifier.begin(message))

    def _accept(self, message, reservation):
        """Serves a verified request or rejects it. A rejected request can be delivered again."""
        is_busy = len(self._serving) >= self._max_serving
        if self._handler is None or is_busy:
            reservation.abort()
            error = BUSY if self._handler is not None else NOT_SERVING
            self._start(self._send(reply_to(message, "error", error.payload)))
            return
        key = message["sender"], message["id"]
        self._serving[key] = task = self._start(self._call(message))
        task.add_done_callback(lambda _: self._finish(key, task, reservation))

    def _finish(self, key, task, reservation):
        """Sends the reply, unless the handler was cancelled."""
        del self._serving[key]
        if task.cancelled():
            reservation.commit()
            return
        is_final, reply = task.result()
        if is_final:
            reservation.commit()
        else:
            reservation.abort()
        self._start(self._send(reply))

    async def _call(self, message):
        """Calls the handler. Returns whether its outcome is final, and the reply."""

        async def update(payload):
            await self._send(reply_to(message, "update", payload))

        try:
            return True, reply_to(message, "response", await self._handler(message["payload"], update))
        except PeerError as error:
            return True, reply_to(message, "error", error.payload)
        except Exception:  # the requester must not see the details of any other failure
            return False, reply_to(message, "error", INTERNAL.payload)
