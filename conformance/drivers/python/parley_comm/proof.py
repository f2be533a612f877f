"""Proofs for whole messages (W3C Data Integrity, cryptosuite eddsa-jcs-2022)."""

import hashlib

from . import ed25519
from .canonical_json import canonicalize
from .documents import sender_keys
from .dids import format_did_key
from .encodings import format_base58, read_base58
from .errors import CommError
from .signing import check_recipient
from .timestamps import read_time

PURPOSE = "authentication"


MAX_PROOFS = 8


def prove_message(message, seed, options):
    """Returns a copy of the message with a proof made with the sender's did:key.

    The options are the members created, expires and challenge of the proof.
    """
    sender = message["sender"]
    if sender != format_did_key(ed25519.public_key_of(seed)):
        raise CommError("invalid_argument", "seed does not match the sender's did:key")
    document = without_proof(message)
    config = {
        "type": "DataIntegrityProof",
        "cryptosuite": "eddsa-jcs-2022",
        "verificationMethod": "%s#%s" % (sender, sender[len("did:key:") :]),
        "proofPurpose": PURPOSE,
        "domain": message["recipient"],
        **options,
    }
    if "@context" in document:
        config["@context"] = document["@context"]
    value = "z" + format_base58(ed25519.sign(seed, sha256(config) + sha256(document)))
    return {**document, "proof": {**config, "proofValue": value}}


async def verify_proof(
    message, resolve, now, recipient=None, clock_skew=60_000, challenge=None
):
    """Verifies all proofs. Returns the id of the first proof's key, or raises an error."""
    check_recipient(message, recipient)
    if "proof" not in message:
        raise CommError("proof_missing", "message has no proof")
    proofs = as_list(message["proof"])
    if not 1 <= len(proofs) <= MAX_PROOFS:
        raise CommError("proof_invalid", "expected 1 to %d proofs" % MAX_PROOFS)
    prepared = [prepare(each, message, now, clock_skew) for each in proofs]
    for each in proofs:
        if challenge is not None and each.get("challenge") != challenge:
            raise CommError("proof_invalid", "challenge does not match")
    for key_id, signature, data in prepared:
        [(_, key)] = await sender_keys(message["sender"], resolve, now, key_id)
        if not ed25519.verify(key, data, signature):
            raise CommError("proof_invalid", "proof does not match the message")
    return prepared[0][0]


def prepare(proof, message, now, clock_skew):
    """Checks all of a proof but its signature. Returns the key id, the signature and its data."""
    if not isinstance(proof, dict):
        raise CommError("proof_invalid", "proof is not an object")
    config = {name: value for name, value in proof.items() if name != "proofValue"}
    document = without_proof(message)
    signature = read_proof_value(proof.get("proofValue"))
    check_config(config, message["recipient"])
    check_times(config, now, clock_skew)
    # vc-di-eddsa §3.3.4: the hash of the configuration, followed by the hash of the document.
    data = sha256(config) + sha256(with_context(document, config))
    return config["verificationMethod"], signature, data


def without_proof(message):
    return {name: value for name, value in message.items() if name != "proof"}


def covered_by_proof(message):
    """Returns the members that all proofs of a message cover.

    A proof with its own @context does not cover the rest of the message's @context.
    """
    document = without_proof(message)
    for proof in as_list(message.get("proof", [])):
        if with_context(document, proof) != document:
            return [name for name in document if name != "@context"]
    return list(document)


def read_proof_value(value):
    signature = read_base58(value[1:], 64) if isinstance(value, str) and value[:1] == "z" else None
    if signature is None:
        raise CommError("proof_invalid", "proofValue is not 64 bytes in base58btc")
    return signature


def check_config(config, recipient):
    if config.get("type") != "DataIntegrityProof" or config.get("cryptosuite") != "eddsa-jcs-2022":
        raise CommError("proof_invalid", "cryptosuite is not supported")
    if config.get("proofPurpose") != PURPOSE:
        raise CommError("proof_invalid", "proofPurpose is not %s" % PURPOSE)
    if "previousProof" in config:
        raise CommError("proof_invalid", "proof chains are not supported")
    if not isinstance(config.get("verificationMethod"), str):
        raise CommError("proof_invalid", "verificationMethod is missing")
    if config.get("domain", recipient) != recipient:
        raise CommError("proof_invalid", "domain does not match")


def check_times(config, now, clock_skew):
    times = {name: read_time(config[name]) for name in ("created", "expires") if name in config}
    if None in times.values():
        raise CommError("proof_invalid", "created or expires is not an RFC 3339 time")
    if times.get("created", now) > now + clock_skew:
        raise CommError("not_yet_valid", config["created"])
    if times.get("expires", now + 1) <= now:
        raise CommError("expired", config["expires"])


def with_context(document, config):
    """Section 3.3.2: a proof's @context must be a prefix of the document's, and replaces it."""
    if "@context" not in config:
        return document
    expected, actual = as_list(config["@context"]), as_list(document.get("@context", []))
    if canonicalize(actual[: len(expected)]) != canonicalize(expected):
        raise CommError("proof_invalid", "@context does not match the document")
    return {**document, "@context": config["@context"]}


def as_list(value):
    return value if isinstance(value, list) else [value]


def sha256(value):
    return hashlib.sha256(canonicalize(value).encode()).digest()
