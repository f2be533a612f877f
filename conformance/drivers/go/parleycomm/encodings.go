package parleycomm

import (
	"encoding/base64"
	"math/big"
	"strings"
)

const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

var base64url = base64.RawURLEncoding.Strict()

// decodeBase64url decodes base64url without padding. Only the canonical text
// of each byte sequence is accepted.
func decodeBase64url(value any) ([]byte, bool) {
	text, isText := value.(string)
	// The decoder of Go ignores line breaks.
	if !isText || strings.ContainsAny(text, "\r\n") {
		return nil, false
	}
	data, err := base64url.DecodeString(text)
	return data, err == nil
}

func encodeBase58(data []byte) string {
	digits := []byte{}
	value, base, digit := new(big.Int).SetBytes(data), big.NewInt(58), new(big.Int)
	for value.Sign() > 0 {
		value.DivMod(value, base, digit)
		digits = append([]byte{alphabet[digit.Int64()]}, digits...)
	}
	return strings.Repeat("1", leadingBytes(string(data), 0)) + string(digits)
}

// decodeBase58 decodes base58. It returns false unless the text represents
// the given number of bytes.
func decodeBase58(value any, length int) ([]byte, bool) {
	text, isText := value.(string)
	// Overlong text is rejected before the costly decoding. Each character carries more than 5 bits.
	if !isText || len(text)*5 > length*8+40 {
		return nil, false
	}
	sum, base := new(big.Int), big.NewInt(58)
	for index := 0; index < len(text); index++ {
		digit := strings.IndexByte(alphabet, text[index])
		if digit < 0 {
			return nil, false
		}
		sum.Add(sum.Mul(sum, base), big.NewInt(int64(digit)))
	}
	data := append(make([]byte, leadingBytes(text, '1')), sum.Bytes()...)
	return data, len(data) == length
}

func leadingBytes(text string, value byte) int {
	count := 0
	for count < len(text) && text[count] == value {
		count++
	}
	return count
}
