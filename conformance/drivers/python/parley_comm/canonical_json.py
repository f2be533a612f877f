"""Canonical JSON (RFC 8785)."""

import math

from .errors import CommError

MAX_DEPTH = 128


def canonicalize(value, depth=1):
    """Returns the canonical JSON text of a value."""
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
    """Formats a number as ECMAScript does: the shortest digits that parse to the same double."""
    value = float(value)
    if not math.isfinite(value):
        raise CommError("serialization_failed", "%r is not a valid JSON number" % value)
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


ESCAPES = {
    '"': '\\"',
    "\\": "\\\\",
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\f": "\\f",
    "\r": "\\r",
}


def format_text(text):
    """Quotes a string, with only the required escapes."""
    if any(0xD800 <= ord(c) <= 0xDFFF for c in text):
        raise CommError("invalid_unicode", "lone surrogate")
    return '"%s"' % "".join(map(format_character, text))


def format_character(character):
    if character >= " ":
        return ESCAPES.get(character, character)
    return ESCAPES.get(character) or "\\u%04x" % ord(character)
