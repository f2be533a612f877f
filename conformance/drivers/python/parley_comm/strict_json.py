"""Strict JSON parsing: rejects text that parsers can interpret differently."""

import json
import math
import re
import struct

from .canonical_json import MAX_DEPTH, format_number, format_text
from .errors import CommError

MAX_BYTES = 1024 * 1024


def parse_json(data):
    """Parses JSON from text or bytes. Rejects text that parsers can interpret differently."""
    size = len(data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        raise CommError("message_too_large", "%d bytes" % size)
    if isinstance(data, bytes):
        return parse_bytes(data)
    return Reader(data).read()


def parse_bytes(data):
    """Parses JSON from bytes. The offset of an error is a number of bytes."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CommError("invalid_unicode", str(error), {"offset": error.start}) from error
    try:
        return Reader(text).read()
    except CommError as error:
        if "offset" in error.data:
            error.data["offset"] = len(text[: error.data["offset"]].encode("utf-8"))
        raise


NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
SPACE = re.compile(r"[ \t\n\r]*")
NAMES = {"true": True, "false": False, "null": None}


class Reader:
    """Parses one JSON text and tracks the current position."""

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
        """Returns True if another item follows."""
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


def read_double(data):
    """Decodes a big-endian IEEE 754 double from hexadecimal."""
    return struct.unpack(">d", data)[0]
