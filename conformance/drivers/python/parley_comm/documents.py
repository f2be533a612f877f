"""Reads the keys in DID documents."""

import math

from .dids import read_jwk, read_multikey
from .encodings import read_base58
from .errors import CommError
from .timestamps import now_ms, read_time

MAX_METHODS = 16
MAX_KEYS = 8
ENCODINGS = {
    "publicKeyMultibase": read_multikey,
    "publicKeyJwk": read_jwk,
    "publicKeyBase58": lambda text: read_base58(text, 32),
}
ENCODING_OF_TYPE = {
    "Multikey": "publicKeyMultibase",
    "Ed25519VerificationKey2020": "publicKeyMultibase",
    "JsonWebKey": "publicKeyJwk",
    "JsonWebKey2020": "publicKeyJwk",
    "Ed25519VerificationKey2018": "publicKeyBase58",
}
PRIVATE = ("privateKeyJwk", "privateKeyMultibase", "secretKeyMultibase", "privateKeyBase58")


async def sender_keys(did, resolve, now=None, key_id=None, relationship="authentication"):
    """Returns the valid Ed25519 keys of a DID for a relationship, as pairs of id and bytes.

    `now` is the time in milliseconds; the default is the current time. With `key_id`, only this key
    is returned.
    """
    now = now_ms() if now is None else now
    document = await resolve(did)
    if not isinstance(document, dict) or document.get("id") != did:
        raise CommError("did_resolution_failed", "document is for a different DID")
    methods = authorized_methods(document, did, relationship)
    if not methods:
        raise CommError("key_not_found", did)
    if not any(encoding_of(method) for _, method in methods):
        raise CommError("key_unsupported", did)
    readable = [(found, key, m) for found, m in methods if (key := read_method(m)) is not None]
    named = [entry for entry in readable if key_id in (None, entry[0])]
    if not named:
        raise CommError("key_not_found", did)
    ends = [key_end(method) for _, _, method in named]
    keys = [(found, key) for (found, key, _), (at, _) in zip(named, ends) if now < at]
    if not keys:
        raise CommError(ends[0][1], did)
    return keys[:MAX_KEYS]


def key_end(method):
    """Returns the time from which a key must not be used, and the code of the error."""
    codes = (("revoked", "key_revoked"), ("expires", "key_expired"))
    ends = [(end_of(method[name]), code) for name, code in codes if name in method]
    return min(ends, key=lambda end: end[0], default=(math.inf, ""))


def end_of(text):
    time = read_time(text)
    return -math.inf if time is None else time


def authorized_methods(document, did, relationship):
    """Returns the verification methods of a relationship, referenced or embedded."""
    listed = [m for m in list_of(document, "verificationMethod") if isinstance(m, dict)]
    entries = list_of(document, relationship)
    every = listed + [entry for entry in entries if isinstance(entry, dict)]
    if len(every) > MAX_METHODS or len(entries) > MAX_METHODS:
        raise CommError("key_not_found", "more than %d verification methods" % MAX_METHODS)
    by_id = {absolute(method.get("id"), did): method for method in every}
    if len(by_id) < len(every):
        raise CommError("key_not_found", "verification methods have duplicate ids")
    methods = [e if isinstance(e, dict) else by_id.get(absolute(e, did)) for e in entries]
    found = [(absolute(m.get("id"), did), m) for m in methods if m is not None]
    return [
        (key_id, method)
        for key_id, method in found
        if key_id.startswith(did + "#") and method.get("controller") == did
    ]


def list_of(document, name):
    value = document.get(name)
    return value if isinstance(value, list) else []


def absolute(reference, did):
    """Resolves a relative DID URL such as `#key-1` (DID Core section 3.2.2)."""
    reference = reference if isinstance(reference, str) else ""
    return did + reference if reference.startswith("#") else reference


def encoding_of(method):
    """Returns the member that contains a verification method's key, or None for unknown types."""
    kind = method.get("type")
    return ENCODING_OF_TYPE.get(kind) if isinstance(kind, str) else None


def read_method(method):
    """Returns a verification method's key. Returns None if its encodings contradict each other."""
    encoding = encoding_of(method)
    if encoding not in method or any(name in method for name in PRIVATE):
        return None
    found = [read(method[name]) for name, read in ENCODINGS.items() if name in method]
    return found[0] if all(key == found[0] for key in found) else None
