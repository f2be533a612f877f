"""Transports: what one agent sends, another receives, in order."""

import asyncio
import copy
import json
from collections import deque

from .errors import CommError
from .messages import parse_message
from .strict_json import MAX_BYTES


class BoundedQueue:
    """First in, first out, with room for so many; both ends can wait."""

    def __init__(self, capacity):
        self._capacity = capacity
        self._items = deque()
        self._takers = deque()
        self._putters = deque()
        self._ended = False

    async def put(self, item, wait=True):
        """Adds an item, waiting for room; raises when no more are taken."""
        if self._ended:
            raise CommError("transport_closed", "it is closed")
        taker = pop_waiting(self._takers)
        if taker is not None:
            taker.set_result(item)
        elif len(self._items) < self._capacity:
            self._items.append(item)
        elif not wait:
            raise CommError("capacity_exceeded", "%d messages wait" % self._capacity)
        else:
            room = asyncio.get_running_loop().create_future()
            self._putters.append((room, item))
            await room

    async def take(self):
        """The oldest item, waiting for one; None when no more can come."""
        if self._items:
            item = self._items.popleft()
            self._admit()
            return item
        if self._ended:
            return None
        taker = asyncio.get_running_loop().create_future()
        self._takers.append(taker)
        try:
            return await taker
        except asyncio.CancelledError:
            if taker.done() and not taker.cancelled() and taker.result() is not None:
                self._give_back(taker.result())
            raise

    def end(self):
        """Takes no more items; what is there can be taken."""
        self._ended = True
        for room, _ in self._putters:
            if not room.done():
                room.set_exception(CommError("transport_closed", "it was closed"))
        self._putters.clear()
        while (taker := pop_waiting(self._takers)) is not None:
            taker.set_result(None)

    def cancel(self):
        """Ends, and drops what is there."""
        self._items.clear()
        self.end()

    def _give_back(self, item):
        """An item came in the very moment in which its taker gave up."""
        taker = pop_waiting(self._takers)
        if taker is None:
            self._items.appendleft(item)
        else:
            taker.set_result(item)

    def _admit(self):
        while self._putters:
            room, item = self._putters.popleft()
            if not room.done():
                self._items.append(item)
                room.set_result(None)
                return


def pop_waiting(takers):
    """The first that still waits, or None."""
    while takers:
        taker = takers.popleft()
        if not taker.done():
            return taker
    return None


class QueueTransport:
    """A transport over a queue in each direction; what cannot be read is in it as its error."""

    def __init__(self, inbound, outbound, encode, wait=True, on_close=None):
        self._inbound = inbound
        self._outbound = outbound
        self._encode = encode
        self._wait = wait
        self._on_close = on_close

    async def send(self, message):
        """Sends a message, waiting while the queue is full unless it is to fail then."""
        await self._outbound.put(self._encode(message), self._wait)

    async def receive(self):
        """The next message, or None when there is none any more."""
        item = await self._inbound.take()
        if isinstance(item, CommError):
            raise item
        return item

    async def close(self):
        """Ends both directions; once more does nothing."""
        self._inbound.cancel()
        self._outbound.end()
        if self._on_close is not None:
            close, self._on_close = self._on_close, None
            await close()


def channel_pair(capacity=1000, overflow="wait"):
    """Two transports in one process: what one sends, the other receives."""
    there, back = BoundedQueue(capacity), BoundedQueue(capacity)
    wait = overflow == "wait"
    # A copy, so that nobody can change what is on its way.
    return (
        QueueTransport(back, there, copy.deepcopy, wait),
        QueueTransport(there, back, copy.deepcopy, wait),
    )


class NoopTransport:
    """Drops what is sent and receives nothing."""

    def __init__(self):
        self._closed = False

    async def send(self, message):
        """Drops a message."""
        if self._closed:
            raise CommError("transport_closed", "it is closed")

    async def receive(self):
        """None, at once."""
        return None

    async def close(self):
        """Makes `send` fail."""
        self._closed = True


def read_or_error(data):
    """A message, or what is wrong with it."""
    try:
        return parse_message(data)
    except CommError as error:
        return error


class LineSplitter:
    """Bytes into lines; of a line beyond the limit no more than the limit is kept."""

    def __init__(self, max_bytes):
        self._max_bytes = max_bytes
        self._line = bytearray()
        self._skipping = False

    def push(self, chunk):
        """What a chunk completes: lines, and an error as soon as one is too long."""
        found = []
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            found += self._add(piece)
            found += self.end()
        return found + self._add(rest)

    def end(self):
        """The line so far, unless it was refused."""
        line = [] if self._skipping else [bytes(self._line)]
        self._line.clear()
        self._skipping = False
        return line

    def _add(self, piece):
        if self._skipping:
            return []
        if len(self._line) + len(piece) <= self._max_bytes:
            self._line += piece
            return []
        self._line.clear()
        self._skipping = True
        return [CommError("message_too_large", "a line of more than %d bytes" % self._max_bytes)]


def stream_transport(reader, writer, max_bytes=MAX_BYTES, capacity=100):
    """A message a line, over a pair of asyncio streams."""
    inbound, outbound = BoundedQueue(capacity), BoundedQueue(capacity)

    async def read_all():
        splitter = LineSplitter(max_bytes)
        while chunk := await reader.read(65_536):
            await put_all(inbound, splitter.push(chunk))
        await put_all(inbound, splitter.end())
        inbound.end()

    async def write_all():
        while (line := await outbound.take()) is not None:
            writer.write(line)
            await writer.drain()
        writer.close()

    reading, writing = (asyncio.ensure_future(each()) for each in (read_all, write_all))

    async def close():
        reading.cancel()
        await settle(reading, writing)

    return QueueTransport(inbound, outbound, lambda m: write_text(m).encode() + b"\n", True, close)


async def settle(*tasks, timeout=5):
    """Waits for tasks to end, well or not, but not for ever."""
    await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), timeout)


async def put_all(inbound, lines):
    for line in lines:
        if isinstance(line, CommError):
            await inbound.put(line)
        elif line.strip(b" \t\r"):
            await inbound.put(read_or_error(line))


def write_text(message):
    """The text of a message, on one line."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))


def socket_transport(socket, capacity=1000):
    """A message a text frame, over a WebSocket with the methods of the package websockets.

    `await socket.recv()` gives a text or bytes, or None once the other side has closed.
    """
    inbound, outbound = BoundedQueue(capacity), BoundedQueue(capacity)

    async def read_all():
        while (frame := await socket.recv()) is not None:
            is_text = isinstance(frame, str)
            error = CommError("deserialization_failed", "the frame is not text")
            await inbound.put(read_or_error(frame) if is_text else error)
        inbound.end()
        outbound.cancel()

    async def write_all():
        while (text := await outbound.take()) is not None:
            await socket.send(text)
        await socket.close()

    reading, writing = (asyncio.ensure_future(each()) for each in (read_all, write_all))

    async def close():
        reading.cancel()
        await settle(reading, writing)

    return QueueTransport(inbound, outbound, write_text, True, close)
