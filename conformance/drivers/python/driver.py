#!/usr/bin/env python3
"""A driver for the comm operations, on Python's standard library and python3-cryptography.

    parley-kit run --driver "python3 driver.py" --lib comm

It answers the driver protocol of PROTOCOL.md: one JSON object per line on standard input and output.
"""

import json
import sys
import traceback

import envelope as comm


def canonicalize(args):
    if "float64Hex" in args:
        return text_and_bytes(comm.canonicalize(comm.read_double(bytes.fromhex(args["float64Hex"]))))
    return text_and_bytes(comm.canonicalize(comm.parse_json(args["text"])))


def text_and_bytes(text):
    return {"text": text, "utf8Hex": text.encode().hex()}


def ed25519_sign(args):
    key = comm.Ed25519PrivateKey.from_private_bytes(bytes.fromhex(args["seedHex"]))
    signature = key.sign(bytes.fromhex(args["messageHex"]))
    public_key = comm.raw_bytes(key.public_key())
    return {"publicKeyHex": public_key.hex(), "signatureHex": signature.hex()}


def ed25519_verify(args):
    key, data, signature = (bytes.fromhex(args[n]) for n in ("publicKeyHex", "messageHex", "signatureHex"))
    return {"valid": comm.verify(key, data, signature)}


def did_decode(args):
    did = args["did"]
    key = comm.parse_did_jwk(did) if did.startswith("did:jwk:") else comm.parse_did_key(did)
    return {"publicKeyHex": key.hex()}


def message_decode(args):
    data = bytes.fromhex(args["textHex"]) if "textHex" in args else args["text"]
    return {"message": comm.parse_message(data)}


def message_equals(args):
    one, other = (comm.canonicalize(comm.parse_message(args[n])) for n in ("aText", "bText"))
    return {"equal": one == other}


def message_reply(args):
    original = comm.parse_message(args["messageText"])
    answer = comm.reply_to(original, args["messageType"], args["payload"], args.get("signature"))
    return {"message": answer}


def message_verify(args):
    message = comm.parse_message(args["messageText"])
    try:
        key_id = comm.verify_message(
            message, args.get("didDocuments", {}), args.get("didMetadata", {}), args.get("recipient")
        )
    except comm.CommError as error:
        return {"valid": False, "reason": error.code}
    return {"valid": True, "keyId": key_id, "covered": list(comm.SIGNED)}


OPS = {
    "comm.canonicalize": canonicalize,
    "comm.ed25519.sign": ed25519_sign,
    "comm.ed25519.verify": ed25519_verify,
    "comm.did.encode": lambda args: {"did": comm.format_did_key(bytes.fromhex(args["publicKeyHex"]))},
    "comm.did.decode": did_decode,
    "comm.protocol.parse": lambda args: comm.parse_protocol(args["text"]),
    "comm.message.new": lambda args: {"message": comm.new_message(args["init"])},
    "comm.message.decode": message_decode,
    "comm.message.equals": message_equals,
    "comm.message.reply": message_reply,
    "comm.message.payload": lambda args: text_and_bytes(
        comm.signing_payload(comm.parse_message(args["messageText"]))
    ),
    "comm.message.sign": lambda args: {
        "message": comm.sign_message(comm.parse_message(args["messageText"]), bytes.fromhex(args["seedHex"]))
    },
    "comm.message.verify": message_verify,
    "comm.negotiate": lambda args: {
        "accept": comm.negotiate(args["offer"], args["supported"], args["responderDid"])
    },
}


def run(name, args):
    """One operation, as the result that the protocol wants."""
    op = OPS.get(name)
    if op is None:
        return {"unsupported": {"reason": "no operation %s" % name}}
    try:
        return {"ok": op(args)}
    except comm.CommError as error:
        return {"error": {"code": error.code, "message": str(error), "data": error.data}}
    except Exception as error:  # whatever else happens is a fault, and the kit has to hear of it
        return {"fault": {"message": repr(error), "trace": traceback.format_exc()}}


def main():
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            write({
                "type": "hello",
                "protocol": 1,
                "implementation": {"name": "envelope.py", "version": "0.1.0", "language": "python"},
                "ops": sorted(OPS),
                "features": {"comm.did.jwk": True},
            })
        elif message["type"] == "op":
            write({"type": "result", "seq": message["seq"], **run(message["op"], message["args"])})
        elif message["type"] == "bye":
            return


def write(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
