"""The other ends that the driver simulates: web servers, byte streams and WebSockets."""

import asyncio
import json

CHUNK_BYTES = 16_384


class ScriptedWeb:
    """Web servers defined by a case: responses by URL, and status 404 for any other URL."""

    def __init__(self, answers):
        self._answers = answers
        self._released = asyncio.Event()
        self.requests = []

    async def fetch(self, url):
        """Returns the response for a URL. Redirects are not followed."""
        answer = self._answers.get(url, {"status": 404})
        request = {"url": url, "bodyBytes": 0}
        self.requests.append(request)
        if answer.get("stalls") == "answer":
            await asyncio.Event().wait()
        if answer.get("held"):
            await self._released.wait()
        return ScriptedAnswer(answer, request)

    def release(self):
        """Sends all held responses."""
        self._released.set()
        return {}


class ScriptedAnswer:
    """A response. `request` counts the body bytes that were read."""

    def __init__(self, answer, request):
        self.status = answer.get("status", 200)
        self.headers = {"content-type": "application/did+json", **answer.get("headers", {})}
        self._stalls = answer.get("stalls") == "body"
        self._request = request
        text = json.dumps(answer["document"]) if "document" in answer else ""
        self._body = text.encode().ljust(answer.get("padToBytes", 0))

    async def chunks(self):
        """Yields the chunks of the body."""
        for start in range(0, len(self._body), CHUNK_BYTES):
            chunk = self._body[start : start + CHUNK_BYTES]
            self._request["bodyBytes"] += len(chunk)
            yield chunk
        if self._stalls:
            await asyncio.Event().wait()


class Growing:
    """Lets callers wait until data reaches a given size."""

    def __init__(self):
        self._grown = asyncio.Event()

    def grow(self):
        self._grown.set()

    async def until(self, is_enough):
        while not is_enough():
            self._grown.clear()
            await self._grown.wait()


class ByteSide:
    """A reader and writer with the methods of asyncio streams, and their other end."""

    def __init__(self):
        self._chunks = asyncio.Queue()
        self._written = bytearray()
        self._growing = Growing()

    def feed(self, args):
        """Delivers bytes in chunks. The list of sizes in `chunks` repeats."""
        if "textHex" in args:
            data = bytes.fromhex(args["textHex"])
        else:
            data = (args["text"] * args.get("repeat", 1)).encode()
        sizes = args.get("chunks") or [len(data) or 1]
        at = turn = 0
        while at < len(data):
            size = sizes[turn % len(sizes)]
            self._chunks.put_nowait(data[at : at + size])
            at, turn = at + size, turn + 1
        if args.get("end"):
            self._chunks.put_nowait(b"")

    async def written(self, lines):
        """Waits for a number of lines, then returns all written text."""
        await self._growing.until(lambda: self._written.count(b"\n") >= lines)
        return self._written.decode()

    async def read(self, _limit):
        return await self._chunks.get()

    def write(self, data):
        self._written += data
        self._growing.grow()

    async def drain(self):
        pass

    def close(self):
        pass


class SocketSide:
    """An open WebSocket and its other end."""

    def __init__(self):
        self._frames = asyncio.Queue()
        self._sent = []
        self._growing = Growing()

    def feed(self, args):
        """Delivers a frame or closes the connection."""
        if "close" in args:
            is_clean = args["close"] in (1000, 1001)
            error = ConnectionError("the connection closed with code %d" % args["close"])
            self._frames.put_nowait(None if is_clean else error)
        else:
            self._frames.put_nowait(bytes.fromhex(args["hex"]) if "hex" in args else args["text"])

    async def sent(self, frames):
        """Waits for a number of frames, then returns all sent frames."""
        await self._growing.until(lambda: len(self._sent) >= frames)
        return self._sent

    async def recv(self):
        frame = await self._frames.get()
        if isinstance(frame, ConnectionError):
            raise frame
        return frame

    async def send(self, frame):
        self._sent.append({"text": frame} if isinstance(frame, str) else {"hex": frame.hex()})
        self._growing.grow()

    async def close(self):
        self._frames.put_nowait(None)
