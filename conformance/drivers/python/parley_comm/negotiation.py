"""Protocol negotiation, with plain offers and accepts or with signed messages."""

import re

from . import ed25519
from .dids import format_did_key, is_did, resolve_offline
from .errors import CommError
from .messages import reply_to
from .signing import sign_message, verify_message
from .strict_json import parse_json
from .timestamps import format_time, now_ms, read_time

PROTOCOL = re.compile(
    r"([a-z0-9][a-z0-9-]*(?:\.[a-z0-9][a-z0-9-]*)*)\.([a-z0-9][a-z0-9-]*)\.v(0|[1-9][0-9]{0,8})"
)
NEGOTIATION = "parley.negotiation.v1"


def parse_protocol(text):
    """Parses a protocol identifier."""
    match = PROTOCOL.fullmatch(text)
    if match is None or len(text) > 256:
        raise CommError("invalid_argument", "no <namespace>.<name>.v<N>")
    return {"namespace": match.group(1), "name": match.group(2), "version": int(match.group(3))}


def new_offer(value):
    """Creates an offer from its members."""
    return new_record(value, "offererDid", "protocols", check_protocols)


def new_accept(value):
    """Creates an accept from its members."""
    return new_record(value, "accepterDid", "selectedProtocol", lambda one: check_protocols([one]))


def new_record(value, did, content, check):
    if not isinstance(value, dict):
        raise CommError("invalid_argument", "value is not an object")
    record = {"timestamp": format_time(now_ms()), **value}
    if not is_did(record.get(did)):
        raise CommError("invalid_argument", "%s is not a valid DID" % did)
    check(record.get(content))
    if read_time(record["timestamp"]) is None:
        raise CommError("invalid_argument", "timestamp is not an RFC 3339 time")
    return {name: record[name] for name in (did, content, "timestamp")}


def check_protocols(protocols):
    if not isinstance(protocols, list) or not all(
        isinstance(each, str) and 0 < len(each) <= 256 for each in protocols
    ):
        raise CommError("invalid_argument", "protocols must be strings of 1 to 256 characters")


def parse_offer(text):
    """Parses an offer from its JSON text."""
    return new_offer(parse_json(text))


def parse_accept(text):
    """Parses an accept from its JSON text."""
    return new_accept(parse_json(text))


def negotiate(offer, supported, responder):
    """Creates an accept for the first offered protocol that the responder supports."""
    protocols = new_offer(offer)["protocols"]
    check_protocols(supported)
    if not is_did(responder):
        raise CommError("invalid_argument", "responder is not a valid DID")
    chosen = next((each for each in protocols if each in supported), None)
    if chosen is None:
        raise CommError("no_common_protocol", "no offered protocol is supported")
    return new_accept({"accepterDid": responder, "selectedProtocol": chosen})


async def answer_offer(message, supported, seed, resolve=resolve_offline):
    """Creates the signed accept for a signed offer, with the did:key derived from a seed."""
    responder = format_did_key(ed25519.public_key_of(seed))
    await verify_message(message, resolve, responder)
    offer = read_content(message, "offer", "offererDid", new_offer)
    accept = negotiate(offer, supported, responder)
    return sign_message(reply_to(message, "accept", accept), seed)


async def read_answer(answer, offer, resolve=resolve_offline):
    """Returns the accept in a signed message. The message must be the reply to the offer."""
    await verify_message(answer, resolve, offer["sender"])
    offered = read_content(offer, "offer", "offererDid", new_offer)
    if answer["sender"] != offer["recipient"] or answer.get("correlationId") != offer["id"]:
        raise CommError("invalid_message", "message is not a reply to the offer")
    accept = read_content(answer, "accept", "accepterDid", new_accept)
    if accept["selectedProtocol"] not in offered["protocols"]:
        raise CommError("invalid_message", "selected protocol was not offered")
    return accept


def read_content(message, message_type, did, read):
    """Returns the offer or accept in a message from its issuer."""
    if message["protocol"] != NEGOTIATION or message["messageType"] != message_type:
        raise CommError("invalid_message", "message is not of type %s" % message_type)
    payload = message["payload"]
    if not isinstance(payload, dict) or "timestamp" not in payload:
        raise CommError("invalid_message", "payload contains no %s" % message_type)
    try:
        content = read(payload)
    except CommError as error:
        raise CommError("invalid_message", str(error)) from error
    if content[did] != message["sender"]:
        raise CommError("invalid_message", "%s is not the sender" % did)
    return content
