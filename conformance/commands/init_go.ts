/**
 * The driver skeleton in Go.
 *
 * @module
 */

/** Text before the list of operations. */
const START: string = String
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
//	func run(c *call) (any, error) {
//		return waiting(func(ctx context.Context) (any, error) {
//			// The model and the tools of a case are functions of the host.
//			model := func(request object) (any, error) { return c.host(ctx, "model.generate", request) }
//			return mylibrary.Run(model, c.args["input"])
//		}), nil
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

// features are the optional features in PROTOCOL.md that the library has. Cases that need other features are untestable.
var features = map[string]bool{}

// Operations that this driver does not implement yet, with their arguments and the members of their results.
// PROTOCOL.md in the package @parley/conformance describes them in detail:
//
`;

/** Text after the list of operations. */
const END: string = String.raw`

// call is the context of an operation: its arguments, the object it is called on, and the registry of new objects.
type call struct {
	args    map[string]any
	on      any
	objects map[string]any
	state   *caseState
}

// keep registers an object and returns its handle.
func (c *call) keep(thing any) string {
	handle := fmt.Sprintf("h%d", len(c.objects)+1)
	c.objects[handle] = thing
	return handle
}

// host calls a function of the host, such as a model or a tool of the case, and waits for its value. Only a waiting
// function can call it.
func (c *call) host(ctx context.Context, fn string, args any) (any, error) {
	answer := make(chan message, 1)
	mutex.Lock()
	lastCall++
	number := lastCall
	c.state.hostCalls[number] = answer
	mutex.Unlock()
	write(object{"type": "call", "call": number, "fn": fn, "args": args})
	select {
	case value := <-answer:
		if value.Error != nil {
			return nil, hostError{fmt.Sprint(value.Error["message"])}
		}
		if value.Special != "" {
			return nil, &unsupported{"no value " + value.Special} // PROTOCOL.md lists the values
		}
		return value.Ok, nil
	case <-ctx.Done():
		mutex.Lock()
		isCurrent := c.state == current
		mutex.Unlock()
		if isCurrent {
			write(object{"type": "cancelled", "call": number})
		}
		return nil, ctx.Err()
	}
}

// hostError is an error that a function of the host throws, such as a tool of the case.
type hostError struct{ reason string }

func (e hostError) Error() string { return e.reason }

type message struct {
	Type    string
	Seq     int
	Op      string
	Args    map[string]any
	On      string
	Call    int
	Ok      any
	Special string
	Error   map[string]any
}

// caseState holds the objects, running operations and host calls of one case.
type caseState struct {
	objects   map[string]any
	running   map[int]context.CancelFunc
	hostCalls map[int]chan message
}

func newCase() *caseState {
	return &caseState{map[string]any{}, map[int]context.CancelFunc{}, map[int]chan message{}}
}

var (
	mutex    sync.Mutex // guards current, its running operations and host calls, and output
	current  = newCase()
	lastCall = 0
	output   = json.NewEncoder(os.Stdout)
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
		write(object{"type": "hello", "protocol": 1, "implementation": implementation, "ops": names, "features": features})
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
	case "return":
		mutex.Lock()
		defer mutex.Unlock()
		if answer, isWaiting := current.hostCalls[next.Call]; isWaiting {
			delete(current.hostCalls, next.Call)
			answer <- next
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
		return act(&call{next.Args, state.objects[next.On], state.objects, state})
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

/**
 * Formats a driver that runs without changes but supports no operations.
 *
 * @param operations Lines that describe the operations, for a comment.
 */
export function goDriver(operations: readonly string[]): string {
  return `${START}${operations.map((line) => `//	${line}`).join("\n")}${END}`;
}
