"""Signed requests of the Agent2Agent protocol (A2A)."""

import base64
import hashlib
import re

from . import ed25519
from .canonical_json import canonicalize
from .dids import format_did_key
from .errors import CommError
from .messages import new_message, parse_message
from .proof import prove_message
from .timestamps import format_time, now_ms

URI = "urn:parley:a2a:signed-message:v1"
PROTOCOL = "a2a.message.v1"
MESSAGE_TYPE = "message"


def sign_request(request, seed, recipient):
    """Returns the request with a proof by the did:key of the seed."""
    covered, _ = read_covered(request)
    message = covered["message"]
    if URI not in message.get("extensions", []):
        message["extensions"] = message.get("extensions", []) + [URI]
    carrier = new_message({
        "sender": format_did_key(ed25519.public_key_of(seed)),
        "recipient": recipient,
        "protocol": PROTOCOL,
        "messageType": MESSAGE_TYPE,
        "payload": {"digest": digest_of(covered)},
    })
    proven = prove_message(carrier, seed, {"created": format_time(now_ms())})
    metadata = {**message.get("metadata", {}), URI: proven}
    return {**covered, "message": {**message, "metadata": metadata}}


async def verify_request(request, verifier):
    """Verifies a request. Returns the DID of the signer, or raises an error."""
    covered, proof = read_covered(request)
    if proof is None:
        raise CommError("proof_missing", "request has no proof")
    try:
        carrier = parse_message(canonicalize(proof))
    except CommError as error:
        raise CommError("proof_invalid", str(error)) from error
    expected = {"digest": digest_of(covered)}
    terms = (carrier["protocol"], carrier["messageType"], carrier["payload"])
    if terms != (PROTOCOL, MESSAGE_TYPE, expected):
        raise CommError("proof_invalid", "not for this request")
    await verifier.verify(carrier)
    return carrier["sender"]


def digest_of(covered):
    return "sha-256:" + hashlib.sha256(canonicalize(covered).encode()).hexdigest()


def read_covered(request):
    """Returns the members that the digest covers, and the proof."""
    covered = read_members(request, REQUEST)
    message = covered.get("message")
    if message is None or not {"messageId", "role", "parts"} <= message.keys():
        raise invalid("message")
    metadata = dict(message.pop("metadata", {}))
    proof = metadata.pop(URI, None)
    if metadata:
        message["metadata"] = metadata
    return covered, proof


# Readers of ProtoJSON. A reader returns None if the member is absent or has its default value.


def text(value):
    if not isinstance(value, str):
        raise invalid("string")
    return value or None


def flag(value):
    if not isinstance(value, bool):
        raise invalid("boolean")
    return value or None


def whole(value):
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,15}", value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != int(value):
        raise invalid("integer")
    return int(value)


def texts(value):
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise invalid("list of strings")
    return value or None


def struct(value):
    if not isinstance(value, dict):
        raise invalid("metadata")
    return value or None


ROLES = ("ROLE_UNSPECIFIED", "ROLE_USER", "ROLE_AGENT")


def role(value):
    if isinstance(value, int) and 0 <= value < len(ROLES):
        value = ROLES[value]
    if value not in ROLES[1:]:
        raise invalid("role")
    return value


def content(value):
    if not isinstance(value, str):
        raise invalid("content")
    return value


def raw(value):
    """Returns bytes in standard base64 with padding and zero bits after the last byte."""
    digits = content(value).replace("-", "+").replace("_", "/").rstrip("=")
    if not re.fullmatch(r"[A-Za-z0-9+/]*", digits) or len(digits) % 4 == 1:
        raise invalid("base64")
    return base64.b64encode(base64.b64decode(digits + "=" * (-len(digits) % 4))).decode()


def parts(value):
    if not isinstance(value, list) or not value:
        raise invalid("parts")
    return [read_part(item) for item in value]


def read_part(value):
    part = read_members(value, PART)
    contents = [name for name in ("text", "raw", "url", "data") if name in part]
    if not contents and "data" in value:
        return {**part, "data": None}
    if len(contents) != 1:
        raise invalid("content of a part")
    return part


def nested(fields):
    return lambda value: read_members(value, fields) or None


def read_members(value, fields):
    """Reads the members that the protocol defines, by either of their names."""
    if not isinstance(value, dict):
        raise invalid("object")
    found = {}
    for name, read in fields.items():
        member = value.get(name)
        if member is None:
            member = value.get(re.sub("[A-Z]", lambda match: "_" + match.group().lower(), name))
        result = None if member is None else read(member)
        if result is not None:
            found[name] = result
    return found


PART = {
    "text": content,
    "raw": raw,
    "url": content,
    "data": lambda value: value,
    "filename": text,
    "mediaType": text,
    "metadata": struct,
}
MESSAGE = {
    "messageId": text,
    "contextId": text,
    "taskId": text,
    "role": role,
    "parts": parts,
    "metadata": struct,
    "extensions": texts,
    "referenceTaskIds": texts,
}
AUTHENTICATION = {"scheme": text, "credentials": text}
PUSH = {
    "tenant": text,
    "id": text,
    "taskId": text,
    "url": text,
    "token": text,
    "authentication": nested(AUTHENTICATION),
}
CONFIGURATION = {
    "acceptedOutputModes": texts,
    "taskPushNotificationConfig": nested(PUSH),
    "historyLength": whole,
    "returnImmediately": flag,
}
REQUEST = {
    "tenant": text,
    "message": nested(MESSAGE),
    "configuration": nested(CONFIGURATION),
    "metadata": struct,
}


def invalid(what):
    return CommError("invalid_message", "%s is not valid" % what)
