package parleycomm

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	// MaxBytes is the maximum size of a JSON text.
	MaxBytes = 1024 * 1024
	// MaxDepth is the maximum nesting depth of a JSON value.
	MaxDepth = 128
)

var number = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?`)

// ParseJSON parses a JSON text. It rejects text that parsers can interpret
// differently: duplicate member names, lone surrogates and unsafe integers.
func ParseJSON(text string) (any, error) {
	if len(text) > MaxBytes {
		return nil, fail("message_too_large", "%d bytes", len(text))
	}
	for offset, letter := range text {
		if letter == utf8.RuneError && !strings.HasPrefix(text[offset:], string(utf8.RuneError)) {
			return nil, failAt("invalid_unicode", "not valid UTF-8", map[string]any{"offset": offset})
		}
	}
	return (&reader{text: text, isStrict: true}).read()
}

// ParseLenientJSON parses a JSON text without the additional checks of
// ParseJSON. Lone surrogates become the bytes that UTF-8 would use for them,
// so the checks of this package still detect them.
func ParseLenientJSON(text string) (any, error) {
	return (&reader{text: text}).read()
}

type reader struct {
	text     string
	at       int
	isStrict bool
}

func (r *reader) read() (any, error) {
	value, err := r.value("", 1)
	if err != nil {
		return nil, err
	}
	r.skip()
	if r.at < len(r.text) {
		return nil, r.unexpected()
	}
	return value, nil
}

func (r *reader) value(path string, depth int) (any, error) {
	r.skip()
	rest := r.text[r.at:]
	switch {
	case strings.HasPrefix(rest, "{"), strings.HasPrefix(rest, "["):
		if r.isStrict && depth > MaxDepth {
			return nil, failAt("too_deep", "too many levels", map[string]any{"offset": r.offset(r.at)})
		}
		if rest[0] == '{' {
			return r.members(path, depth)
		}
		return r.items(path, depth)
	case strings.HasPrefix(rest, `"`):
		return r.str(path)
	case strings.HasPrefix(rest, "true"):
		r.at += 4
		return true, nil
	case strings.HasPrefix(rest, "false"):
		r.at += 5
		return false, nil
	case strings.HasPrefix(rest, "null"):
		r.at += 4
		return nil, nil
	}
	return r.number(path)
}

func (r *reader) members(path string, depth int) (any, error) {
	found := map[string]any{}
	for {
		more, err := r.separate('{', '}', len(found) == 0)
		if err != nil || !more {
			return found, err
		}
		r.skip()
		start := r.at
		if !strings.HasPrefix(r.text[start:], `"`) {
			return nil, r.unexpected()
		}
		name, err := r.str(path)
		if err != nil {
			return nil, err
		}
		place := path + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		if _, isThere := found[name]; isThere && r.isStrict {
			return nil, failAt("duplicate_member", name, map[string]any{"path": place, "offset": r.offset(start)})
		}
		if err := r.expect(':'); err != nil {
			return nil, err
		}
		if found[name], err = r.value(place, depth+1); err != nil {
			return nil, err
		}
	}
}

func (r *reader) items(path string, depth int) (any, error) {
	found := []any{}
	for {
		more, err := r.separate('[', ']', len(found) == 0)
		if err != nil || !more {
			return found, err
		}
		item, err := r.value(path+"/"+strconv.Itoa(len(found)), depth+1)
		if err != nil {
			return nil, err
		}
		found = append(found, item)
	}
}

// separate returns true if another item follows.
func (r *reader) separate(opening, closing byte, isFirst bool) (bool, error) {
	if isFirst {
		if err := r.expect(opening); err != nil {
			return false, err
		}
	}
	r.skip()
	if r.at < len(r.text) && r.text[r.at] == closing {
		r.at++
		return false, nil
	}
	if isFirst {
		return true, nil
	}
	return true, r.expect(',')
}

// str parses a string. Escaped lone surrogates become invalid UTF-8, which
// strict parsing rejects.
func (r *reader) str(path string) (string, error) {
	start := r.at
	r.at++
	var built strings.Builder
	for {
		if r.at >= len(r.text) || r.text[r.at] < ' ' {
			return "", r.unexpected()
		}
		character := r.text[r.at]
		r.at++
		if character == '"' {
			break
		}
		if character != '\\' {
			built.WriteByte(character)
			continue
		}
		if err := r.escape(&built); err != nil {
			return "", err
		}
	}
	text := built.String()
	if r.isStrict && !utf8.ValidString(text) {
		return "", failAt("invalid_unicode", "lone surrogate", map[string]any{"path": path, "offset": r.offset(start)})
	}
	return text, nil
}

var escapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (r *reader) escape(built *strings.Builder) error {
	if r.at >= len(r.text) {
		return r.unexpected()
	}
	name := r.text[r.at]
	if name != 'u' {
		character, isKnown := escapes[name]
		if !isKnown {
			return r.unexpected()
		}
		r.at++
		built.WriteByte(character)
		return nil
	}
	unit, isUnit := r.unit(r.at + 1)
	if !isUnit {
		return r.unexpected()
	}
	r.at += 5
	if utf16.IsSurrogate(unit) {
		if low, isLow := r.escapedUnit(r.at); isLow {
			if joined := utf16.DecodeRune(unit, low); joined != utf8.RuneError {
				r.at += 6
				built.WriteRune(joined)
				return nil
			}
		}
		built.Write([]byte{0xe0 | byte(unit>>12), 0x80 | byte(unit>>6)&0x3f, 0x80 | byte(unit)&0x3f})
		return nil
	}
	built.WriteRune(unit)
	return nil
}

func (r *reader) escapedUnit(at int) (rune, bool) {
	if !strings.HasPrefix(r.text[min(at, len(r.text)):], `\u`) {
		return 0, false
	}
	return r.unit(at + 2)
}

var unitForm = regexp.MustCompile(`^[0-9a-fA-F]{4}$`)

func (r *reader) unit(at int) (rune, bool) {
	if at+4 > len(r.text) || !unitForm.MatchString(r.text[at:at+4]) {
		return 0, false
	}
	value, err := strconv.ParseUint(r.text[at:at+4], 16, 32)
	return rune(value), err == nil
}

func (r *reader) number(path string) (any, error) {
	parts := number.FindStringSubmatchIndex(r.text[r.at:])
	if parts == nil {
		return nil, r.unexpected()
	}
	text := r.text[r.at : r.at+parts[1]]
	data := map[string]any{"path": path, "offset": r.offset(r.at)}
	r.at += parts[1]
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(value, 0) {
		return nil, failAt("number_out_of_range", text[:min(len(text), 100)], data)
	}
	isInteger := parts[2] < 0 && parts[4] < 0
	if r.isStrict && isInteger && !isExact(value, text) {
		return nil, failAt("unsafe_integer", text[:min(len(text), 100)], data)
	}
	if value == 0 {
		return float64(0), nil
	}
	return value, nil
}

// isExact returns true if a double represents an integer exactly, or is
// written with the same digits.
func isExact(value float64, text string) bool {
	if exact, isInteger := new(big.Int).SetString(text, 10); isInteger {
		rounded, _ := big.NewFloat(value).Int(nil)
		if rounded.Cmp(exact) == 0 {
			return true
		}
	}
	formatted, err := formatNumber(value)
	return err == nil && formatted == text
}

func (r *reader) expect(character byte) error {
	r.skip()
	if r.at >= len(r.text) || r.text[r.at] != character {
		return r.unexpected()
	}
	r.at++
	return nil
}

func (r *reader) skip() {
	for r.at < len(r.text) && strings.IndexByte(" \t\n\r", r.text[r.at]) >= 0 {
		r.at++
	}
}

func (r *reader) unexpected() error {
	return failAt("deserialization_failed", "unexpected text", map[string]any{"offset": r.offset(r.at)})
}

// offset converts a position in bytes to a position in characters.
func (r *reader) offset(at int) int {
	return utf8.RuneCountInString(r.text[:min(at, len(r.text))])
}
