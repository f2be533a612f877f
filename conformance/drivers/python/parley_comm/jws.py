"""Detached signatures of JSON objects (RFC 7515, appendix F)."""

import re

from . import ed25519
from .canonical_json import canonicalize
from .dids import format_did_key, is_did
from .documents import sender_keys
from .encodings import format_base64url, read_base64url
from .errors import CommError
from .strict_json import parse_json

MAX_HEADER = 8192
RELATIONSHIP = "assertionMethod"
ALGORITHMS = ("EdDSA", "Ed25519")
TYPES = ("jose", "jose+json", "application/jose", "application/jose+json")
FRAGMENT = re.compile(r"(?:[A-Za-z0-9_.~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})+")


def sign_json(value, seed, did=None, key_id=None, exclude=()):
    """Returns the signature of an object. The default key is the did:key of the seed."""
    if did is None:
        did = format_did_key(ed25519.public_key_of(seed))
        key_id = "%s#%s" % (did, did[len("did:key:") :])
    header = {"alg": "EdDSA", "kid": key_id, "typ": "JOSE"}
    encoded = format_base64url(canonicalize(header).encode())
    signature = ed25519.sign(seed, signing_input(encoded, value, exclude))
    return {"protected": encoded, "signature": format_base64url(signature)}


async def verify_json(
    value, jws, resolve, now=None, exclude=(), signer=None, relationship=RELATIONSHIP
):
    """Verifies a signature. Returns the DID and the id of the key, or raises an error."""
    header, signature = read_jws(jws)
    check_terms(header)
    key_id = header.get("kid")
    did = did_of_key(key_id)
    if signer is not None and signer != did:
        raise CommError("signer_mismatch", did)
    data = signing_input(jws["protected"], value, exclude)
    [(_, key)] = await sender_keys(did, resolve, now, key_id, relationship)
    if not ed25519.verify(key, data, signature):
        raise CommError("signature_invalid", did)
    return did, key_id


def signing_input(encoded_header, value, exclude):
    """RFC 7515 section 5.1: the header, a period and the payload, which is canonical JSON."""
    covered = {name: member for name, member in value.items() if name not in exclude}
    payload = format_base64url(canonicalize(covered).encode())
    return ("%s.%s" % (encoded_header, payload)).encode()


def read_jws(jws):
    """Returns the protected header and the bytes of the signature."""
    if not isinstance(jws, dict) or "payload" in jws or "signatures" in jws:
        raise malformed("not a detached signature")
    encoded = jws.get("protected")
    if not isinstance(encoded, str) or len(encoded) > MAX_HEADER:
        raise malformed("protected header is missing or too long")
    data, signature = read_base64url(encoded), read_base64url(jws.get("signature"))
    if data is None or signature is None or len(signature) != 64:
        raise malformed("not canonical base64url")
    header = read_header(data)
    unprotected = jws.get("header", {})
    if not isinstance(unprotected, dict) or "crit" in unprotected or header.keys() & unprotected:
        raise malformed("unprotected header is not valid")
    return header, signature


def read_header(data):
    try:
        header = parse_json(data)
    except CommError as error:
        raise malformed(str(error)) from error
    if not isinstance(header, dict):
        raise malformed("header is not an object")
    return header


def check_terms(header):
    kind = header.get("typ", "JOSE")
    if header.get("alg") not in ALGORITHMS or "crit" in header or "b64" in header:
        raise unsupported("alg, crit or b64")
    if not isinstance(kind, str) or kind.lower() not in TYPES:
        raise unsupported("typ")


def did_of_key(key_id):
    """Returns the DID of a DID URL that consists of a DID and a fragment."""
    did, found, fragment = key_id.partition("#") if isinstance(key_id, str) else ("", "", "")
    if not is_did(did) or not found or not FRAGMENT.fullmatch(fragment):
        raise unsupported("kid")
    return did


def malformed(reason):
    return CommError("signature_malformed", reason)


def unsupported(reason):
    return CommError("signature_unsupported", reason)
