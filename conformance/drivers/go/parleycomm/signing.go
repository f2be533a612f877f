package parleycomm

import (
	"context"
	"maps"
)

// Signed lists the members that a signature covers.
var Signed = []string{"correlationId", "id", "messageType", "payload", "protocol", "recipient", "sender"}

// SigningPayload returns the canonical JSON text that a signature covers.
func SigningPayload(message Message) (string, error) {
	covered := map[string]any{}
	for _, name := range Signed {
		if has(message, name) {
			covered[name] = message[name]
		}
	}
	return Canonicalize(covered)
}

// SignMessage returns a copy of the message with a signature made with the
// sender's key.
func SignMessage(message Message, seed []byte) (Message, error) {
	if methodOf(textOf(message, "sender")) == "key" {
		did, err := FormatDIDKey(PublicKeyOf(seed))
		if err != nil || did != message["sender"] {
			return nil, fail("invalid_argument", "seed does not match the sender's did:key")
		}
	}
	payload, err := SigningPayload(message)
	if err != nil {
		return nil, err
	}
	signed := maps.Clone(message)
	signed["signature"] = base64url.EncodeToString(Sign(seed, []byte(payload)))
	return signed, nil
}

// checkRecipient rejects a message for a different recipient. An empty
// recipient accepts all messages.
func checkRecipient(message Message, recipient string) error {
	if recipient != "" && message["recipient"] != recipient {
		return fail("recipient_mismatch", "%v", message["recipient"])
	}
	return nil
}

// VerifyMessage verifies a signature and returns the id of the sender's key.
// An empty recipient accepts all messages. now is the time in milliseconds;
// the current time is used if it is 0.
func VerifyMessage(ctx context.Context, message Message, resolve Resolve, recipient string, now int64) (string, error) {
	if err := checkRecipient(message, recipient); err != nil {
		return "", err
	}
	if !has(message, "signature") {
		return "", fail("signature_missing", "message has no signature")
	}
	signature, isValid := decodeBase64url(message["signature"])
	if !isValid || len(signature) != 64 {
		return "", fail("signature_malformed", "signature is not 64 bytes in base64url")
	}
	payload, err := SigningPayload(message)
	if err != nil {
		return "", err
	}
	if now == 0 {
		now = nowMs()
	}
	keys, err := senderKeys(ctx, textOf(message, "sender"), resolve, now, "")
	if err != nil {
		return "", err
	}
	for _, key := range keys {
		if Verify(key.Bytes, []byte(payload), signature) {
			return key.ID, nil
		}
	}
	return "", fail("signature_invalid", "%v", message["sender"])
}
