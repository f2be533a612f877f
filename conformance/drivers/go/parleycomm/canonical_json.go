package parleycomm

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Canonicalize returns the canonical JSON text of a value (RFC 8785).
func Canonicalize(value any) (string, error) {
	var built strings.Builder
	err := writeCanonical(&built, value, 1)
	return built.String(), err
}

func writeCanonical(built *strings.Builder, value any, depth int) error {
	switch value := value.(type) {
	case nil:
		built.WriteString("null")
	case bool:
		built.WriteString(strconv.FormatBool(value))
	case float64:
		text, err := formatNumber(value)
		built.WriteString(text)
		return err
	case string:
		return writeString(built, value)
	case []any:
		if depth > MaxDepth {
			return fail("too_deep", "more than %d levels", MaxDepth)
		}
		return writeArray(built, value, depth)
	case map[string]any:
		if depth > MaxDepth {
			return fail("too_deep", "more than %d levels", MaxDepth)
		}
		return writeObject(built, value, depth)
	default:
		return fail("serialization_failed", "%T is not a JSON value", value)
	}
	return nil
}

func writeArray(built *strings.Builder, items []any, depth int) error {
	built.WriteByte('[')
	for index, item := range items {
		if index > 0 {
			built.WriteByte(',')
		}
		if err := writeCanonical(built, item, depth+1); err != nil {
			return err
		}
	}
	built.WriteByte(']')
	return nil
}

func writeObject(built *strings.Builder, members map[string]any, depth int) error {
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.SortFunc(names, compareUTF16)
	built.WriteByte('{')
	for index, name := range names {
		if index > 0 {
			built.WriteByte(',')
		}
		if err := writeString(built, name); err != nil {
			return err
		}
		built.WriteByte(':')
		if err := writeCanonical(built, members[name], depth+1); err != nil {
			return err
		}
	}
	built.WriteByte('}')
	return nil
}

// compareUTF16 compares strings by UTF-16 code units (RFC 8785 section 3.2.3).
func compareUTF16(one, other string) int {
	return slices.Compare(utf16.Encode([]rune(one)), utf16.Encode([]rune(other)))
}

// formatNumber formats a number as ECMAScript does: the shortest digits that
// parse to the same double.
func formatNumber(value float64) (string, error) {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return "", fail("serialization_failed", "%v is not a valid JSON number", value)
	}
	if value == 0 {
		return "0", nil
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(math.Abs(value), 'e', -1, 64), "e")
	digits := strings.Replace(mantissa, ".", "", 1)
	power, err := strconv.Atoi(exponent)
	if err != nil {
		return "", err
	}
	sign := ""
	if value < 0 {
		sign = "-"
	}
	return sign + placePoint(digits, power+1), nil
}

func placePoint(digits string, point int) string {
	count := len(digits)
	switch {
	case count <= point && point <= 21:
		return digits + strings.Repeat("0", point-count)
	case 0 < point && point <= 21:
		return digits[:point] + "." + digits[point:]
	case -6 < point && point <= 0:
		return "0." + strings.Repeat("0", -point) + digits
	}
	exponent := strconv.Itoa(point - 1)
	if point > 0 {
		exponent = "+" + exponent
	}
	if count == 1 {
		return digits + "e" + exponent
	}
	return digits[:1] + "." + digits[1:] + "e" + exponent
}

var shortEscapes = map[rune]string{
	'"': `\"`, '\\': `\\`, '\b': `\b`, '\t': `\t`, '\n': `\n`, '\f': `\f`, '\r': `\r`,
}

// writeString quotes a string, with only the required escapes.
func writeString(built *strings.Builder, text string) error {
	if !utf8.ValidString(text) {
		return fail("invalid_unicode", "lone surrogate")
	}
	built.WriteByte('"')
	for _, character := range text {
		if short, isShort := shortEscapes[character]; isShort {
			built.WriteString(short)
		} else if character < ' ' {
			built.WriteString(`\u00` + strconv.FormatInt(int64(character>>4), 16) + strconv.FormatInt(int64(character&15), 16))
		} else {
			built.WriteRune(character)
		}
	}
	built.WriteByte('"')
	return nil
}
