// Command driver runs the comm cases of parley-kit on the package parleycomm.
//
//	go build -o /tmp/go_driver . && parley-kit run --driver /tmp/go_driver --lib comm
//
// The driver implements the protocol in PROTOCOL.md: one JSON object per line
// on standard input and output.
package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"parley.example/driver/parleycomm"
)

// arguments are the arguments of an operation.
type arguments map[string]any

func (a arguments) text(name string) string {
	text, _ := a[name].(string)
	return text
}

func (a arguments) hex(name string) []byte { return decodeHex(a.text(name)) }

func (a arguments) number(name string, otherwise float64) float64 {
	if number, isNumber := a[name].(float64); isNumber {
		return number
	}
	return otherwise
}

func (a arguments) object(name string) arguments {
	members, _ := a[name].(map[string]any)
	return members
}

// call is the context of an operation: the object it is called on, and a
// registry for new objects.
type call struct {
	arguments
	ctx     context.Context
	on      any
	objects map[string]any
}

// keep registers a new object and returns its handle.
func (c *call) keep(object any) string {
	handle := fmt.Sprintf("h%d", len(c.objects)+1)
	c.objects[handle] = object
	return handle
}

// operation returns the "ok" of its result, or a waiting function.
// Operations are called one after another, so that their order is the order
// of the lines.
type operation func(c *call) (any, error)

// waiting is run concurrently with other operations and returns the "ok" of
// the result.
type waiting func(ctx context.Context) (any, error)

// conversation is the driver's end of the connection to the kit.
type conversation struct {
	mutex   sync.Mutex
	output  *json.Encoder
	current *caseState
}

// caseState holds the objects and running operations of one case.
type caseState struct {
	ctx     context.Context
	cancel  context.CancelFunc
	objects map[string]any
	running map[float64]context.CancelFunc
}

func newCase() *caseState {
	ctx, cancel := context.WithCancel(context.Background())
	return &caseState{ctx, cancel, map[string]any{}, map[float64]context.CancelFunc{}}
}

func main() {
	maps.Copy(operations, peerOperations)
	output := json.NewEncoder(os.Stdout)
	output.SetEscapeHTML(false)
	kit := &conversation{output: output, current: newCase()}
	if err := kit.listen(bufio.NewReader(os.Stdin)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// listen handles lines until the kit sends the bye message or closes the
// connection.
func (k *conversation) listen(input *bufio.Reader) error {
	for {
		line, err := input.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		// Cases contain strings with lone surrogates, which encoding/json would replace.
		value, err := parleycomm.ParseLenientJSON(line)
		if err != nil {
			return err
		}
		message, _ := value.(map[string]any)
		if message["type"] == "bye" {
			return nil
		}
		k.take(message)
	}
}

func (k *conversation) take(message arguments) {
	seq := message.number("seq", 0)
	switch message["type"] {
	case "hello":
		k.write(map[string]any{
			"type":           "hello",
			"protocol":       1,
			"implementation": map[string]any{"name": "parleycomm", "version": "0.1.0", "language": "go"},
			"ops":            slices.Sorted(maps.Keys(operations)),
			"features":       features,
		})
	case "case":
		k.mutex.Lock()
		k.current.cancel()
		k.current = newCase()
		k.mutex.Unlock()
	case "op":
		k.start(seq, message)
	case "abort":
		k.mutex.Lock()
		cancel, isRunning := k.current.running[seq]
		k.mutex.Unlock()
		if isRunning {
			cancel()
		}
	}
}

// start calls an operation, and waits for its result in the background if
// necessary.
func (k *conversation) start(seq float64, message arguments) {
	current := k.current
	act, isKnown := operations[message.text("op")]
	if !isKnown {
		reason := "unknown operation " + message.text("op")
		k.finish(current, seq, map[string]any{"unsupported": map[string]any{"reason": reason}})
		return
	}
	ctx, cancel := context.WithCancel(current.ctx)
	k.mutex.Lock()
	current.running[seq] = cancel
	k.mutex.Unlock()
	c := &call{message.object("args"), ctx, current.objects[message.text("on")], current.objects}
	value, result := settle(func() (any, error) { return act(c) })
	wait, isWaiting := value.(waiting)
	if !isWaiting {
		k.finish(current, seq, result)
		return
	}
	go func() {
		_, result := settle(func() (any, error) { return wait(ctx) })
		k.finish(current, seq, result)
	}()
}

// finish writes the result of an operation, unless its case has ended.
func (k *conversation) finish(current *caseState, seq float64, result map[string]any) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if cancel, isRunning := current.running[seq]; isRunning {
		cancel()
		delete(current.running, seq)
	}
	if current != k.current {
		return
	}
	result["type"], result["seq"] = "result", seq
	k.write(result)
}

func (k *conversation) write(message map[string]any) {
	if err := k.output.Encode(message); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// settle calls a function. It returns the function's value, and the members
// of the result message.
func settle(act func() (any, error)) (value any, result map[string]any) {
	defer func() {
		if reason := recover(); reason != nil {
			fault := map[string]any{"message": fmt.Sprint(reason), "trace": string(debug.Stack())}
			result = map[string]any{"fault": fault}
		}
	}()
	value, err := act()
	var known *parleycomm.Error
	switch {
	case err == nil:
		return value, map[string]any{"ok": value}
	case errors.As(err, &known):
		data := known.Data
		if data == nil {
			data = map[string]any{}
		}
		return nil, map[string]any{"error": map[string]any{"code": known.Code, "message": known.Message, "data": data}}
	case errors.Is(err, context.Canceled):
		return nil, map[string]any{"error": map[string]any{"code": "aborted", "message": "aborted"}}
	}
	return nil, map[string]any{"fault": map[string]any{"message": err.Error()}}
}

func textAndBytes(text string) map[string]any {
	return map[string]any{"text": text, "utf8Hex": hex.EncodeToString([]byte(text))}
}

func padded(args arguments) string {
	text := args.text("text")
	return text + strings.Repeat(" ", max(0, int(args.number("padToBytes", 0))-len(text)))
}
