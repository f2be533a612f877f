"""The other sides that the driver plays: web servers, a peer behind bytes or a WebSocket."""

import asyncio
import json

CHUNK_BYTES = 16_384


class ScriptedWeb:
    """Web servers as a case describes them: answers by address, 404 for everything else."""

    def __init__(self, answers):
        self._answers = answers
        self._released = asyncio.Event()
        self.requests = []

    async def fetch(self, url):
        """The answer of an address; redirects are answers like any other."""
        answer = self._answers.get(url, {"status": 404})
        request = {"url": url, "bodyBytes": 0}
        self.requests.append(request)
        if answer.get("stalls") == "answer":
            await asyncio.Event().wait()
        if answer.get("held"):
            await self._released.wait()
        return ScriptedAnswer(answer, request)

    def release(self):
        """Lets answers go that are held."""
        self._released.set()
        return {}


class ScriptedAnswer:
    """One answer; `request` counts what is taken of its body."""

    def __init__(self, answer, request):
        self.status = answer.get("status", 200)
        self.headers = {"content-type": "application/did+json", **answer.get("headers", {})}
        self._stalls = answer.get("stalls") == "body"
        self._request = request
        text = json.dumps(answer["document"]) if "document" in answer else ""
        self._body = text.encode().ljust(answer.get("padToBytes", 0))

    async def chunks(self):
        """The pieces of the body."""
        for start in range(0, len(self._body), CHUNK_BYTES):
            chunk = self._body[start : start + CHUNK_BYTES]
            self._request["bodyBytes"] += len(chunk)
            yield chunk
        if self._stalls:
            await asyncio.Event().wait()


class Growing:
    """Lets others wait until something has grown enough."""

    def __init__(self):
        self._grown = asyncio.Event()

    def grow(self):
        self._grown.set()

    async def until(self, is_enough):
        while not is_enough():
            self._grown.clear()
            await self._grown.wait()


class ByteSide:
    """A reader and a writer with the methods of asyncio's streams, and what is behind them."""

    def __init__(self):
        self._chunks = asyncio.Queue()
        self._written = bytearray()
        self._growing = Growing()

    def feed(self, args):
        """Hands bytes over, in pieces of the sizes in `chunks`, over and over."""
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
        """The text that was written, as soon as it has so many lines."""
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
    """An open WebSocket, and what is behind it."""

    def __init__(self):
        self._frames = asyncio.Queue()
        self._sent = []
        self._growing = Growing()

    def feed(self, args):
        """Hands a frame over, or the end."""
        if "close" in args:
            self._frames.put_nowait(None)
        else:
            self._frames.put_nowait(bytes.fromhex(args["hex"]) if "hex" in args else args["text"])

    async def sent(self, frames):
        """The frames that were sent, as soon as there are so many."""
        await self._growing.until(lambda: len(self._sent) >= frames)
        return self._sent

    async def recv(self):
        return await self._frames.get()

    async def send(self, frame):
        self._sent.append({"text": frame} if isinstance(frame, str) else {"hex": frame.hex()})
        self._growing.grow()

    async def close(self):
        self._frames.put_nowait(None)
