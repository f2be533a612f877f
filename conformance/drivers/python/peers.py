"""The operations on peers, which send and serve requests. The driver acts as the other end of the
peer's WebSocket.
"""

import asyncio
import json

from parley_comm import dids, messages, policy, signing, timestamps, transports
from parley_comm.ed25519 import public_key_of
from parley_comm.requests import Peer, PeerError
from played import SocketSide


class PeerEnd:
    """A peer and the other end of its transport."""

    def __init__(self, args):
        seed = bytes.fromhex(args["seedHex"])
        did = dids.format_did_key(public_key_of(seed))
        names = {"maxPending": "max_pending", "maxServing": "max_serving"}
        limits = {names[name]: args[name] for name in names if name in args}
        self.side = SocketSide()
        self.calls = self.aborted = self._read = 0
        transport = transports.socket_transport(self.side)
        verifier = policy.Verifier(
            did, timestamps.now_ms, dids.resolve_offline, {}, policy.ReplayStore()
        )
        self.peer = Peer(seed, transport, verifier, args["protocol"], **limits)

    async def handle(self, payload, update):
        """The handler of requests, whose payload tells it what to do."""
        self.calls += 1
        asked = payload if isinstance(payload, dict) else {}
        for each in asked.get("updates", []):
            await update(each)
        if "fail" in asked:
            fail = asked["fail"]
            raise PeerError(fail["code"], fail["message"], fail.get("data"))
        if "crash" in asked and (asked["crash"] != "once" or self.calls == 1):
            raise RuntimeError(asked["crash"])
        if asked.get("wait") is True:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.aborted += 1
                raise
        return asked.get("respond")

    def feed(self, args):
        """Delivers a frame: a text, a signed message, or a message that the driver signs."""
        if args.get("end") is True:
            self.side.feed({"close": 1000})
            return {}
        if "text" in args:
            self.side.feed(args)
            return {}
        message = args["signed"] if "signed" in args else self._sign(args)
        self.side.feed({"text": json.dumps({**message, **args.get("change", {})})})
        return {"message": message}

    def _sign(self, args):
        seed = bytes.fromhex(args["seedHex"])
        ends = {"sender": dids.format_did_key(public_key_of(seed)), "recipient": self.peer.did}
        return signing.sign_message(messages.new_message({**args["message"], **ends}), seed)

    async def next_sent(self):
        """Returns the next message that the peer sends."""
        frames = await self.side.sent(self._read + 1)
        self._read += 1
        return json.loads(frames[self._read - 1]["text"])


async def peer_new(args, call):
    return {"handle": call.keep(PeerEnd(args))}


async def peer_serve(_args, call):
    call.on.peer.serve(call.on.handle)
    return {}


async def peer_request(args, call):
    updates = []
    seconds = {"timeoutMs": "timeout", "maxTotalMs": "max_total"}
    options = {seconds[name]: args[name] / 1000 for name in seconds if name in args}
    if "messageType" in args:
        options["message_type"] = args["messageType"]
    payload = await call.on.peer.request(
        args["recipient"], args.get("payload"), on_update=updates.append, **options
    )
    return {"payload": payload, "updates": updates}


async def peer_feed(args, call):
    return call.on.feed(args)


async def peer_sent(_args, call):
    return {"message": await call.on.next_sent()}


async def peer_calls(_args, call):
    return {"calls": call.on.calls, "aborted": call.on.aborted}


PEER_OPS = {
    "comm.peer.new": peer_new,
    "comm.peer.serve": peer_serve,
    "comm.peer.request": peer_request,
    "comm.peer.feed": peer_feed,
    "comm.peer.sent": peer_sent,
    "comm.peer.calls": peer_calls,
}
