"""The operations of comm, each on one function or object of parley_comm.

An operation takes the arguments of a case and the call it belongs to; it gives the `ok` of its
result.
"""

import json

from case_resolver import resolver_of
from parley_comm import (
    canonical_json,
    did_web,
    dids,
    documents,
    ed25519,
    messages,
    negotiation,
    policy,
    private_keys,
    proof,
    signing,
    strict_json,
    timestamps,
    transports,
)
from parley_comm.errors import CommError
from peers import PEER_OPS
from played import ByteSide, ScriptedWeb, SocketSide
from signed_json import SIGNED_JSON_OPS


def text_and_bytes(text):
    return {"text": text, "utf8Hex": text.encode().hex()}


def canonicalize(args, _call):
    if "float64Hex" in args:
        value = strict_json.read_double(bytes.fromhex(args["float64Hex"]))
    else:
        value = strict_json.parse_json(args["text"])
    return text_and_bytes(canonical_json.canonicalize(value))


def ed25519_sign(args, _call):
    seed = bytes.fromhex(args["seedHex"])
    signature = ed25519.sign(seed, bytes.fromhex(args["messageHex"]))
    return {"publicKeyHex": ed25519.public_key_of(seed).hex(), "signatureHex": signature.hex()}


def ed25519_verify(args, _call):
    names = ("publicKeyHex", "messageHex", "signatureHex")
    return {"valid": ed25519.verify(*(bytes.fromhex(args[name]) for name in names))}


async def did_decode(args, _call):
    if args["did"].startswith("did:key:"):
        return {"publicKeyHex": dids.parse_did_key(args["did"]).hex()}
    [(_, key)] = await documents.sender_keys(args["did"], dids.resolve_offline)
    return {"publicKeyHex": key.hex()}


def message_decode(args, _call):
    if "textHex" in args:
        return {"message": messages.parse_message(bytes.fromhex(args["textHex"]))}
    missing = args.get("padToBytes", 0) - len(args["text"].encode("utf-8", "surrogatepass"))
    return {"message": messages.parse_message(args["text"] + " " * missing)}


def equals(read):
    """Returns True if two texts represent equal values, that is, have the same canonical form."""

    def compare(args, _call):
        one, other = (canonical_json.canonicalize(read(args[name])) for name in ("aText", "bText"))
        return {"equal": one == other}

    return compare


def message_reply(args, _call):
    original = messages.parse_message(args["messageText"])
    given = (args["messageType"], args["payload"], args.get("signature"))
    return {"message": messages.reply_to(original, *given)}


def message_sign(args, _call):
    message = messages.parse_message(args["messageText"])
    return {"message": signing.sign_message(message, bytes.fromhex(args["seedHex"]))}


def signer_open(args, _call):
    pkcs8 = bytes.fromhex(args["pkcs8Hex"]) if "pkcs8Hex" in args else None
    given = (pkcs8, args.get("jwk"), args.get("did"), args.get("keyId"))
    did, key_id, public_key = private_keys.open_signer(*given)
    return {"did": did, "keyId": key_id, "publicKeyHex": public_key.hex()}


# Verification


async def verdict(verification):
    """Returns the verdict of a verification. A rejected message is a verdict, not an error."""
    try:
        key_id, covered = await verification
    except CommError as error:
        return {"valid": False, "reason": error.code}
    return {"valid": True, "keyId": key_id, "covered": list(covered)}


async def message_verify(args, _call):
    message = messages.parse_message(args["messageText"])

    async def verify():
        key_id = await signing.verify_message(message, resolver_of(args), args.get("recipient"))
        return key_id, signing.SIGNED

    return await verdict(verify())


async def proof_verify(args, _call):
    message = messages.parse_message(args["messageText"])
    now = timestamps.read_time(args["now"])

    async def verify():
        resolve = resolver_of(args)
        key_id = await proof.verify_proof(
            message, resolve, now, args["recipient"], challenge=args.get("challenge")
        )
        return key_id, proof.covered_by_proof(message)

    return await verdict(verify())


def proof_make(args, _call):
    options = {name: args[name] for name in ("created", "expires", "challenge") if name in args}
    message = messages.parse_message(args["messageText"])
    return {"message": proof.prove_message(message, bytes.fromhex(args["seedHex"]), options)}


class FakeStore:
    """A replay store that returns the results given in the case, one per call."""

    def __init__(self, results):
        self._results = {method: list(given) for method, given in results.items()}
        self.calls = []

    def begin(self, sender, message_id, _now):
        return self._answer("begin", sender, message_id)

    def commit(self, sender, message_id):
        self._answer("commit", sender, message_id)

    def abort(self, sender, message_id):
        self._answer("abort", sender, message_id)

    def _answer(self, method, sender, message_id):
        self.calls.append({"method": method, "sender": sender, "id": message_id})
        given = self._results.get(method)
        result = given.pop(0) if given else None
        if isinstance(result, dict) and result.get("throws") is True:
            raise ConnectionError("the store is unavailable")
        return result


def replay_store_new(args, call):
    names = {"maxEntries": "max_entries", "maxSharePerSender": "max_share_per_sender"}
    limits = {names[name]: value for name, value in args.items()}
    return {"handle": call.keep(policy.ReplayStore(**limits))}


class CountingVerifier:
    """A verifier that counts the resolutions of sender DIDs."""

    def __init__(self, args, store):
        self.now = timestamps.read_time(args["now"])
        resolve = resolver_of(args)
        self.resolutions = 0

        async def count_and_resolve(did):
            self.resolutions += 1
            return await resolve(did)

        self.verifier = policy.Verifier(
            args["recipient"], lambda: self.now, count_and_resolve, args.get("policy"), store
        )


def verifier_new(args, call):
    if "replayStore" in args:
        store = call.get(args["replayStore"])
    else:
        store = policy.ReplayStore() if args.get("replayGuard") else None
    return {"handle": call.keep(CountingVerifier(args, store))}


async def verifier_verify(args, call):
    if "now" in args:
        call.on.now = timestamps.read_time(args["now"])
    return await verdict(call.on.verifier.verify(messages.parse_message(args["messageText"])))


async def verifier_begin(args, call):
    message = messages.parse_message(args["messageText"])
    handles = {}

    async def begin():
        reservation = await call.on.verifier.begin(message)
        handles["handle"] = call.keep(reservation)
        return reservation.key_id, reservation.covered

    return {**await verdict(begin()), **handles}


def reservation_commit(_args, call):
    call.on.commit()
    return {}


def reservation_abort(_args, call):
    call.on.abort()
    return {}


# Resolution


class World:
    """A resolver, its scripted web servers and its clock."""

    def __init__(self, args):
        self.web = ScriptedWeb(args["web"])
        self.now = timestamps.now_ms()
        seconds = args.get("timeoutMs", 5000) / 1000
        resolver = did_web.WebResolver(self.web.fetch, timeout=seconds)
        self.cache = did_web.CachedResolver(resolver.resolve, lambda: self.now)


async def resolver_resolve(args, call):
    if "now" in args:
        call.on.now = timestamps.read_time(args["now"])
    is_web = args["did"].startswith("did:web:")
    resolve = call.on.cache.resolve if is_web else dids.resolve_offline
    return {"document": await resolve(args["did"])}


# Negotiation


async def negotiation_answer(args, _call):
    offer = messages.parse_message(args["messageText"])
    given = (args["supported"], bytes.fromhex(args["seedHex"]), resolver_of(args))
    return {"message": await negotiation.answer_offer(offer, *given)}


async def negotiation_read(args, _call):
    text = json.dumps(args["answer"]) if "answer" in args else args["answerText"]
    offer = messages.parse_message(args["offerText"])
    answer = messages.parse_message(text)
    return {"accept": await negotiation.read_answer(answer, offer, resolver_of(args))}


# Transports


def channel_pair(args, call):
    return {"handles": [call.keep(end) for end in transports.channel_pair(**args)]}


async def transport_send(args, call):
    await call.on.send(messages.new_message(args["message"]))
    if args.get("thenChange"):
        args["message"]["payload"]["changed"] = True
    return {}


async def transport_receive(_args, call):
    return {"message": await call.on.receive()}


async def transport_close(_args, call):
    await call.on.close()
    return {}


def stream_feed(args, call):
    call.on.side.feed(args)
    return {}


async def stream_written(args, call):
    *lines, rest = (await call.on.side.written(args["lines"])).split("\n")
    return {"lines": lines, "rest": rest}


def websocket_feed(args, call):
    call.on.side.feed(args)
    return {}


async def websocket_sent(args, call):
    return {"frames": await call.on.side.sent(args["frames"])}


def played(side_of, transport_of):
    """Creates a transport. The driver acts as the other end."""

    async def open_transport(_args, call):
        side = side_of()
        transport = transport_of(side)
        transport.side = side
        return {"handle": call.keep(transport)}

    return open_transport


OPS = {
    "comm.canonicalize": canonicalize,
    "comm.ed25519.sign": ed25519_sign,
    "comm.ed25519.verify": ed25519_verify,
    "comm.did.encode": lambda args, _: {
        "did": dids.format_did_key(bytes.fromhex(args["publicKeyHex"]))
    },
    "comm.did.decode": did_decode,
    "comm.did.webUrl": lambda args, _: {"url": did_web.web_url(args["did"])},
    "comm.resolver.new": lambda args, call: {"handle": call.keep(World(args))},
    "comm.resolver.resolve": resolver_resolve,
    "comm.resolver.requests": lambda _, call: {"requests": call.on.web.requests},
    "comm.resolver.release": lambda _, call: call.on.web.release(),
    "comm.protocol.parse": lambda args, _: negotiation.parse_protocol(args["text"]),
    "comm.message.new": lambda args, _: {"message": messages.new_message(args["init"])},
    "comm.message.decode": message_decode,
    "comm.message.equals": equals(messages.parse_message),
    "comm.message.reply": message_reply,
    "comm.message.payload": lambda args, _: text_and_bytes(
        signing.signing_payload(messages.parse_message(args["messageText"]))
    ),
    "comm.message.sign": message_sign,
    "comm.signer.open": signer_open,
    "comm.message.verify": message_verify,
    "comm.replayStore.new": replay_store_new,
    "comm.replayStore.fake": lambda args, call: {"handle": call.keep(FakeStore(args))},
    "comm.replayStore.calls": lambda _, call: {"calls": call.on.calls},
    "comm.verifier.new": verifier_new,
    "comm.verifier.verify": verifier_verify,
    "comm.verifier.begin": verifier_begin,
    "comm.verifier.resolutions": lambda _, call: {"count": call.on.resolutions},
    "comm.reservation.commit": reservation_commit,
    "comm.reservation.abort": reservation_abort,
    "comm.proof.verify": proof_verify,
    "comm.proof.make": proof_make,
    "comm.negotiate": lambda args, _: {
        "accept": negotiation.negotiate(args["offer"], args["supported"], args["responderDid"])
    },
    "comm.offer.decode": lambda args, _: {"offer": negotiation.parse_offer(args["text"])},
    "comm.offer.equals": equals(negotiation.parse_offer),
    "comm.accept.decode": lambda args, _: {"accept": negotiation.parse_accept(args["text"])},
    "comm.accept.equals": equals(negotiation.parse_accept),
    "comm.negotiation.answer": negotiation_answer,
    "comm.negotiation.read": negotiation_read,
    "comm.channel.pair": channel_pair,
    "comm.noop.new": lambda _, call: {"handle": call.keep(transports.NoopTransport())},
    "comm.transport.send": transport_send,
    "comm.transport.receive": transport_receive,
    "comm.transport.close": transport_close,
    "comm.stream.new": played(ByteSide, lambda side: transports.stream_transport(side, side)),
    "comm.stream.feed": stream_feed,
    "comm.stream.written": stream_written,
    "comm.websocket.new": played(SocketSide, transports.socket_transport),
    "comm.websocket.feed": websocket_feed,
    "comm.websocket.sent": websocket_sent,
    **PEER_OPS,
    **SIGNED_JSON_OPS,
}

FEATURES = {
    "comm.a2a": True,
    "comm.channel.overflow": True,
    "comm.decode.pad": True,
    "comm.did.document": True,
    "comm.did.jwk": True,
    "comm.did.web": True,
    "comm.jws": True,
    "comm.message.extensions": True,
    "comm.negotiation.resolver": True,
    "comm.policy.reject": True,
    "comm.requests": True,
    "comm.proof.challenge": True,
    "comm.resolver.clock": True,
    "comm.verifier.clock": True,
}
