"""Message transports. Messages are received in the order in which they are sent."""

import asyncio
import copy
import json
from collections import deque

from .errors import CommError
from .messages import parse_message
from .strict_json import MAX_BYTES


class BoundedQueue:
    """A first-in, first-out queue with limited capacity. Both ends can wait."""

    def __init__(self, capacity):
        self._capacity = capacity
        self._items = deque()
        self._takers = deque()
        self._putters = deque()
        self._ended = False
        # The error that ended the queue, or None.
        self.failure = None

    async def put(self, item, wait=True):
        """Adds an item, waiting for capacity. Raises an error if the queue has ended."""
        if self._ended:
            raise CommError("transport_closed", "transport is closed")
        taker = pop_waiting(self._takers)
        if taker is not None:
            taker.set_result(item)
        elif len(self._items) < self._capacity:
            self._items.append(item)
        elif not wait:
            raise CommError("capacity_exceeded", "%d messages are queued" % self._capacity)
        else:
            room = asyncio.get_running_loop().create_future()
            self._putters.append((room, item))
            await room

    async def take(self):
        """Removes and returns the oldest item. Waits for an item; returns None at the end."""
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
        """Ends the queue. Queued items can still be taken."""
        self._ended = True
        for room, _ in self._putters:
            if not room.done():
                room.set_exception(CommError("transport_closed", "transport was closed"))
        self._putters.clear()
        while (taker := pop_waiting(self._takers)) is not None:
            taker.set_result(None)

    def cancel(self):
        """Ends the queue and discards the queued items."""
        self._items.clear()
        self.end()

    def _give_back(self, item):
        """Returns an item to the queue whose receiver was cancelled when the item arrived."""
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
    """Returns the first receiver that is still waiting, or None."""
    while takers:
        taker = takers.popleft()
        if not taker.done():
            return taker
    return None


class QueueTransport:
    """A transport with one queue per direction. An unreadable message is queued as an error."""

    def __init__(self, inbound, outbound, encode, wait=True, on_close=None):
        self._inbound = inbound
        self._outbound = outbound
        self._encode = encode
        self._wait = wait
        self._on_close = on_close

    async def send(self, message):
        """Sends a message. If the queue is full, waits or, without `wait`, raises an error."""
        await self._outbound.put(self._encode(message), self._wait)

    async def receive(self):
        """Returns the next message, or None at the end. Raises an error if the connection is lost."""
        item = await self._inbound.take()
        if item is None and self._inbound.failure is not None:
            raise self._inbound.failure
        if isinstance(item, CommError):
            raise item
        return item

    async def close(self):
        """Ends both directions. Can be called more than once."""
        self._inbound.cancel()
        self._outbound.end()
        if self._on_close is not None:
            close, self._on_close = self._on_close, None
            await close()


def channel_pair(capacity=1000, overflow="wait"):
    """Creates two connected transports in one process."""
    there, back = BoundedQueue(capacity), BoundedQueue(capacity)
    wait = overflow == "wait"
    # Messages are copied, because the sender could change them before they are received.
    return (
        QueueTransport(back, there, copy.deepcopy, wait),
        QueueTransport(there, back, copy.deepcopy, wait),
    )


class NoopTransport:
    """A transport that discards sent messages and receives nothing."""

    def __init__(self):
        self._closed = False

    async def send(self, message):
        """Discards a message."""
        if self._closed:
            raise CommError("transport_closed", "transport is closed")

    async def receive(self):
        """Returns None immediately."""
        return None

    async def close(self):
        """Makes `send` fail."""
        self._closed = True


def read_or_error(data):
    """Parses a message. Returns the error if the message is invalid."""
    try:
        return parse_message(data)
    except CommError as error:
        return error


class LineSplitter:
    """Splits bytes into lines of limited length, storing at most `max_bytes` bytes."""

    def __init__(self, max_bytes):
        self._max_bytes = max_bytes
        self._line = bytearray()
        self._skipping = False

    def push(self, chunk):
        """Adds a chunk. Returns the completed lines, and an error for each overlong line."""
        found = []
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            found += self._add(piece)
            found += self.end()
        return found + self._add(rest)

    def end(self):
        """Ends the current line. Returns it unless it was too long."""
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
    """Creates a transport over a pair of asyncio streams, with one message per line."""
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
    """Waits until tasks succeed or fail, with a timeout in seconds."""
    await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), timeout)


async def put_all(inbound, lines):
    for line in lines:
        if isinstance(line, CommError):
            await inbound.put(line)
        elif line.strip(b" \t\r"):
            await inbound.put(read_or_error(line))


def write_text(message):
    """Formats a message as JSON on one line."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))


def socket_transport(socket, capacity=1000):
    """Creates a transport over a WebSocket of the package websockets: one message per text frame.

    `await socket.recv()` returns a string or bytes, or None after the other end has closed, and raises
    a ConnectionError if the connection is lost.
    """
    inbound, outbound = BoundedQueue(capacity), BoundedQueue(capacity)

    async def read_all():
        try:
            while (frame := await socket.recv()) is not None:
                is_text = isinstance(frame, str)
                error = CommError("deserialization_failed", "frame is not text")
                await inbound.put(read_or_error(frame) if is_text else error)
        except ConnectionError as error:
            inbound.failure = CommError("receive_failed", str(error))
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
