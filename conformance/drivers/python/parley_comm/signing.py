"""Message signatures."""

from . import ed25519
from .canonical_json import canonicalize
from .dids import format_did_key, method_of
from .documents import sender_keys
from .encodings import format_base64url, read_base64url
from .errors import CommError

SIGNED = ("correlationId", "id", "messageType", "payload", "protocol", "recipient", "sender")


def signing_payload(message):
    """Returns the canonical JSON text that a signature covers."""
    return canonicalize({name: message[name] for name in SIGNED if name in message})


def sign_message(message, seed):
    """Returns a copy of the message with a signature made with the sender's key."""
    if method_of(message["sender"]) == "key":
        if message["sender"] != format_did_key(ed25519.public_key_of(seed)):
            raise CommError("invalid_argument", "seed does not match the sender's did:key")
    signature = ed25519.sign(seed, signing_payload(message).encode())
    return {**message, "signature": format_base64url(signature)}


def check_recipient(message, recipient):
    """Rejects a message for a different recipient. None accepts any recipient."""
    if recipient is not None and message["recipient"] != recipient:
        raise CommError("recipient_mismatch", message["recipient"])


async def verify_message(message, resolve, recipient=None, now=None):
    """Verifies a signature. Returns the id of the sender's key, or raises an error.

    `now` is the time in milliseconds; the default is the current time.
    """
    check_recipient(message, recipient)
    if "signature" not in message:
        raise CommError("signature_missing", "message has no signature")
    signature = read_base64url(message["signature"])
    if signature is None or len(signature) != 64:
        raise CommError("signature_malformed", "signature is not 64 bytes in base64url")
    data = signing_payload(message).encode()
    for key_id, key in await sender_keys(message["sender"], resolve, now):
        if ed25519.verify(key, data, signature):
            return key_id
    raise CommError("signature_invalid", message["sender"])
