// Command messages runs the operations of signed messages, built from
// third-party libraries, for the kit: one JSON object per line on standard
// input and output.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"slices"
)

// arguments are the arguments of an operation.
type arguments map[string]json.RawMessage

// operation returns the "ok" of its result.
type operation func(arguments) (any, error)

// errUnsupported means that the libraries lack a feature.
var errUnsupported = errors.New("a sender is a did:key")

func main() {
	output := json.NewEncoder(os.Stdout)
	output.SetEscapeHTML(false)
	input := bufio.NewReader(os.Stdin)
	for {
		line, err := input.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			log.Fatal(err)
		}
		var message struct {
			Type string
			Seq  int
			Op   string
			Args arguments
		}
		if err := json.Unmarshal(line, &message); err != nil {
			log.Fatal(err)
		}
		var answer map[string]any
		switch message.Type {
		case "hello":
			answer = hello()
		case "op":
			answer = run(message.Op, message.Args)
			answer["type"], answer["seq"] = "result", message.Seq
		case "bye":
			return
		default:
			continue
		}
		if err := output.Encode(answer); err != nil {
			log.Fatal(err)
		}
	}
}

func hello() map[string]any {
	return map[string]any{
		"type":     "hello",
		"protocol": 1,
		"implementation": map[string]any{
			"name":     "gowebpki/jcs + crypto/ed25519 + go-multibase",
			"version":  "1.0.2, 1.26, 0.3.0",
			"language": "go",
		},
		"ops": slices.Sorted(maps.Keys(operations)),
	}
}

// run calls an operation and returns the members of its result.
func run(name string, args arguments) (result map[string]any) {
	defer func() {
		if reason := recover(); reason != nil {
			result = map[string]any{"fault": map[string]any{"message": fmt.Sprint(reason)}}
		}
	}()
	act, isKnown := operations[name]
	if !isKnown {
		return map[string]any{"unsupported": map[string]any{"reason": "unknown operation " + name}}
	}
	value, err := act(args)
	switch {
	case errors.Is(err, errUnsupported):
		return map[string]any{"unsupported": map[string]any{"reason": err.Error()}}
	case err != nil:
		return map[string]any{"error": map[string]any{"code": "invalid_argument", "message": err.Error()}}
	}
	return map[string]any{"ok": value}
}
