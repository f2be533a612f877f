package parleycomm

import (
	"bytes"
	"context"
	"math"
	"strings"
)

const (
	maxMethods = 16
	maxKeys    = 8
)

// Key is a public key of a DID.
type Key struct {
	ID    string
	Bytes []byte
}

type decodeKey func(value any) ([]byte, bool)

var (
	keyMembers = map[string]decodeKey{
		"publicKeyMultibase": readMultikey,
		"publicKeyJwk":       readJWK,
		"publicKeyBase58":    func(value any) ([]byte, bool) { return decodeBase58(value, 32) },
	}
	memberOfType = map[string]string{
		"Multikey":                   "publicKeyMultibase",
		"Ed25519VerificationKey2020": "publicKeyMultibase",
		"JsonWebKey":                 "publicKeyJwk",
		"JsonWebKey2020":             "publicKeyJwk",
		"Ed25519VerificationKey2018": "publicKeyBase58",
	}
	privateMembers = []string{"privateKeyJwk", "privateKeyMultibase", "secretKeyMultibase", "privateKeyBase58"}
)

// verificationMethod is a verification method with its absolute id.
type verificationMethod struct {
	id      string
	members map[string]any
}

// senderKeys returns the valid Ed25519 authentication keys of a DID. now is
// the time in milliseconds. If keyID is not empty, only this key is returned.
func senderKeys(ctx context.Context, did string, resolve Resolve, now int64, keyID string) ([]Key, error) {
	value, err := resolve(ctx, did)
	if err != nil {
		return nil, err
	}
	document, _ := value.(map[string]any)
	if document["id"] != did {
		return nil, fail("did_resolution_failed", "document is for a different DID")
	}
	methods, err := authorizedMethods(document, did)
	if err != nil {
		return nil, err
	}
	if len(methods) == 0 {
		return nil, fail("key_not_found", "%s", did)
	}
	keys, isSupported, ended := []Key{}, false, error(nil)
	for _, method := range methods {
		isSupported = isSupported || memberOf(method.members) != ""
		key, isReadable := readMethod(method.members)
		if !isReadable || (keyID != "" && keyID != method.id) {
			continue
		}
		end, code := keyEnd(method.members)
		if float64(now) < end {
			keys = append(keys, Key{method.id, key})
		} else if ended == nil {
			ended = fail(code, "%s", did)
		}
	}
	switch {
	case !isSupported:
		return nil, fail("key_unsupported", "%s", did)
	case len(keys) > 0:
		return keys[:min(len(keys), maxKeys)], nil
	case ended != nil:
		return nil, ended
	}
	return nil, fail("key_not_found", "%s", did)
}

// keyEnd returns the time from which a key must not be used, and the code of
// the error.
func keyEnd(method map[string]any) (float64, string) {
	end, endCode := math.Inf(1), ""
	for _, each := range [][2]string{{"revoked", "key_revoked"}, {"expires", "key_expired"}} {
		if !has(method, each[0]) {
			continue
		}
		at := math.Inf(-1)
		if ms, isValid := ReadTime(method[each[0]]); isValid {
			at = float64(ms)
		}
		if at < end {
			end, endCode = at, each[1]
		}
	}
	return end, endCode
}

// authorizedMethods returns the verification methods in "authentication",
// referenced or embedded.
func authorizedMethods(document map[string]any, did string) ([]verificationMethod, error) {
	listed, _ := document["verificationMethod"].([]any)
	entries, _ := document["authentication"].([]any)
	byID, count := map[string]map[string]any{}, 0
	for _, each := range append(append([]any{}, listed...), entries...) {
		if method, isObject := each.(map[string]any); isObject {
			byID[absoluteID(method["id"], did)] = method
			count++
		}
	}
	if count > maxMethods || len(entries) > maxMethods {
		return nil, fail("key_not_found", "more than %d verification methods", maxMethods)
	}
	if len(byID) < count {
		return nil, fail("key_not_found", "verification methods have duplicate ids")
	}
	found := []verificationMethod{}
	for _, entry := range entries {
		method, isEmbedded := entry.(map[string]any)
		if !isEmbedded {
			method = byID[absoluteID(entry, did)]
		}
		id := absoluteID(method["id"], did)
		if strings.HasPrefix(id, did+"#") && method["controller"] == did {
			found = append(found, verificationMethod{id, method})
		}
	}
	return found, nil
}

// absoluteID resolves a relative DID URL such as "#key-1" (DID Core section
// 3.2.2).
func absoluteID(reference any, did string) string {
	text, _ := reference.(string)
	if strings.HasPrefix(text, "#") {
		return did + text
	}
	return text
}

// memberOf returns the member that contains a verification method's key. It
// returns an empty string for unknown types.
func memberOf(method map[string]any) string {
	kind, _ := method["type"].(string)
	return memberOfType[kind]
}

// readMethod returns a verification method's key. It returns false if the
// members with keys contradict each other.
func readMethod(method map[string]any) ([]byte, bool) {
	member := memberOf(method)
	if member == "" || !has(method, member) {
		return nil, false
	}
	for _, name := range privateMembers {
		if has(method, name) {
			return nil, false
		}
	}
	key, isValid := keyMembers[member](method[member])
	for name, decode := range keyMembers {
		if !has(method, name) {
			continue
		}
		if other, isOtherValid := decode(method[name]); !isOtherValid || !bytes.Equal(key, other) {
			return nil, false
		}
	}
	return key, isValid
}

// KeyOf returns the Ed25519 key in a did:key or did:jwk.
func KeyOf(ctx context.Context, did string) ([]byte, error) {
	if strings.HasPrefix(did, "did:key:") {
		return ParseDIDKey(did)
	}
	keys, err := senderKeys(ctx, did, ResolveOffline, nowMs(), "")
	if err != nil {
		return nil, err
	}
	return keys[0].Bytes, nil
}
