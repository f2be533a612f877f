package main

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"strings"

	"github.com/gowebpki/jcs"
	"github.com/multiformats/go-multibase"
	"github.com/multiformats/go-varint"
)

const (
	didKey = "did:key:"
	// ed25519Codec is the multicodec of an Ed25519 public key.
	ed25519Codec = 0xed
)

// signed are the members of a message that a signature covers.
var signed = []string{"id", "correlationId", "sender", "recipient", "protocol", "messageType", "payload"}

var operations = map[string]operation{
	"comm.canonicalize":   canonicalize,
	"comm.ed25519.sign":   signBytes,
	"comm.ed25519.verify": verifyBytes,
	"comm.did.encode": func(args arguments) (any, error) {
		return map[string]any{"did": encodeDID(args.hex("publicKeyHex"))}, nil
	},
	"comm.did.decode":      decode,
	"comm.message.payload": payloadOfMessage,
	"comm.message.sign":    signMessage,
	"comm.message.verify":  verifyMessage,
}

// message holds the members of a message as they were received.
type message map[string]json.RawMessage

func canonicalize(args arguments) (any, error) {
	if args.text("float64Hex") != "" {
		text, err := jcs.NumberToJSON(math.Float64frombits(binary.BigEndian.Uint64(args.hex("float64Hex"))))
		return textAndBytes([]byte(text)), err
	}
	data, err := jcs.Transform([]byte(args.text("text")))
	return textAndBytes(data), err
}

func signBytes(args arguments) (any, error) {
	key := ed25519.NewKeyFromSeed(args.hex("seedHex"))
	return map[string]any{
		"publicKeyHex": hex.EncodeToString(key.Public().(ed25519.PublicKey)),
		"signatureHex": hex.EncodeToString(ed25519.Sign(key, args.hex("messageHex"))),
	}, nil
}

func verifyBytes(args arguments) (any, error) {
	key := args.hex("publicKeyHex")
	if len(key) != ed25519.PublicKeySize {
		return map[string]any{"valid": false}, nil
	}
	return map[string]any{"valid": ed25519.Verify(key, args.hex("messageHex"), args.hex("signatureHex"))}, nil
}

func encodeDID(key []byte) string {
	text, err := multibase.Encode(multibase.Base58BTC, append(varint.ToUvarint(ed25519Codec), key...))
	if err != nil {
		panic(err) // The encoding is known.
	}
	return didKey + text
}

func decode(args arguments) (any, error) {
	key, err := decodeDID(args.text("did"))
	return map[string]any{"publicKeyHex": hex.EncodeToString(key)}, err
}

func decodeDID(did string) (ed25519.PublicKey, error) {
	text, isKey := strings.CutPrefix(did, didKey)
	if !isKey {
		return nil, errors.New("not a did:key")
	}
	encoding, data, err := multibase.Decode(text)
	if err != nil {
		return nil, err
	}
	if encoding != multibase.Base58BTC {
		return nil, errors.New("not base58btc")
	}
	codec, size, err := varint.FromUvarint(data)
	if err != nil {
		return nil, err
	}
	if codec != ed25519Codec || len(data)-size != ed25519.PublicKeySize {
		return nil, errors.New("not an Ed25519 key")
	}
	return data[size:], nil
}

// payload returns the canonical JSON that a signature covers.
func (m message) payload() ([]byte, error) {
	members := message{}
	for _, name := range signed {
		if value, isPresent := m[name]; isPresent && (name == "payload" || string(value) != "null") {
			members[name] = value
		}
	}
	text, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	return jcs.Transform(text)
}

func payloadOfMessage(args arguments) (any, error) {
	read, err := args.message()
	if err != nil {
		return nil, err
	}
	data, err := read.payload()
	return textAndBytes(data), err
}

func signMessage(args arguments) (any, error) {
	read, err := args.message()
	if err != nil {
		return nil, err
	}
	data, err := read.payload()
	if err != nil {
		return nil, err
	}
	signature := ed25519.Sign(ed25519.NewKeyFromSeed(args.hex("seedHex")), data)
	read["signature"], err = json.Marshal(base64.RawURLEncoding.EncodeToString(signature))
	return map[string]any{"message": read}, err
}

func verifyMessage(args arguments) (any, error) {
	if _, isGiven := args["didDocuments"]; isGiven {
		return nil, errUnsupported
	}
	read, err := args.message()
	if err != nil {
		return nil, err
	}
	if recipient := args.text("recipient"); recipient != "" && recipient != read.text("recipient") {
		return invalid("recipient_mismatch")
	}
	if read.text("signature") == "" {
		return invalid("signature_missing")
	}
	sender := read.text("sender")
	if !strings.HasPrefix(sender, didKey) {
		return invalid("did_method_unsupported")
	}
	key, err := decodeDID(sender)
	if err != nil {
		return invalid("did_invalid")
	}
	signature, err := base64.RawURLEncoding.DecodeString(read.text("signature"))
	if err != nil {
		return invalid("signature_malformed")
	}
	data, err := read.payload()
	if err != nil {
		return nil, err
	}
	if !ed25519.Verify(key, data, signature) {
		return invalid("signature_invalid")
	}
	covered := []string{}
	for _, name := range signed {
		if _, isPresent := read[name]; isPresent {
			covered = append(covered, name)
		}
	}
	keyID := sender + "#" + strings.TrimPrefix(sender, didKey)
	return map[string]any{"valid": true, "keyId": keyID, "covered": covered}, nil
}

func invalid(reason string) (any, error) {
	return map[string]any{"valid": false, "reason": reason}, nil
}

func textAndBytes(data []byte) any {
	return map[string]any{"text": string(data), "utf8Hex": hex.EncodeToString(data)}
}

func (a arguments) text(name string) string { return textOf(a[name]) }

func (m message) text(name string) string { return textOf(m[name]) }

// textOf returns a JSON string, or an empty string for any other value.
func textOf(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return ""
	}
	return text
}

func (a arguments) hex(name string) []byte {
	data, err := hex.DecodeString(a.text(name))
	if err != nil {
		panic(err) // Cases contain valid hexadecimal.
	}
	return data
}

func (a arguments) message() (message, error) {
	var read message
	err := json.Unmarshal([]byte(a.text("messageText")), &read)
	return read, err
}
