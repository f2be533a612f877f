"""Bytes as text, with one text for each sequence of bytes."""

import base64
import re

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def format_base64url(data):
    """Base64url without padding, RFC 4648 section 5."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def read_base64url(text):
    """Bytes, or None unless it is the one text for them."""
    if not isinstance(text, str) or not re.fullmatch(r"[A-Za-z0-9_-]*", text) or len(text) % 4 == 1:
        return None
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return data if format_base64url(data) == text else None


def format_base58(data):
    """Base58 in the alphabet of Bitcoin."""
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = ALPHABET[digit] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text


def read_base58(text, length):
    """Bytes, or None unless the text stands for so many of them."""
    # 58 is more than 2**5: a text that is far too long is not worth the multiplications.
    if not isinstance(text, str) or len(text) * 5 > length * 8 + 40:
        return None
    number = 0
    for character in text:
        digit = ALPHABET.find(character)
        if digit < 0:
            return None
        number = number * 58 + digit
    data = number.to_bytes((number.bit_length() + 7) // 8, "big")
    data = b"\0" * (len(text) - len(text.lstrip("1"))) + data
    return data if len(data) == length else None
