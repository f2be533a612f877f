"""Driver for signed messages, built from a canonicalizer, a signature library and a base58 library."""

import base64
import json
import struct

import base58
import rfc8785
from driver_protocol import Rejected, Unsupported, serve
from nacl.exceptions import BadSignatureError, CryptoError
from nacl.signing import SigningKey, VerifyKey

DID_KEY = "did:key:"
ED25519_CODEC = b"\xed\x01"
SIGNED = ("id", "correlationId", "sender", "recipient", "protocol", "messageType", "payload")


def text_and_bytes(data):
    return {"text": data.decode(), "utf8Hex": data.hex()}


def canonical(value):
    """Returns the canonical JSON of a value."""
    try:
        return rfc8785.dumps(value)
    except ValueError as error:  # The base class of CanonicalizationError and of UnicodeEncodeError.
        raise Rejected("canonicalization_failed", str(error)) from error


def canonicalize(op):
    if "float64Hex" in op.args:
        [number] = struct.unpack(">d", bytes.fromhex(op.args["float64Hex"]))
        return text_and_bytes(canonical(number))
    return text_and_bytes(canonical(read_json(op.args["text"])))


def read_json(text):
    try:
        return json.loads(text)
    except ValueError as error:
        raise Rejected("invalid_argument", str(error)) from error


def sign_bytes(op):
    key = SigningKey(bytes.fromhex(op.args["seedHex"]))
    signature = key.sign(bytes.fromhex(op.args["messageHex"])).signature
    return {"publicKeyHex": bytes(key.verify_key).hex(), "signatureHex": signature.hex()}


def verify_bytes(op):
    names = ("publicKeyHex", "messageHex", "signatureHex")
    return {"valid": is_valid(*(bytes.fromhex(op.args[name]) for name in names))}


def is_valid(key, data, signature):
    try:
        VerifyKey(key).verify(data, signature)
    except (BadSignatureError, CryptoError, ValueError):
        return False
    return True


def encode_did(key):
    return DID_KEY + "z" + base58.b58encode(ED25519_CODEC + key).decode()


def decode_did(did):
    """Returns the Ed25519 key of a did:key."""
    if not did.startswith(DID_KEY + "z"):
        raise Rejected("did_invalid", "not a did:key in base58btc")
    try:
        data = base58.b58decode(did[len(DID_KEY) + 1 :])
    except ValueError as error:
        raise Rejected("did_invalid", str(error)) from error
    if not data.startswith(ED25519_CODEC) or len(data) != len(ED25519_CODEC) + 32:
        raise Rejected("did_invalid", "not an Ed25519 key")
    return data[len(ED25519_CODEC) :]


def payload(message):
    """Returns the canonical JSON that a signature covers."""
    return canonical({
        name: message[name]
        for name in SIGNED
        if name in message and (name == "payload" or message[name] is not None)
    })


def sign_message(op):
    message = read_json(op.args["messageText"])
    signature = SigningKey(bytes.fromhex(op.args["seedHex"])).sign(payload(message)).signature
    encoded = base64.urlsafe_b64encode(signature).rstrip(b"=").decode()
    return {"message": {**message, "signature": encoded}}


def verify_message(op):
    if "didDocuments" in op.args:
        raise Unsupported("a sender is a did:key")
    message = read_json(op.args["messageText"])
    if "recipient" in op.args and op.args["recipient"] != message["recipient"]:
        return invalid("recipient_mismatch")
    if message.get("signature") is None:
        return invalid("signature_missing")
    if not message["sender"].startswith(DID_KEY):
        return invalid("did_method_unsupported")
    try:
        key = decode_did(message["sender"])
    except Rejected as error:
        return invalid(error.code)
    try:
        signature = base64.urlsafe_b64decode(message["signature"] + "==")
    except ValueError:
        return invalid("signature_malformed")
    if not is_valid(key, payload(message), signature):
        return invalid("signature_invalid")
    key_id = message["sender"] + "#" + message["sender"][len(DID_KEY) :]
    covered = [name for name in SIGNED if name in message]
    return {"valid": True, "keyId": key_id, "covered": covered}


def invalid(reason):
    return {"valid": False, "reason": reason}


OPS = {
    "comm.canonicalize": canonicalize,
    "comm.ed25519.sign": sign_bytes,
    "comm.ed25519.verify": verify_bytes,
    "comm.did.encode": lambda op: {"did": encode_did(bytes.fromhex(op.args["publicKeyHex"]))},
    "comm.did.decode": lambda op: {"publicKeyHex": decode_did(op.args["did"]).hex()},
    "comm.message.payload": lambda op: text_and_bytes(payload(read_json(op.args["messageText"]))),
    "comm.message.sign": sign_message,
    "comm.message.verify": verify_message,
}

if __name__ == "__main__":
    implementation = {
        "name": "rfc8785 + PyNaCl + base58",
        "version": "0.1.4, 1.6.2, 2.1.1",
        "language": "python",
    }
    serve(implementation, OPS)
