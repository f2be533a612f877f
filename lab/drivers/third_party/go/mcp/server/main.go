// Command server is an MCP server with the kit's fixtures, built with the official Go SDK.
//
// It serves stdio, or HTTP if the first argument is a port. With the second argument "stateless", it keeps no sessions.
package main

import (
	"context"
	"log"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// watched is the URI of the resource to which clients can subscribe.
const watched = "test://watched-resource"

func main() {
	server := newServer()
	if len(os.Args) < 2 {
		if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			log.Fatal(err)
		}
		return
	}
	// The SDK serves protocol version 2026-07-28 over HTTP only without sessions.
	options := &mcp.StreamableHTTPOptions{Stateless: slices.Contains(os.Args, "stateless")}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, options)
	// The SDK leaves the validation of the Origin header to the program.
	http.Handle("/mcp", http.NewCrossOriginProtection().Handler(handler))
	log.Fatal(http.ListenAndServe(net.JoinHostPort("127.0.0.1", os.Args[1]), nil))
}

func newServer() *mcp.Server {
	accept := func(_ context.Context, req *mcp.SubscribeRequest) error {
		if !strings.HasPrefix(req.Params.URI, "test://") {
			return mcp.ResourceNotFoundError(req.Params.URI)
		}
		return nil
	}
	forget := func(context.Context, *mcp.UnsubscribeRequest) error { return nil }
	server := mcp.NewServer(&mcp.Implementation{Name: "go-sdk-server", Version: "1.0.0"}, &mcp.ServerOptions{
		CompletionHandler:  complete,
		SubscribeHandler:   accept,
		UnsubscribeHandler: forget,
	})
	addTools(server)
	addInputTools(server)
	addResources(server)
	addPrompts(server)
	return server
}

func complete(_ context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	words := []string{"1", "12", "123"}
	if req.Params.Ref.Type == "ref/prompt" {
		words = []string{"paris", "park"}
	}
	values := []string{}
	for _, word := range words {
		if strings.HasPrefix(word, req.Params.Argument.Value) {
			values = append(values, word)
		}
	}
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: values}}, nil
}
