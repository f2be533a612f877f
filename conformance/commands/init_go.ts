/**
 * The driver skeleton in Go.
 *
 * @module
 */

/**
 * Formats a driver that runs without changes but supports no operations.
 *
 * @param operations Lines that describe the operations, for a comment.
 */
export function goDriver(operations: readonly string[]): string {
  return String
    .raw`// A driver between parley-kit and my library: one JSON object per line on standard input and output.
//
// Implement an operation, add it to operations, run the kit. Do not print to standard output. Write logs to standard
// error.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
)

// libraryError is a documented error of the library, with the members code, message and, optionally, data.
type libraryError object

func (e libraryError) Error() string { return fmt.Sprint(e["message"]) }

// unsupported is an error for a feature that a call needs and the library lacks. The kit reports the case as untestable
// instead of failed.
type unsupported struct{ reason string }

func (e *unsupported) Error() string { return e.reason }

// operation accepts the arguments of a case and returns the object that PROTOCOL.md describes. Operations are called
// one after another. An operation that must wait returns a waiting function. For example:
//
//	func canonicalize(c *call) (any, error) {
//		input, isText := c.args["text"].(string)
//		if !isText {
//			return nil, &unsupported{"the library accepts only JSON text"}
//		}
//		text, err := mylibrary.Canonicalize(input)
//		return object{"text": text}, err
//	}
//
//	func newTransport(c *call) (any, error) {
//		return object{"handle": c.keep(mylibrary.NewTransport())}, nil
//	}
//
//	func receive(c *call) (any, error) {
//		transport := c.on.(*mylibrary.Transport)
//		return waiting(func(ctx context.Context) (any, error) {
//			message, err := transport.Receive(ctx)
//			return object{"message": message}, err
//		}), nil
//	}
type operation func(c *call) (any, error)

// waiting runs concurrently with other operations.
type waiting func(ctx context.Context) (any, error)

type object map[string]any

var operations = map[string]operation{}

// Operations that this driver does not implement yet, with their arguments and the members of their results.
// PROTOCOL.md in the package @parley/conformance describes them in detail:
//
${operations.map((line) => `//	${line}`).join("\n")}

// call is the context of an operation: its arguments, the object it is called on, and the registry of new objects.
type call struct {
	args    map[string]any
	on      any
	objects map[string]any
}

// keep registers an object and returns its handle.
func (c *call) keep(thing any) string {
	handle := fmt.Sprintf("h%d", len(c.objects)+1)
	c.objects[handle] = thing
	return handle
}

type message struct {
	Type string
	Seq  int
	Op   string
	Args map[string]any
	On   string
}

// caseState holds the objects and running operations of one case.
type caseState struct {
	objects map[string]any
	running map[int]context.CancelFunc
}

func newCase() *caseState {
	return &caseState{map[string]any{}, map[int]context.CancelFunc{}}
}

var (
	mutex   sync.Mutex // guards current, the running operations and output
	current = newCase()
	output  = json.NewEncoder(os.Stdout)
)

func main() {
	input := bufio.NewReader(os.Stdin)
	for {
		line, err := input.ReadBytes('\n')
		if err != nil {
			return
		}
		var next message
		if err := json.Unmarshal(line, &next); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if next.Type == "bye" {
			return
		}
		take(next)
	}
}

func take(next message) {
	switch next.Type {
	case "hello":
		names := []string{}
		for name := range operations {
			names = append(names, name)
		}
		implementation := object{"name": "my library", "version": "0", "language": "go"}
		write(object{"type": "hello", "protocol": 1, "implementation": implementation, "ops": names})
	case "case":
		mutex.Lock()
		defer mutex.Unlock()
		for _, cancel := range current.running {
			cancel()
		}
		current = newCase()
	case "op":
		start(next, current)
	case "abort":
		mutex.Lock()
		defer mutex.Unlock()
		if cancel, isRunning := current.running[next.Seq]; isRunning {
			cancel()
		}
	}
}

func start(next message, state *caseState) {
	act, isKnown := operations[next.Op]
	if !isKnown {
		finish(state, next.Seq, object{"unsupported": object{"reason": "no operation " + next.Op}})
		return
	}
	value, result := settle(func() (any, error) {
		return act(&call{next.Args, state.objects[next.On], state.objects})
	})
	wait, isWaiting := value.(waiting)
	if !isWaiting {
		finish(state, next.Seq, result)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	mutex.Lock()
	state.running[next.Seq] = cancel
	mutex.Unlock()
	go func() {
		defer cancel()
		_, result := settle(func() (any, error) { return wait(ctx) })
		finish(state, next.Seq, result)
	}()
}

// finish writes a result, unless its case has ended.
func finish(state *caseState, seq int, result object) {
	mutex.Lock()
	delete(state.running, seq)
	isCurrent := state == current
	mutex.Unlock()
	if !isCurrent {
		return
	}
	result["type"], result["seq"] = "result", seq
	write(result)
}

// settle calls a function. It returns the value of the function, and the members of the result line.
func settle(act func() (any, error)) (value any, result object) {
	defer func() {
		if reason := recover(); reason != nil {
			result = object{"fault": object{"message": fmt.Sprint(reason), "trace": string(debug.Stack())}}
		}
	}()
	value, err := act()
	var known libraryError
	var lacking *unsupported
	switch {
	case err == nil:
		return value, object{"ok": value}
	case errors.As(err, &lacking):
		return nil, object{"unsupported": object{"reason": lacking.reason}}
	case errors.As(err, &known):
		return nil, object{"error": known}
	case errors.Is(err, context.Canceled):
		return nil, object{"error": object{"code": "aborted", "message": "aborted"}}
	}
	return nil, object{"fault": object{"message": err.Error()}}
}

func write(line object) {
	mutex.Lock()
	defer mutex.Unlock()
	if err := output.Encode(line); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}
`;
}
