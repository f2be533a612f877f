"""Private Ed25519 keys in PKCS #8 (RFC 8410) and as JSON Web Keys (RFC 8037)."""

from . import ed25519
from .dids import format_did_key
from .encodings import read_base64url
from .errors import CommError

# PKCS #8 bytes from the algorithm identifier to the seed, identical in versions 1 and 2.
ALGORITHM = bytes.fromhex("300506032b657004220420")
# DER header of the optional public key, a bit string of 32 bytes.
PUBLIC_KEY = bytes.fromhex("812100")
ATTRIBUTES = 0xA0


def read_pkcs8(data):
    """Returns the seed and the public key, which is None if the key contains none."""
    is_key = (
        len(data) >= 48
        and data[0] == 0x30
        and data[1] == len(data) - 2 < 128
        and data[2:4] == b"\x02\x01"
        and data[4] <= 1
        and data[5:16] == ALGORITHM
    )
    if is_key:
        rest = skip_attributes(data[48:])
        if not rest:
            return data[16:48], None
        if len(rest) == 35 and rest.startswith(PUBLIC_KEY):
            return data[16:48], rest[3:]
    raise CommError("invalid_argument", "not an Ed25519 private key")


def skip_attributes(data):
    """Returns the bytes after the attributes, which must not extend beyond the end."""
    if len(data) < 2 or data[0] != ATTRIBUTES or 2 + data[1] > len(data):
        return data
    return data[2 + data[1] :]


def read_jwk(jwk):
    """Returns the seed and the public key, which is None if the key contains none."""
    if jwk.get("kty") != "OKP" or jwk.get("crv") != "Ed25519":
        raise CommError("invalid_argument", "not an Ed25519 key")
    seed = read_base64url(jwk.get("d"))
    public_key = read_base64url(jwk["x"]) if "x" in jwk else None
    if seed is None or len(seed) != 32 or ("x" in jwk and public_key is None):
        raise CommError("invalid_argument", "not a private key")
    return seed, public_key


def open_signer(pkcs8=None, jwk=None, did=None, key_id=None):
    """Returns the DID, the key id and the public key of the signer with a private key."""
    seed, public_key = read_jwk(jwk) if pkcs8 is None else read_pkcs8(pkcs8)
    own_key = ed25519.public_key_of(seed)
    if public_key is not None and public_key != own_key:
        raise CommError("invalid_argument", "the public key does not belong to the private key")
    kid = None if jwk is None else jwk.get("kid")
    if kid is not None and key_id is not None and kid != key_id:
        raise CommError("invalid_argument", "kid is not the key id")
    if did is None and kid is not None:
        did, key_id = kid.split("#")[0], kid
    own_did = format_did_key(own_key)
    did = did or own_did
    key_id = key_id or "%s#%s" % (own_did, own_did[len("did:key:") :])
    if not key_id.startswith(did + "#"):
        raise CommError("invalid_argument", "the key id does not belong to the DID")
    return did, key_id, own_key
