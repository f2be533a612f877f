// Command client is a driver for the client of the official Go SDK: one JSON object per line on standard input and
// output.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"sync"
)

type object map[string]any

type message struct {
	Type string
	Seq  int
	Op   string
	Args json.RawMessage
	On   string
}

// caseState holds the clients and running operations of one case.
type caseState struct {
	clients map[string]*client
	running map[int]context.CancelFunc
}

func newCase() *caseState {
	return &caseState{map[string]*client{}, map[int]context.CancelFunc{}}
}

var (
	mutex   sync.Mutex // guards current, its maps, and output
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
			log.Fatal(err)
		}
		if next.Type == "bye" {
			return
		}
		take(next)
	}
}

func take(next message) {
	mutex.Lock()
	defer mutex.Unlock()
	switch next.Type {
	case "hello":
		greet()
	case "case":
		end(current)
		current = newCase()
	case "op":
		ctx, cancel := context.WithCancel(context.Background())
		current.running[next.Seq] = cancel
		go answer(ctx, next, current)
	case "abort":
		if cancel, isRunning := current.running[next.Seq]; isRunning {
			cancel()
		}
	}
}

func greet() {
	names := []string{"mcp.client.connect", "mcp.client.disconnect"}
	for name := range operations {
		names = append(names, name)
	}
	output.Encode(object{
		"type":           "hello",
		"protocol":       1,
		"implementation": object{"name": "go-sdk", "version": "1.8.0", "language": "go"},
		"ops":            names,
		"features": object{
			"mcp.client.handlers": true,
			"mcp.client.dualEra":  true,
			"mcp.client.progress": true,
			"mcp.client.protocol": true,
		},
	})
}

// end aborts the operations of a case and closes its clients.
func end(state *caseState) {
	for _, cancel := range state.running {
		cancel()
	}
	for _, each := range state.clients {
		go each.session.Close()
	}
}

func answer(ctx context.Context, next message, state *caseState) {
	value, err := run(ctx, next, state)
	result := object{"ok": value}
	var unknown unknownOperation
	switch {
	case errors.As(err, &unknown):
		result = object{"unsupported": object{"reason": err.Error()}}
	case errors.Is(err, context.Canceled):
		result = object{"error": object{"code": "aborted", "message": "aborted"}}
	case err != nil:
		result = object{"error": object{"code": "error", "message": err.Error()}}
	}
	mutex.Lock()
	defer mutex.Unlock()
	state.running[next.Seq]()
	delete(state.running, next.Seq)
	if state != current {
		return
	}
	result["type"], result["seq"] = "result", next.Seq
	if err := output.Encode(result); err != nil {
		log.Print(err)
	}
}

type unknownOperation string

func (name unknownOperation) Error() string { return "no operation " + string(name) }

func run(ctx context.Context, next message, state *caseState) (any, error) {
	if next.Op == "mcp.client.connect" {
		opened, err := connect(ctx, next.Args)
		if err != nil {
			return nil, err
		}
		mutex.Lock()
		defer mutex.Unlock()
		handle := fmt.Sprintf("h%d", len(state.clients)+1)
		state.clients[handle] = opened
		return object{"handle": handle}, nil
	}
	mutex.Lock()
	on, isOpen := state.clients[next.On]
	mutex.Unlock()
	operation, isKnown := operations[next.Op]
	switch {
	case !isOpen:
		return nil, fmt.Errorf("no client %q", next.On)
	case next.Op == "mcp.client.disconnect":
		return object{}, on.session.Close()
	case !isKnown:
		return nil, unknownOperation(next.Op)
	}
	var in arguments
	if err := json.Unmarshal(next.Args, &in); err != nil && len(next.Args) > 0 {
		return nil, err
	}
	return operation(ctx, on, in)
}
