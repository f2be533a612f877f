package parleycomm

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"
)

const negotiationProtocol = "parley.negotiation.v1"

var protocolForm = regexp.MustCompile(
	`^([a-z0-9][a-z0-9-]*(?:\.[a-z0-9][a-z0-9-]*)*)\.([a-z0-9][a-z0-9-]*)\.v(0|[1-9][0-9]{0,8})$`,
)

// Protocol is a parsed protocol identifier.
type Protocol struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Version   int    `json:"version"`
}

// ParseProtocol parses a protocol identifier.
func ParseProtocol(text string) (Protocol, error) {
	parts := protocolForm.FindStringSubmatch(text)
	if parts == nil || len(text) > 256 {
		return Protocol{}, fail("invalid_argument", "not <namespace>.<name>.v<N>")
	}
	version, err := strconv.Atoi(parts[3])
	return Protocol{parts[1], parts[2], version}, err
}

// ParseOffer parses an offer from its JSON text.
func ParseOffer(text string) (map[string]any, error) {
	value, err := ParseJSON(text)
	if err != nil {
		return nil, err
	}
	return newOffer(value)
}

// ParseAccept parses an accept from its JSON text.
func ParseAccept(text string) (map[string]any, error) {
	value, err := ParseJSON(text)
	if err != nil {
		return nil, err
	}
	return newAccept(value)
}

func newOffer(value any) (map[string]any, error) {
	return newRecord(value, "offererDid", "protocols", checkProtocols)
}

func newAccept(value any) (map[string]any, error) {
	check := func(selected any) error { return checkProtocols([]any{selected}) }
	return newRecord(value, "accepterDid", "selectedProtocol", check)
}

func newRecord(value any, did, content string, check func(any) error) (map[string]any, error) {
	given, isObject := value.(map[string]any)
	if !isObject {
		return nil, fail("invalid_argument", "value is not an object")
	}
	if !isDID(given[did]) {
		return nil, fail("invalid_argument", "%s is not a valid DID", did)
	}
	if err := check(given[content]); err != nil {
		return nil, err
	}
	record := map[string]any{did: given[did], content: given[content], "timestamp": formatTime(nowMs())}
	if has(given, "timestamp") {
		record["timestamp"] = given["timestamp"]
	}
	if _, isTime := ReadTime(record["timestamp"]); !isTime {
		return nil, fail("invalid_argument", "timestamp is not an RFC 3339 time")
	}
	return record, nil
}

func checkProtocols(value any) error {
	protocols, isList := value.([]any)
	isInvalid := func(each any) bool {
		text, isText := each.(string)
		return !isText || text == "" || utf8.RuneCountInString(text) > 256
	}
	if !isList || slices.ContainsFunc(protocols, isInvalid) {
		return fail("invalid_argument", "protocols must be strings of 1 to 256 characters")
	}
	return nil
}

// Negotiate creates an accept for the first offered protocol that the
// responder supports.
func Negotiate(value any, supported any, responder any) (map[string]any, error) {
	offer, err := newOffer(value)
	if err != nil {
		return nil, err
	}
	if err := checkProtocols(supported); err != nil {
		return nil, err
	}
	if !isDID(responder) {
		return nil, fail("invalid_argument", "responder is not a valid DID")
	}
	for _, protocol := range asList(offer["protocols"]) {
		if slices.Contains(asList(supported), protocol) {
			return newAccept(map[string]any{"accepterDid": responder, "selectedProtocol": protocol})
		}
	}
	return nil, fail("no_common_protocol", "no offered protocol is supported")
}

// AnswerOffer creates the signed accept for a signed offer, with the did:key
// derived from a seed.
func AnswerOffer(
	ctx context.Context, message Message, supported any, seed []byte, resolve Resolve,
) (Message, error) {
	responder, err := FormatDIDKey(PublicKeyOf(seed))
	if err != nil {
		return nil, err
	}
	if _, err := VerifyMessage(ctx, message, resolve, responder, 0); err != nil {
		return nil, err
	}
	offer, err := readContent(message, "offer", "offererDid", newOffer)
	if err != nil {
		return nil, err
	}
	accept, err := Negotiate(offer, supported, responder)
	if err != nil {
		return nil, err
	}
	reply, err := ReplyTo(message, "accept", accept, "")
	if err != nil {
		return nil, err
	}
	return SignMessage(reply, seed)
}

// ReadAnswer returns the accept in a signed message. The message must be the
// reply to the offer.
func ReadAnswer(ctx context.Context, answer, offer Message, resolve Resolve) (map[string]any, error) {
	if _, err := VerifyMessage(ctx, answer, resolve, textOf(offer, "sender"), 0); err != nil {
		return nil, err
	}
	offered, err := readContent(offer, "offer", "offererDid", newOffer)
	if err != nil {
		return nil, err
	}
	if answer["sender"] != offer["recipient"] || answer["correlationId"] != offer["id"] {
		return nil, fail("invalid_message", "message is not a reply to the offer")
	}
	accept, err := readContent(answer, "accept", "accepterDid", newAccept)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(asList(offered["protocols"]), accept["selectedProtocol"]) {
		return nil, fail("invalid_message", "selected protocol was not offered")
	}
	return accept, nil
}

// readContent returns the offer or accept in a message from its issuer.
func readContent(
	message Message, messageType, did string, read func(any) (map[string]any, error),
) (map[string]any, error) {
	if message["protocol"] != negotiationProtocol || message["messageType"] != messageType {
		return nil, fail("invalid_message", "message is not of type %s", messageType)
	}
	payload, isObject := message["payload"].(map[string]any)
	if !isObject || !has(payload, "timestamp") {
		return nil, fail("invalid_message", "payload contains no %s", messageType)
	}
	content, err := read(payload)
	if err != nil {
		return nil, fail("invalid_message", "%v", err)
	}
	if content[did] != message["sender"] {
		return nil, fail("invalid_message", "%s is not the sender", did)
	}
	return content, nil
}
