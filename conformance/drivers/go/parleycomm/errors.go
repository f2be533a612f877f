// Package parleycomm implements signed messages between agents. The package
// uses only Go's standard library and shares no code with other
// implementations. A message is a map with the members of the specification.
package parleycomm

import "fmt"

// Error is an error with a code that the specification defines.
type Error struct {
	Code    string
	Message string
	Data    map[string]any
}

func (e *Error) Error() string { return e.Code + ": " + e.Message }

func fail(code, format string, values ...any) error {
	return &Error{Code: code, Message: fmt.Sprintf(format, values...)}
}

func failAt(code, message string, data map[string]any) error {
	return &Error{Code: code, Message: message, Data: data}
}
