"""Reads the keys in DID documents."""

from .dids import read_jwk, read_multikey
from .encodings import read_base58
from .errors import CommError

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


async def sender_keys(did, resolve):
    """Returns the Ed25519 authentication keys of a DID, as pairs of id and bytes."""
    document = await resolve(did)
    if not isinstance(document, dict) or document.get("id") != did:
        raise CommError("did_resolution_failed", "document is for a different DID")
    methods = authorized_methods(document, did)
    if not methods:
        raise CommError("key_not_found", did)
    if not any(encoding_of(method) for _, method in methods):
        raise CommError("key_unsupported", did)
    read = [(key_id, read_method(method)) for key_id, method in methods]
    keys = [(key_id, key) for key_id, key in read if key is not None]
    if not keys:
        raise CommError("key_not_found", did)
    return keys[:MAX_KEYS]


def authorized_methods(document, did):
    """Returns the verification methods in `authentication`, referenced or embedded."""
    listed = [m for m in list_of(document, "verificationMethod") if isinstance(m, dict)]
    if len(listed) > MAX_METHODS:
        raise CommError("key_not_found", "more than %d verification methods" % MAX_METHODS)
    by_id = {absolute(method.get("id"), did): method for method in listed}
    if len(by_id) < len(listed):
        raise CommError("key_not_found", "verification methods have duplicate ids")
    entries = list_of(document, "authentication")[:MAX_METHODS]
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
