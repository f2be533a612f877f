package parleycomm

import (
	"crypto/rand"
	"encoding/hex"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Message is a message with the members of the specification.
type Message = map[string]any

var (
	requiredMembers = []string{"id", "sender", "recipient", "protocol", "messageType", "timestamp"}
	optionalMembers = []string{"correlationId", "replyTo", "signature"}
	uuidV7Form      = regexp.MustCompile(`^(?i:[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})$`)
)

// NewMessage creates a message from the given members, with defaults for the
// id and the timestamp. The member extensions contains further members.
func NewMessage(init map[string]any) (Message, error) {
	message := Message{}
	extensions, _ := init["extensions"].(map[string]any)
	for name, value := range extensions {
		if name == "payload" || slices.Contains(requiredMembers, name) || slices.Contains(optionalMembers, name) {
			return nil, fail("invalid_message", "%s is a member of messages", name)
		}
		message[name] = cloneValue(value)
	}
	for name, value := range init {
		if name != "extensions" && (value != nil || name == "payload") {
			// Later changes to the caller's values must not change the message.
			message[name] = cloneValue(value)
		}
	}
	if !has(message, "timestamp") {
		message["timestamp"] = formatTime(nowMs())
	}
	if !has(message, "id") {
		ms, _ := ReadTime(message["timestamp"])
		message["id"] = newUUID(ms)
	}
	return message, checkMessage(message)
}

// ParseMessage parses a message from its JSON text.
func ParseMessage(text string) (Message, error) {
	value, err := ParseJSON(text)
	if err != nil {
		return nil, err
	}
	message, isObject := value.(map[string]any)
	if !isObject {
		return nil, fail("invalid_message", "message is not an object")
	}
	for _, name := range optionalMembers {
		if message[name] == nil {
			delete(message, name)
		}
	}
	return message, checkMessage(message)
}

func checkMessage(message Message) error {
	for _, name := range requiredMembers {
		if !has(message, name) {
			return invalidMember(name, "is missing")
		}
	}
	for _, name := range append(requiredMembers[:len(requiredMembers):len(requiredMembers)], optionalMembers...) {
		if !has(message, name) {
			continue
		}
		text, isText := message[name].(string)
		if !isText || text == "" {
			return invalidMember(name, "is not a string")
		}
		if !utf8.ValidString(text) {
			return fail("invalid_unicode", "%s has a lone surrogate", name)
		}
	}
	if !has(message, "payload") {
		return invalidMember("payload", "is missing")
	}
	for _, name := range []string{"sender", "recipient"} {
		if !isDID(message[name]) {
			return invalidMember(name, "is not a valid DID")
		}
	}
	if _, isTime := ReadTime(message["timestamp"]); !isTime {
		return invalidMember("timestamp", "is not an RFC 3339 time")
	}
	// Checks the nesting depth. The envelope counts as the first level.
	_, err := Canonicalize(message)
	return err
}

// invalidMember creates an error that names the member of a message.
func invalidMember(name, reason string) error {
	return failAt("invalid_message", name+" "+reason, map[string]any{"field": name})
}

// ReplyTo creates the reply to a message. An empty signature is omitted.
func ReplyTo(original Message, messageType string, payload any, signature string) (Message, error) {
	init := map[string]any{
		"sender":        original["recipient"],
		"recipient":     original["sender"],
		"protocol":      original["protocol"],
		"messageType":   messageType,
		"payload":       payload,
		"correlationId": original["id"],
		"replyTo":       original["id"],
	}
	if signature != "" {
		init["signature"] = signature
	}
	return NewMessage(init)
}

func cloneValue(value any) any {
	switch value := value.(type) {
	case map[string]any:
		copied := make(map[string]any, len(value))
		for name, member := range value {
			copied[name] = cloneValue(member)
		}
		return copied
	case []any:
		copied := make([]any, len(value))
		for index, item := range value {
			copied[index] = cloneValue(item)
		}
		return copied
	}
	return value
}

// newUUID creates an id that contains a time (UUID version 7, RFC 9562
// section 5.7).
func newUUID(ms int64) string {
	data := make([]byte, 16)
	if _, err := rand.Read(data[6:]); err != nil {
		panic(err)
	}
	for index := range 6 {
		data[index] = byte(max(0, ms) >> (40 - 8*index))
	}
	data[6] = data[6]&0x0f | 0x70
	data[8] = data[8]&0x3f | 0x80
	text := hex.EncodeToString(data)
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

// uuidTime returns the time in a version 7 id. It returns false for any other
// id.
func uuidTime(id string) (int64, bool) {
	if !uuidV7Form.MatchString(id) {
		return 0, false
	}
	ms, err := strconv.ParseInt(id[:8]+id[9:13], 16, 64)
	return ms, err == nil
}

// textOf returns a member that checkMessage has verified to be a string, or
// an empty string if the member is missing.
func textOf(message Message, name string) string {
	text, _ := message[name].(string)
	return text
}
