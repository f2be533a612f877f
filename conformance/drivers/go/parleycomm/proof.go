package parleycomm

import (
	"context"
	"crypto/sha256"
	"maps"
	"slices"
	"strings"
)

const maxProofs = 8

// preparedProof is a proof of which all but the signature is checked.
type preparedProof struct {
	keyID     string
	signature []byte
	data      []byte
}

// ProveMessage returns a copy of a message with a proof made with the sender's
// did:key. The options are the members created, expires and challenge of the
// proof.
func ProveMessage(message Message, seed []byte, options map[string]any) (Message, error) {
	did, err := FormatDIDKey(PublicKeyOf(seed))
	if err != nil || did != message["sender"] {
		return nil, fail("invalid_argument", "seed does not match the sender's did:key")
	}
	document := maps.Clone(message)
	delete(document, "proof")
	config := map[string]any{
		"type":               "DataIntegrityProof",
		"cryptosuite":        "eddsa-jcs-2022",
		"verificationMethod": did + "#" + strings.TrimPrefix(did, "did:key:"),
		"proofPurpose":       "authentication",
		"domain":             message["recipient"],
	}
	maps.Copy(config, options)
	if has(document, "@context") {
		config["@context"] = document["@context"]
	}
	data, err := hashProofInput(config, document)
	if err != nil {
		return nil, err
	}
	proof := maps.Clone(config)
	proof["proofValue"] = "z" + encodeBase58(Sign(seed, data))
	document["proof"] = proof
	return document, nil
}

// ProofExpectations are the values that a proof is compared with. An empty
// recipient or challenge accepts all values.
type ProofExpectations struct {
	Recipient   string
	Challenge   string
	Now         int64
	ClockSkewMs int64
}

// VerifyProof verifies all proofs of a message (W3C Data Integrity,
// cryptosuite eddsa-jcs-2022). It returns the id of the first proof's key.
func VerifyProof(
	ctx context.Context, message Message, resolve Resolve, expected ProofExpectations,
) (string, error) {
	if err := checkRecipient(message, expected.Recipient); err != nil {
		return "", err
	}
	if !has(message, "proof") {
		return "", fail("proof_missing", "message has no proof")
	}
	proofs := asList(message["proof"])
	if len(proofs) < 1 || len(proofs) > maxProofs {
		return "", fail("proof_invalid", "expected 1 to %d proofs", maxProofs)
	}
	prepared := []preparedProof{}
	for _, proof := range proofs {
		one, err := prepareProof(proof, message, expected)
		if err != nil {
			return "", err
		}
		prepared = append(prepared, one)
	}
	for _, one := range prepared {
		keys, err := senderKeys(ctx, textOf(message, "sender"), resolve, expected.Now, one.keyID)
		if err != nil {
			return "", err
		}
		if !Verify(keys[0].Bytes, one.data, one.signature) {
			return "", fail("proof_invalid", "proof does not match the message")
		}
	}
	return prepared[0].keyID, nil
}

func prepareProof(value any, message Message, expected ProofExpectations) (preparedProof, error) {
	proof, isObject := value.(map[string]any)
	if !isObject {
		return preparedProof{}, fail("proof_invalid", "proof is not an object")
	}
	encoded, _ := proof["proofValue"].(string)
	base58, isBase58 := strings.CutPrefix(encoded, "z")
	signature, isSignature := decodeBase58(base58, 64)
	if !isBase58 || !isSignature {
		return preparedProof{}, fail("proof_invalid", "proofValue is not 64 bytes in base58btc")
	}
	config := maps.Clone(proof)
	delete(config, "proofValue")
	if err := checkProofConfig(config, textOf(message, "recipient")); err != nil {
		return preparedProof{}, err
	}
	if expected.Challenge != "" && config["challenge"] != expected.Challenge {
		return preparedProof{}, fail("proof_invalid", "challenge does not match")
	}
	if err := checkProofTimes(config, expected.Now, expected.ClockSkewMs); err != nil {
		return preparedProof{}, err
	}
	document, err := documentWithContext(message, config)
	if err != nil {
		return preparedProof{}, err
	}
	data, err := hashProofInput(config, document)
	if err != nil {
		return preparedProof{}, err
	}
	return preparedProof{textOf(config, "verificationMethod"), signature, data}, nil
}

// hashProofInput implements section 3.3.4: the hash of the configuration,
// followed by the hash of the document.
func hashProofInput(config, document map[string]any) ([]byte, error) {
	data := []byte{}
	for _, each := range []any{config, document} {
		text, err := Canonicalize(each)
		if err != nil {
			return nil, err
		}
		hash := sha256.Sum256([]byte(text))
		data = append(data, hash[:]...)
	}
	return data, nil
}

// CoveredByProof returns the members that all proofs of a verified message
// cover. A proof with its own @context does not cover the rest of the
// message's @context.
func CoveredByProof(message Message) []string {
	own, _ := Canonicalize(message["@context"])
	coversContext := true
	for _, proof := range asList(message["proof"]) {
		config, _ := proof.(map[string]any)
		proven, _ := Canonicalize(config["@context"])
		coversContext = coversContext && (!has(config, "@context") || proven == own)
	}
	names := slices.Sorted(maps.Keys(message))
	return slices.DeleteFunc(names, func(name string) bool {
		return name == "proof" || name == "@context" && !coversContext
	})
}

func checkProofConfig(config map[string]any, recipient string) error {
	if config["type"] != "DataIntegrityProof" || config["cryptosuite"] != "eddsa-jcs-2022" {
		return fail("proof_invalid", "cryptosuite is not supported")
	}
	if config["proofPurpose"] != "authentication" {
		return fail("proof_invalid", "proofPurpose is not authentication")
	}
	if has(config, "previousProof") {
		return fail("proof_invalid", "proof chains are not supported")
	}
	if textOf(config, "verificationMethod") == "" {
		return fail("proof_invalid", "verificationMethod is missing")
	}
	if has(config, "domain") && config["domain"] != recipient {
		return fail("proof_invalid", "domain does not match")
	}
	return nil
}

func checkProofTimes(config map[string]any, now, clockSkewMs int64) error {
	created, expires := now, now+1
	for name, at := range map[string]*int64{"created": &created, "expires": &expires} {
		if !has(config, name) {
			continue
		}
		ms, isTime := ReadTime(config[name])
		if !isTime {
			return fail("proof_invalid", "%s is not an RFC 3339 time", name)
		}
		*at = ms
	}
	if created > now+clockSkewMs {
		return fail("not_yet_valid", "%v", config["created"])
	}
	if expires <= now {
		return fail("expired", "%v", config["expires"])
	}
	return nil
}

// documentWithContext implements section 3.3.2: a proof's @context must be a
// prefix of the document's, and replaces it.
func documentWithContext(message Message, config map[string]any) (map[string]any, error) {
	document := maps.Clone(message)
	delete(document, "proof")
	if !has(config, "@context") {
		return document, nil
	}
	expected, actual := asList(config["@context"]), []any{}
	if has(document, "@context") {
		actual = asList(document["@context"])
	}
	one, err := Canonicalize(actual[:min(len(actual), len(expected))])
	if err != nil {
		return nil, err
	}
	if other, err := Canonicalize(expected); err != nil || one != other {
		return nil, fail("proof_invalid", "@context does not match the document")
	}
	document["@context"] = config["@context"]
	return document, nil
}

func asList(value any) []any {
	if list, isList := value.([]any); isList {
		return list
	}
	return []any{value}
}
