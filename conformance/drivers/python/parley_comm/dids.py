"""DIDs, and the documents of did:key and did:jwk."""

import re

from .encodings import format_base58, read_base58, read_base64url
from .errors import CommError
from .strict_json import parse_json

CHARACTER = r"(?:[A-Za-z0-9._-]|%[0-9A-Fa-f]{2})"
DID = re.compile(r"did:([a-z0-9]+):((?:{0}*:)*{0}+)".format(CHARACTER))
ED25519_CODEC = b"\xed\x01"
SIGNING = (
    "authentication",
    "assertionMethod",
    "capabilityInvocation",
    "capabilityDelegation",
)


def is_did(text):
    """Returns True if a value is a DID without path, query or fragment."""
    return isinstance(text, str) and len(text) <= 2048 and DID.fullmatch(text) is not None


def method_of(did):
    """Returns a DID's method name."""
    return did.split(":", 2)[1]


def format_did_key(public_key):
    """Returns the did:key for an Ed25519 key."""
    if len(public_key) != 32:
        raise CommError("invalid_argument", "key is not 32 bytes")
    return "did:key:z" + format_base58(ED25519_CODEC + public_key)


def parse_did_key(did):
    """Returns the Ed25519 key in a did:key."""
    key = read_multikey(did[len("did:key:") :]) if did.startswith("did:key:") else None
    if key is None:
        raise CommError("did_invalid", did[:100])
    return key


def read_multikey(text):
    """Returns the Ed25519 key in a multibase string, or None if the string is invalid."""
    if not isinstance(text, str) or not text.startswith("z"):
        return None
    data = read_base58(text[1:], len(ED25519_CODEC) + 32)
    return data[2:] if data is not None and data.startswith(ED25519_CODEC) else None


def read_jwk(jwk):
    """Returns the Ed25519 key in a public JSON Web Key, or None if the JWK is unsuitable."""
    if not isinstance(jwk, dict) or "d" in jwk or jwk.get("use", "sig") != "sig":
        return None
    if jwk.get("kty") != "OKP" or jwk.get("crv") != "Ed25519":
        return None
    key = read_base64url(jwk.get("x"))
    return key if key is not None and len(key) == 32 else None


async def resolve_offline(did):
    """Creates the DID document for a did:key or did:jwk."""
    if not is_did(did):
        raise CommError("did_invalid", did[:100])
    if method_of(did) == "key":
        parse_did_key(did)
        multikey = did[len("did:key:") :]
        key = {"type": "Multikey", "publicKeyMultibase": multikey}
        return document_of(did, multikey, key, "https://w3id.org/security/multikey/v1", SIGNING)
    if method_of(did) == "jwk":
        jwk = parse_jwk(did)
        key = {"type": "JsonWebKey2020", "publicKeyJwk": jwk}
        context = "https://w3id.org/security/suites/jws-2020/v1"
        return document_of(did, "0", key, context, relationships_of(jwk))
    raise CommError("did_method_unsupported", method_of(did))


def parse_jwk(did):
    data = read_base64url(did[len("did:jwk:") :])
    if data is None:
        raise CommError("did_invalid", did[:100])
    try:
        jwk = parse_json(data)
    except CommError as error:
        raise CommError("did_invalid", str(error)) from error
    if not isinstance(jwk, dict) or "d" in jwk:
        raise CommError("did_invalid", "not a public JWK")
    return jwk


def relationships_of(jwk):
    """Returns the verification relationships of a JSON Web Key."""
    if jwk.get("use") == "enc":
        return ("keyAgreement",)
    is_signing_key = jwk.get("use") == "sig" or jwk.get("crv") in ("Ed25519", "Ed448")
    return SIGNING if is_signing_key else (*SIGNING, "keyAgreement")


def document_of(did, fragment, key, context, relationships):
    method = {"id": did + "#" + fragment, "controller": did, **key}
    return {
        "@context": ["https://www.w3.org/ns/did/v1", context],
        "id": did,
        "verificationMethod": [method],
        **{name: [method["id"]] for name in relationships},
    }
