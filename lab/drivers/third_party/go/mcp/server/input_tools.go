package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type message struct {
	Message string `json:"message"`
}

type prompt struct {
	Prompt string `json:"prompt"`
}

func form(question, field string) *mcp.ElicitParams {
	schema := map[string]any{
		"type":       "object",
		"properties": map[string]any{field: map[string]any{"type": "string"}},
		"required":   []string{field},
	}
	return &mcp.ElicitParams{Message: question, RequestedSchema: schema}
}

func sample(question string) *mcp.CreateMessageParams {
	messages := []*mcp.SamplingMessage{{Role: "user", Content: text(question)}}
	return &mcp.CreateMessageParams{Messages: messages, MaxTokens: 100}
}

// ask adds a tool that sends input requests and converts the responses to text. The SDK sends the requests to clients
// of older protocol versions itself and calls the handler again with the responses.
func ask[In any](
	server *mcp.Server,
	name string,
	requests func(In) mcp.InputRequestMap,
	respond func(mcp.InputResponseMap) string,
) {
	mcp.AddTool(server, &mcp.Tool{Name: name, Description: "Sends input requests"},
		func(_ context.Context, req *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
			wanted, given := requests(in), req.Params.InputResponses
			if err := checkCapabilities(req, wanted); err != nil {
				return nil, nil, err
			}
			for key := range wanted {
				if given[key] == nil {
					return &mcp.CallToolResult{InputRequests: wanted}, nil, nil
				}
			}
			return &mcp.CallToolResult{Content: []mcp.Content{text(respond(given))}}, nil, nil
		})
}

// checkCapabilities returns an error if the client does not support one of the requests.
func checkCapabilities(req *mcp.CallToolRequest, wanted mcp.InputRequestMap) error {
	declared, missing := req.ClientCapabilities(), &mcp.ClientCapabilities{}
	if declared == nil {
		declared = missing
	}
	isMissing := false
	for _, request := range wanted {
		switch request.(type) {
		case *mcp.ElicitParams:
			if declared.Elicitation == nil {
				missing.Elicitation, isMissing = &mcp.ElicitationCapabilities{}, true
			}
		case *mcp.CreateMessageParams:
			if declared.Sampling == nil {
				missing.Sampling, isMissing = &mcp.SamplingCapabilities{}, true
			}
		case *mcp.ListRootsParams:
			if declared.RootsV2 == nil {
				missing.RootsV2, isMissing = &mcp.RootCapabilities{}, true
			}
		}
	}
	if !isMissing {
		return nil
	}
	data, err := json.Marshal(mcp.MissingRequiredClientCapabilityData{RequiredCapabilities: missing})
	if err != nil {
		return err
	}
	return &jsonrpc.Error{
		Code:    mcp.CodeMissingRequiredClientCapabilities,
		Message: "the client lacks a capability that the tool needs",
		Data:    data,
	}
}

func addInputTools(server *mcp.Server) {
	ask(server, "test_elicitation",
		func(in message) mcp.InputRequestMap { return mcp.InputRequestMap{"user": form(in.Message, "username")} },
		func(given mcp.InputResponseMap) string {
			response, err := json.Marshal(given["user"])
			if err != nil {
				return err.Error()
			}
			return "User response: " + string(response)
		})
	ask(server, "test_sampling",
		func(in prompt) mcp.InputRequestMap { return mcp.InputRequestMap{"answer": sample(in.Prompt)} },
		func(given mcp.InputResponseMap) string { return "LLM response: " + sampled(given["answer"]) })
	ask(server, "test_input_required_result_elicitation",
		func(none) mcp.InputRequestMap {
			return mcp.InputRequestMap{"user_name": form("What is your name?", "name")}
		},
		func(given mcp.InputResponseMap) string {
			return fmt.Sprintf("Hello, %v!", field(given["user_name"], "name"))
		})
	ask(server, "test_input_required_result_sampling",
		func(none) mcp.InputRequestMap {
			return mcp.InputRequestMap{"capital_question": sample("What is the capital of France?")}
		},
		func(given mcp.InputResponseMap) string { return sampled(given["capital_question"]) })
	ask(server, "test_missing_capability",
		func(none) mcp.InputRequestMap { return mcp.InputRequestMap{"answer": sample("Hello?")} },
		func(given mcp.InputResponseMap) string { return sampled(given["answer"]) })
	ask(server, "test_input_required_result_list_roots",
		func(none) mcp.InputRequestMap { return mcp.InputRequestMap{"client_roots": &mcp.ListRootsParams{}} },
		func(given mcp.InputResponseMap) string { return roots(given["client_roots"]) })
	ask(server, "test_input_required_result_multiple_inputs",
		func(none) mcp.InputRequestMap {
			return mcp.InputRequestMap{
				"user_name":    form("What is your name?", "name"),
				"greeting":     sample("Write a greeting"),
				"client_roots": &mcp.ListRootsParams{},
			}
		},
		func(given mcp.InputResponseMap) string { return fmt.Sprintf("Received %d responses", len(given)) })
}

func field(response mcp.InputResponse, name string) any {
	if result, isForm := response.(*mcp.ElicitResult); isForm {
		return result.Content[name]
	}
	return nil
}

func sampled(response mcp.InputResponse) string {
	result, isSample := response.(*mcp.CreateMessageWithToolsResult)
	if !isSample {
		return "something else"
	}
	for _, content := range result.Content {
		if found, isText := content.(*mcp.TextContent); isText {
			return found.Text
		}
	}
	return "something else"
}

func roots(response mcp.InputResponse) string {
	uris := []string{}
	if result, isRoots := response.(*mcp.ListRootsResult); isRoots {
		for _, root := range result.Roots {
			uris = append(uris, root.URI)
		}
	}
	return strings.Join(uris, ", ")
}
