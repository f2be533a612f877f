package parleycomm

import (
	"bytes"
	"strings"
)

var (
	// pkcs8Algorithm is the DER from the algorithm to the seed, which is the
	// same in both versions of PKCS #8.
	pkcs8Algorithm = []byte{0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20}
	// pkcs8PublicKey is the DER before the public key, a bit string of 32 bytes.
	pkcs8PublicKey = []byte{0x81, 0x21, 0x00}
)

const pkcs8Attributes = 0xa0

// PrivateKey is a private Ed25519 key as PKCS #8 or as a JSON Web Key, with
// the DID and the key id of its signer. An empty DID is read from the key.
type PrivateKey struct {
	PKCS8      []byte
	JWK        map[string]any
	DID, KeyID string
}

// Signer is the identity of a signer.
type Signer struct {
	DID, KeyID string
	PublicKey  []byte
}

// OpenSigner reads a private key.
func OpenSigner(key PrivateKey) (Signer, error) {
	read := readPKCS8
	if key.JWK != nil {
		read = func([]byte) (seed, publicKey []byte, isKey bool) { return readPrivateJWK(key.JWK) }
	}
	seed, publicKey, isKey := read(key.PKCS8)
	if !isKey {
		return Signer{}, fail("invalid_argument", "not an Ed25519 private key")
	}
	ownKey := PublicKeyOf(seed)
	if publicKey != nil && !bytes.Equal(publicKey, ownKey) {
		return Signer{}, fail("invalid_argument", "the public key does not belong to the private key")
	}
	did, err := FormatDIDKey(ownKey)
	if err != nil {
		return Signer{}, err
	}
	signer := Signer{did, did + "#" + strings.TrimPrefix(did, "did:key:"), ownKey}
	kid, _ := key.JWK["kid"].(string)
	switch {
	case kid != "" && key.KeyID != "" && kid != key.KeyID:
		return Signer{}, fail("invalid_argument", "kid is not the key id")
	case key.DID != "":
		signer.DID, signer.KeyID = key.DID, key.KeyID
	case kid != "":
		signer.DID, _, _ = strings.Cut(kid, "#")
		signer.KeyID = kid
	}
	if !strings.HasPrefix(signer.KeyID, signer.DID+"#") {
		return Signer{}, fail("invalid_argument", "the key id does not belong to the DID")
	}
	return signer, nil
}

func readPKCS8(data []byte) (seed, publicKey []byte, isKey bool) {
	if len(data) < 48 || len(data) > 129 || data[0] != 0x30 || int(data[1]) != len(data)-2 ||
		data[2] != 2 || data[3] != 1 || data[4] > 1 || !bytes.Equal(data[5:16], pkcs8Algorithm) {
		return nil, nil, false
	}
	seed, rest := data[16:48], data[48:]
	if len(rest) >= 2 && rest[0] == pkcs8Attributes && 2+int(rest[1]) <= len(rest) {
		rest = rest[2+int(rest[1]):]
	}
	if len(rest) == 35 && bytes.HasPrefix(rest, pkcs8PublicKey) {
		return seed, rest[3:], true
	}
	return seed, nil, len(rest) == 0
}

func readPrivateJWK(jwk map[string]any) (seed, publicKey []byte, isKey bool) {
	if jwk["kty"] != "OKP" || jwk["crv"] != "Ed25519" {
		return nil, nil, false
	}
	seed, isKey = decodeBase64url(jwk["d"])
	if x, hasX := jwk["x"]; hasX {
		decoded, isText := decodeBase64url(x)
		publicKey, isKey = decoded, isKey && isText
	}
	return seed, publicKey, isKey && len(seed) == 32
}
