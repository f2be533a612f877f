"""Creates and parses messages, and creates replies."""

import copy
import os
import re

from .canonical_json import canonicalize, format_text
from .dids import is_did
from .errors import CommError
from .strict_json import parse_json
from .timestamps import format_time, now_ms, read_time

REQUIRED = ("id", "sender", "recipient", "protocol", "messageType", "timestamp")
OPTIONAL = ("correlationId", "replyTo", "signature")


def new_message(init):
    """Creates a message from the given members, with defaults for the others.

    The member `extensions` contains further members.
    """
    extensions = init.get("extensions") or {}
    taken = [name for name in extensions if name in (*REQUIRED, *OPTIONAL, "payload")]
    if taken:
        raise CommError("invalid_message", "%s is a member of messages" % taken[0])
    members = {name: value for name, value in init.items() if name != "extensions"}
    given = {name: value for name, value in members.items() if value is not None or name == "payload"}
    given.update(extensions)
    # Later changes to the caller's values must not change the message.
    message = copy.deepcopy(given)
    message.setdefault("timestamp", format_time(now_ms()))
    message.setdefault("id", uuid_v7(read_time(message["timestamp"]) or 0))
    return check_message(message)


def parse_message(data):
    """Parses a message from its JSON text."""
    value = parse_json(data)
    if not isinstance(value, dict):
        raise CommError("invalid_message", "message is not an object")
    return check_message({n: v for n, v in value.items() if v is not None or n not in OPTIONAL})


def invalid_member(name, reason):
    """Creates an error that names the member of a message."""
    return CommError("invalid_message", "%s %s" % (name, reason), {"field": name})


def check_message(message):
    for name in REQUIRED + OPTIONAL:
        value = message.get(name)
        if (name in REQUIRED or name in message) and (not isinstance(value, str) or value == ""):
            raise invalid_member(name, "is not a string")
        if name in message:
            format_text(message[name])
    if "payload" not in message:
        raise invalid_member("payload", "is missing")
    for name in ("sender", "recipient"):
        if not is_did(message[name]):
            raise invalid_member(name, "is not a valid DID")
    if read_time(message["timestamp"]) is None:
        raise invalid_member("timestamp", "is not an RFC 3339 time")
    # Checks the nesting depth. The envelope counts as the first level.
    canonicalize(message)
    return message


def reply_to(original, message_type, payload, signature=None):
    """Creates the reply to a message."""
    init = {
        "sender": original["recipient"],
        "recipient": original["sender"],
        "protocol": original["protocol"],
        "messageType": message_type,
        "payload": payload,
        "correlationId": original["id"],
        "replyTo": original["id"],
    }
    return new_message(init if signature is None else {**init, "signature": signature})


def uuid_v7(milliseconds):
    """Creates an id that contains the current time (UUID version 7, RFC 9562 section 5.7)."""
    number = (max(0, milliseconds) << 80) | int.from_bytes(os.urandom(10), "big")
    number = (number & ~(0xF << 76)) | (7 << 76)
    number = (number & ~(3 << 62)) | (2 << 62)
    text = "%032x" % number
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


UUID_V7 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.I)


def read_uuid_time(text):
    """Returns the time in a version 7 id, or None for any other id."""
    return int(text[:8] + text[9:13], 16) if UUID_V7.fullmatch(text) else None
