"""Text encodings of bytes. Only the canonical text of each byte sequence is accepted."""

import base64
import re

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def format_base64url(data):
    """Encodes bytes in base64url without padding (RFC 4648 section 5)."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def read_base64url(text):
    """Decodes base64url. Returns None if the text is not canonical."""
    if not isinstance(text, str) or not re.fullmatch(r"[A-Za-z0-9_-]*", text) or len(text) % 4 == 1:
        return None
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return data if format_base64url(data) == text else None


def format_base58(data):
    """Encodes bytes in base58 with the Bitcoin alphabet."""
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = ALPHABET[digit] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text


def read_base58(text, length):
    """Decodes base58. Returns None unless the text represents `length` bytes."""
    # Rejects overlong text before decoding, which is expensive. Each character carries more than 5 bits.
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
