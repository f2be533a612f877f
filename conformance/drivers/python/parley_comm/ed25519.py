"""Ed25519 with the checks of W3C WebCrypto, with the same results on all platforms."""

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
# The y coordinates of the eight points of small order: 0, 1, -1, and those of order 8.
ORDER_8 = (
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
)
SMALL_ORDER = {0, 1, P - 1, *(int.from_bytes(bytes.fromhex(y), "little") for y in ORDER_8)}


def public_key_of(seed):
    """Returns the 32-byte public key for a seed."""
    key = Ed25519PrivateKey.from_private_bytes(seed).public_key()
    # `public_bytes_raw` requires cryptography 40 or later.
    return key.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)


def sign(seed, data):
    """Creates a 64-byte signature."""
    return Ed25519PrivateKey.from_private_bytes(seed).sign(data)


def verify(public_key, data, signature):
    """Verifies a signature. Rejects small-order points and non-canonical encodings."""
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
