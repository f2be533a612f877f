package parleycomm

import (
	"bytes"
	"context"
	"regexp"
	"strings"
)

// Resolve returns the document for a DID.
type Resolve func(ctx context.Context, did string) (any, error)

const character = `(?:[A-Za-z0-9._-]|%[0-9A-Fa-f]{2})`

var (
	didForm      = regexp.MustCompile(`^did:([a-z0-9]+):(?:` + character + `*:)*` + character + `+$`)
	ed25519Codec = []byte{0xed, 0x01}
	signing      = []string{"authentication", "assertionMethod", "capabilityInvocation", "capabilityDelegation"}
)

// isDID returns true if a value is a DID without path, query or fragment.
func isDID(value any) bool {
	text, isText := value.(string)
	return isText && len(text) <= 2048 && didForm.MatchString(text)
}

func methodOf(did string) string {
	parts := strings.SplitN(did, ":", 3)
	if len(parts) < 3 {
		return ""
	}
	return parts[1]
}

// FormatDIDKey returns the did:key for an Ed25519 key.
func FormatDIDKey(publicKey []byte) (string, error) {
	if len(publicKey) != 32 {
		return "", fail("invalid_argument", "key is not 32 bytes")
	}
	return "did:key:z" + encodeBase58(append(bytes.Clone(ed25519Codec), publicKey...)), nil
}

// ParseDIDKey returns the Ed25519 key in a did:key.
func ParseDIDKey(did string) ([]byte, error) {
	multikey, isKey := strings.CutPrefix(did, "did:key:")
	if key, isValid := readMultikey(multikey); isKey && isValid {
		return key, nil
	}
	return nil, fail("did_invalid", "%.100s", did)
}

func readMultikey(value any) ([]byte, bool) {
	text, isText := value.(string)
	rest, isBase58 := strings.CutPrefix(text, "z")
	if !isText || !isBase58 {
		return nil, false
	}
	data, isValid := decodeBase58(rest, len(ed25519Codec)+32)
	if !isValid {
		return nil, false
	}
	return bytes.CutPrefix(data, ed25519Codec)
}

// readJWK returns the Ed25519 key in a public JSON Web Key.
func readJWK(value any) ([]byte, bool) {
	jwk, isObject := value.(map[string]any)
	if !isObject || has(jwk, "d") || (has(jwk, "use") && jwk["use"] != "sig") {
		return nil, false
	}
	if jwk["kty"] != "OKP" || jwk["crv"] != "Ed25519" {
		return nil, false
	}
	key, isValid := decodeBase64url(jwk["x"])
	return key, isValid && len(key) == 32
}

func has(members map[string]any, name string) bool {
	_, isThere := members[name]
	return isThere
}

// ResolveOffline creates the DID document for a did:key or did:jwk.
func ResolveOffline(_ context.Context, did string) (any, error) {
	if !isDID(did) {
		return nil, fail("did_invalid", "%.100s", did)
	}
	switch methodOf(did) {
	case "key":
		if _, err := ParseDIDKey(did); err != nil {
			return nil, err
		}
		multikey := strings.TrimPrefix(did, "did:key:")
		key := map[string]any{"type": "Multikey", "publicKeyMultibase": multikey}
		return documentOf(did, multikey, key, "https://w3id.org/security/multikey/v1", signing), nil
	case "jwk":
		jwk, err := parseDIDJWK(did)
		if err != nil {
			return nil, err
		}
		key := map[string]any{"type": "JsonWebKey2020", "publicKeyJwk": jwk}
		return documentOf(did, "0", key, "https://w3id.org/security/suites/jws-2020/v1", relationshipsOf(jwk)), nil
	}
	return nil, fail("did_method_unsupported", "%s", methodOf(did))
}

func parseDIDJWK(did string) (map[string]any, error) {
	data, isValid := decodeBase64url(strings.TrimPrefix(did, "did:jwk:"))
	if !isValid {
		return nil, fail("did_invalid", "%.100s", did)
	}
	value, err := ParseJSON(string(data))
	jwk, isObject := value.(map[string]any)
	if err != nil || !isObject || has(jwk, "d") {
		return nil, fail("did_invalid", "not a public JWK")
	}
	return jwk, nil
}

// relationshipsOf returns the verification relationships of a JSON Web Key.
func relationshipsOf(jwk map[string]any) []string {
	if jwk["use"] == "enc" {
		return []string{"keyAgreement"}
	}
	if jwk["use"] == "sig" || jwk["crv"] == "Ed25519" || jwk["crv"] == "Ed448" {
		return signing
	}
	return append(signing[:len(signing):len(signing)], "keyAgreement")
}

func documentOf(did, fragment string, key map[string]any, context string, relationships []string) any {
	id := did + "#" + fragment
	key["id"], key["controller"] = id, did
	document := map[string]any{
		"@context":           []any{"https://www.w3.org/ns/did/v1", context},
		"id":                 did,
		"verificationMethod": []any{key},
	}
	for _, name := range relationships {
		document[name] = []any{id}
	}
	return document
}
