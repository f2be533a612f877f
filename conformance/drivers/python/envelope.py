"""Signed messages between agents, after the specification of Parley's comm library.

An implementation of its own, to show that the specification can be met without the other one: the standard library, and
python3-cryptography for Ed25519.
"""

import base64
import datetime
import json
import math
import os
import re
import struct
import time

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

MAX_BYTES = 1024 * 1024
MAX_DEPTH = 128
SIGNED = ("correlationId", "id", "messageType", "payload", "protocol", "recipient", "sender")
REQUIRED = ("id", "sender", "recipient", "protocol", "messageType", "timestamp")
OPTIONAL = ("correlationId", "replyTo", "signature")


class CommError(Exception):
    """A refusal, with the code that the specification gives it."""

    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.code = code
        self.data = data or {}


# Canonical JSON (RFC 8785)


def canonicalize(value, depth=1):
    """The one text of a JSON value."""
    if value is None:
        return "null"
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return format_number(value)
    if isinstance(value, str):
        return format_text(value)
    if depth > MAX_DEPTH:
        raise CommError("too_deep", "more than %d levels" % MAX_DEPTH)
    if isinstance(value, list):
        return "[%s]" % ",".join(canonicalize(item, depth + 1) for item in value)
    names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
    members = ("%s:%s" % (format_text(n), canonicalize(value[n], depth + 1)) for n in names)
    return "{%s}" % ",".join(members)


def format_number(value):
    """A number as ECMAScript writes it: the shortest digits that read back as the same double."""
    value = float(value)
    if not math.isfinite(value):
        raise CommError("serialization_failed", "%r is no number of JSON" % value)
    if value == 0:
        return "0"
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = whole + ("" if fraction == "0" else fraction)
    point = len(whole) + int(exponent or 0) - (len(digits) - len(digits.lstrip("0")))
    digits = digits.strip("0")
    count = len(digits)
    if count <= point <= 21:
        text = digits + "0" * (point - count)
    elif 0 < point <= 21:
        text = digits[:point] + "." + digits[point:]
    elif -6 < point <= 0:
        text = "0." + "0" * -point + digits
    else:
        tail = "." + digits[1:] if count > 1 else ""
        text = "%s%se%+d" % (digits[0], tail, point - 1)
    return "-" + text if value < 0 else text


ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def format_text(text):
    """A string in quotes, with no escape that is not needed."""
    if any(0xD800 <= ord(c) <= 0xDFFF for c in text):
        raise CommError("invalid_unicode", "a surrogate without its partner")
    return '"%s"' % "".join(ESCAPES.get(c) or ("\\u%04x" % ord(c) if c < " " else c) for c in text)


# Strict JSON


def parse_json(data):
    """Reads JSON from text or bytes; refuses what two readers could take for two values."""
    size = len(data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        raise CommError("message_too_large", "%d bytes" % size)
    if isinstance(data, bytes):
        try:
            data = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise CommError("invalid_unicode", str(error)) from error
    return Reader(data).read()


NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
SPACE = re.compile(r"[ \t\n\r]*")
NAMES = {"true": True, "false": False, "null": None}


class Reader:
    """A reader of one JSON text; it knows where it stands."""

    def __init__(self, text):
        self.text = text
        self.at = 0

    def read(self):
        value = self.value("", 1)
        self.skip()
        if self.at < len(self.text):
            raise self.unexpected()
        return value

    def value(self, path, depth):
        self.skip()
        start = self.text[self.at : self.at + 1]
        if start in ("{", "["):
            if depth > MAX_DEPTH:
                raise CommError("too_deep", "more than %d levels" % MAX_DEPTH, {"offset": self.at})
            return self.members(path, depth) if start == "{" else self.items(path, depth)
        if start == '"':
            return self.string(path)
        for name, value in NAMES.items():
            if self.text.startswith(name, self.at):
                self.at += len(name)
                return value
        return self.number(path)

    def members(self, path, depth):
        found = {}
        while self.separate("{", "}", not found):
            self.skip()
            start = self.at
            if self.text[start : start + 1] != '"':
                raise self.unexpected()
            name = self.string(path)
            place = "%s/%s" % (path, name.replace("~", "~0").replace("/", "~1"))
            if name in found:
                raise CommError("duplicate_member", name, {"path": place, "offset": start})
            self.expect(":")
            found[name] = self.value(place, depth + 1)
        return found

    def items(self, path, depth):
        found = []
        while self.separate("[", "]", not found):
            found.append(self.value("%s/%d" % (path, len(found)), depth + 1))
        return found

    def separate(self, opening, closing, is_first):
        """Whether another item follows."""
        if is_first:
            self.expect(opening)
        self.skip()
        if self.text[self.at : self.at + 1] == closing:
            self.at += 1
            return False
        if not is_first:
            self.expect(",")
        return True

    def string(self, path):
        start = self.at
        try:
            value, self.at = json.decoder.scanstring(self.text, start + 1, True)
            format_text(value)
        except json.JSONDecodeError as error:
            self.at = error.pos
            raise self.unexpected() from error
        except CommError as error:
            raise CommError(error.code, str(error), {"path": path, "offset": start}) from error
        return value

    def number(self, path):
        match = NUMBER.match(self.text, self.at)
        if match is None:
            raise self.unexpected()
        text, place = match.group(), {"path": path, "offset": self.at}
        self.at = match.end()
        value = float(text)
        if not math.isfinite(value):
            raise CommError("number_out_of_range", text, place)
        if match.group(1) or match.group(2):
            return value if value else 0
        if int(value) != int(text) and format_number(value) != text:
            raise CommError("unsafe_integer", text, place)
        return int(text) if abs(value) < 2**53 else value

    def expect(self, character):
        self.skip()
        if self.text[self.at : self.at + 1] != character:
            raise self.unexpected()
        self.at += 1

    def skip(self):
        self.at = SPACE.match(self.text, self.at).end()

    def unexpected(self):
        return CommError("deserialization_failed", "unexpected text", {"offset": self.at})


# Messages


def new_message(init):
    """A message from the members given, the others by default."""
    message = {name: value for name, value in init.items() if value is not None or name == "payload"}
    moment = time.time_ns() // 1_000_000
    if "timestamp" not in message:
        message["timestamp"] = format_time(moment)
    message.setdefault("id", uuid_v7(parse_time(message["timestamp"])))
    return check_message(message)


def parse_message(data):
    """Reads a message from its JSON text."""
    value = parse_json(data)
    if not isinstance(value, dict):
        raise CommError("invalid_message", "it is no object")
    return check_message({n: v for n, v in value.items() if v is not None or n not in OPTIONAL})


def check_message(message):
    for name in REQUIRED + OPTIONAL:
        value = message.get(name)
        if (name in REQUIRED or name in message) and (not isinstance(value, str) or value == ""):
            raise CommError("invalid_message", "%s is no text" % name)
        if name in message:
            format_text(message[name])
    if "payload" not in message:
        raise CommError("invalid_message", "payload is missing")
    for name in ("sender", "recipient"):
        if not is_did(message[name]):
            raise CommError("invalid_message", "%s is no DID" % name)
    parse_time(message["timestamp"])
    # The envelope is the first of the levels.
    canonicalize(message)
    return message


def reply_to(original, message_type, payload, signature=None):
    """The answer to a message."""
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
    number = (milliseconds << 80) | int.from_bytes(os.urandom(10), "big")
    number = (number & ~(0xF << 76)) | (7 << 76)
    number = (number & ~(3 << 62)) | (2 << 62)
    text = "%032x" % number
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(Z|([+-])(\d\d):(\d\d))", re.ASCII
)


def parse_time(text):
    """Milliseconds since 1970 of an RFC 3339 time."""
    match = TIME.fullmatch(text)
    if match is None or text.endswith("-00:00"):
        raise CommError("invalid_message", "timestamp is not RFC 3339")
    year, month, day, hour, minute, second = (int(match.group(n)) for n in range(1, 7))
    offset = int(match.group(10) or 0) * 60 + int(match.group(11) or 0)
    if int(match.group(10) or 0) > 23 or int(match.group(11) or 0) > 59:
        raise CommError("invalid_message", "timestamp has no such offset")
    try:
        days = datetime.date(year or 4, month, day).toordinal() - (1461 if year == 0 else 0)
        datetime.time(hour, minute, second)
    except ValueError as error:
        raise CommError("invalid_message", "timestamp: %s" % error) from error
    fraction = int(((match.group(7) or "") + "000")[:3])
    seconds = (days - 719163) * 86400 + hour * 3600 + minute * 60 + second
    return (seconds - (offset if match.group(9) != "-" else -offset) * 60) * 1000 + fraction


def format_time(milliseconds):
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=milliseconds)
    return moment.isoformat(timespec="milliseconds") + "Z"


# Signatures


def signing_payload(message):
    """The canonical text that a signature covers."""
    return canonicalize({name: message[name] for name in SIGNED if name in message})


def raw_bytes(public_key):
    """The 32 bytes of a key; `public_bytes_raw` is not there before cryptography 40."""
    raw = serialization.Encoding.Raw
    return public_key.public_bytes(raw, serialization.PublicFormat.Raw)


def sign_message(message, seed):
    key = Ed25519PrivateKey.from_private_bytes(seed)
    if message["sender"].startswith("did:key:"):
        if message["sender"] != format_did_key(raw_bytes(key.public_key())):
            raise CommError("invalid_argument", "the sender has another key")
    signature = key.sign(signing_payload(message).encode())
    return {**message, "signature": format_base64url(signature)}


def verify_message(message, documents, metadata, recipient=None):
    """The id of the key that made the signature; raises the reason when it is not the sender's."""
    if "signature" not in message:
        raise CommError("signature_missing", "there is none")
    signature = read_base64url(message["signature"])
    if signature is None or len(signature) != 64:
        raise CommError("signature_malformed", "it is not 64 bytes in base64url")
    if recipient is not None and message["recipient"] != recipient:
        raise CommError("recipient_mismatch", message["recipient"])
    data = signing_payload(message).encode()
    for key_id, key in resolve_keys(message["sender"], documents, metadata):
        if verify(key, data, signature):
            return key_id
    raise CommError("signature_invalid", message["sender"])


P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
SMALL_ORDER = {
    0,
    1,
    P - 1,
    int.from_bytes(bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little"),
    int.from_bytes(bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"), "little"),
}


def verify(public_key, data, signature):
    """Ed25519 with the checks of W3C WebCrypto: no small order, nothing but canonical encodings."""
    if len(public_key) != 32 or len(signature) != 64:
        return False
    for point in (public_key, signature[:32]):
        y = int.from_bytes(point, "little") & (2**255 - 1)
        if y >= P or y in SMALL_ORDER:
            return False
    if int.from_bytes(signature[32:], "little") >= L:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, data)
        return True
    except (InvalidSignature, ValueError):
        return False


def format_base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def read_base64url(text):
    """Bytes, or None unless it is the one text for them."""
    if not isinstance(text, str) or not re.fullmatch(r"[A-Za-z0-9_-]*", text) or len(text) % 4 == 1:
        return None
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return data if format_base64url(data) == text else None


# DIDs

DID = re.compile(r"did:[a-z0-9]+:(?:(?:[A-Za-z0-9._-]|%[0-9A-Fa-f]{2})*:)*(?:[A-Za-z0-9._-]|%[0-9A-Fa-f]{2})+")
ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
CODEC = b"\xed\x01"
KEY_LENGTH = 48
MAX_METHODS = 16
MAX_KEYS = 8


def is_did(text):
    return len(text) <= 2048 and DID.fullmatch(text) is not None


def format_did_key(public_key):
    if len(public_key) != 32:
        raise CommError("invalid_argument", "a key has 32 bytes")
    return "did:key:z" + format_base58(CODEC + public_key)


def parse_did_key(did):
    key = read_multikey(did[len("did:key:"):]) if did.startswith("did:key:") else None
    if key is None:
        raise CommError("did_invalid", did[:100])
    return key


def read_multikey(text):
    """The Ed25519 key of a multibase text, or None."""
    if not isinstance(text, str) or len(text) != KEY_LENGTH or text[0] != "z":
        return None
    data = read_base58(text[1:])
    return data[2:] if data is not None and data[:2] == CODEC and len(data) == 34 else None


def format_base58(data):
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = ALPHABET[digit] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text


def read_base58(text):
    number = 0
    for character in text:
        digit = ALPHABET.find(character)
        if digit < 0:
            return None
        number = number * 58 + digit
    data = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return b"\0" * (len(text) - len(text.lstrip("1"))) + data


def resolve_keys(did, documents, metadata):
    """The keys that a DID's document allows for authentication."""
    if did in documents:
        if metadata.get(did, {}).get("deactivated") is True:
            raise CommError("did_deactivated", did)
        return select_keys(documents[did], did)
    method = did.split(":")[1]
    if method == "key":
        return [(did + "#" + did[len("did:key:"):], parse_did_key(did))]
    if method == "jwk":
        return [(did + "#0", parse_did_jwk(did))]
    raise CommError("did_method_unsupported", method)


def parse_did_jwk(did):
    data = read_base64url(did[len("did:jwk:"):])
    if data is None:
        raise CommError("did_invalid", did[:100])
    try:
        jwk = parse_json(data)
    except CommError as error:
        raise CommError("did_invalid", str(error)) from error
    if not isinstance(jwk, dict) or "d" in jwk:
        raise CommError("did_invalid", "no public JWK")
    key = read_jwk(jwk)
    if key is None:
        raise CommError("key_unsupported", str(jwk.get("kty")))
    return key


def read_jwk(jwk):
    if not isinstance(jwk, dict) or "d" in jwk or jwk.get("kty") != "OKP" or jwk.get("crv") != "Ed25519":
        return None
    key = read_base64url(jwk.get("x"))
    return key if key is not None and len(key) == 32 else None


def select_keys(document, did):
    if not isinstance(document, dict) or document.get("id") != did:
        raise CommError("did_resolution_failed", "the document is of another DID")
    methods = document.get("verificationMethod", [])
    if not isinstance(methods, list) or len(methods) > MAX_METHODS:
        raise CommError("did_resolution_failed", "no list of at most %d methods" % MAX_METHODS)
    by_id = {absolute(m.get("id"), did): m for m in methods if isinstance(m, dict)}
    named = document.get("authentication", [])
    entries = [m if isinstance(m, dict) else by_id.get(absolute(m, did)) for m in named]
    usable = [m for m in entries if m is not None and m.get("controller", did) == did
              and absolute(m.get("id"), did).startswith(did + "#")]
    if not usable:
        raise CommError("key_not_found", did)
    read = [(absolute(m.get("id"), did), read_method(m)) for m in usable]
    keys = [(key_id, key) for key_id, key in read if key is not None]
    if not keys:
        raise CommError("key_unsupported", did)
    return keys[:MAX_KEYS]


def absolute(reference, did):
    reference = reference if isinstance(reference, str) else ""
    return did + reference if reference.startswith("#") else reference


def read_method(method):
    """The key of a verification method, or None; encodings that disagree make it useless."""
    kind = method.get("type")
    encodings = {
        "publicKeyMultibase": (("Multikey", "Ed25519VerificationKey2020"), read_multikey),
        "publicKeyJwk": (("JsonWebKey", "JsonWebKey2020"), read_jwk),
        "publicKeyBase58": (("Ed25519VerificationKey2018",), read_short_base58),
    }
    found = [read(method[name]) for name, (_, read) in encodings.items() if name in method]
    fits = any(name in method and kind in kinds for name, (kinds, _) in encodings.items())
    return found[0] if fits and found and all(key == found[0] for key in found) else None


def read_short_base58(text):
    key = read_base58(text) if isinstance(text, str) and len(text) <= 44 else None
    return key if key is not None and len(key) == 32 else None


# Negotiation

PROTOCOL = re.compile(r"([a-z0-9][a-z0-9-]*(?:\.[a-z0-9][a-z0-9-]*)*)\.([a-z0-9][a-z0-9-]*)\.v(0|[1-9][0-9]*)")


def parse_protocol(text):
    match = PROTOCOL.fullmatch(text)
    if match is None or int(match.group(3)) > 2**53 - 1 or len(text) > 256:
        raise CommError("invalid_argument", "no <namespace>.<name>.v<N>")
    return {"namespace": match.group(1), "name": match.group(2), "version": int(match.group(3))}


def negotiate(offer, supported, responder):
    """The first protocol of the offer that the responder supports."""
    for name, value in (("offererDid", offer.get("offererDid")), ("responderDid", responder)):
        if not isinstance(value, str) or not is_did(value):
            raise CommError("invalid_argument", "%s is no DID" % name)
    for protocols in (offer.get("protocols"), supported):
        if not isinstance(protocols, list) or not all(is_protocol(p) for p in protocols):
            raise CommError("invalid_argument", "protocols are texts of 1 to 256 characters")
    chosen = next((p for p in offer["protocols"] if p in supported), None)
    if chosen is None:
        raise CommError("no_common_protocol", "nothing in common")
    moment = format_time(time.time_ns() // 1_000_000)
    return {"accepterDid": responder, "selectedProtocol": chosen, "timestamp": moment}


def is_protocol(value):
    return isinstance(value, str) and 0 < len(value) <= 256


def read_double(data):
    return struct.unpack(">d", data)[0]
