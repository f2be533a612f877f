package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type none struct{}

type numbers struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

type sum struct {
	Sum float64 `json:"sum"`
}

type region struct {
	Region string `json:"region"`
}

var (
	pixel   = decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==")
	silence = decode("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=")
)

func decode(text string) []byte {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return data
}

func text(value string) *mcp.TextContent { return &mcp.TextContent{Text: value} }

func image() *mcp.ImageContent { return &mcp.ImageContent{Data: pixel, MIMEType: "image/png"} }

func embedded(uri, value string) *mcp.EmbeddedResource {
	contents := &mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: value}
	return &mcp.EmbeddedResource{Resource: contents}
}

// addContent adds a tool without arguments that returns fixed content.
func addContent(server *mcp.Server, name, description string, content ...mcp.Content) {
	addPlain(server, name, description, func(context.Context, *mcp.CallToolRequest) ([]mcp.Content, error) {
		return content, nil
	})
}

// addPlain adds a tool without arguments.
func addPlain(
	server *mcp.Server,
	name, description string,
	handle func(context.Context, *mcp.CallToolRequest) ([]mcp.Content, error),
) {
	mcp.AddTool(server, &mcp.Tool{Name: name, Description: description},
		func(ctx context.Context, req *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, any, error) {
			content, err := handle(ctx, req)
			if err != nil {
				return nil, nil, err
			}
			return &mcp.CallToolResult{Content: content}, nil, nil
		})
}

func addTools(server *mcp.Server) {
	addContent(server, "test_simple_text", "Returns text", text("This is a simple text response for testing."))
	addContent(server, "test_image_content", "Returns an image", image())
	addContent(server, "test_audio_content", "Returns audio",
		&mcp.AudioContent{Data: silence, MIMEType: "audio/wav"})
	addContent(server, "test_embedded_resource", "Returns a resource with its contents",
		embedded("test://embedded-resource", "This is an embedded resource content."))
	addContent(server, "test_resource_link", "Returns a link to a resource",
		&mcp.ResourceLink{URI: "test://static-text", Name: "Static text"})
	addContent(server, "test_multiple_content_types", "Returns text, an image and a resource",
		text("Multiple content types test:"), image(), embedded("test://mixed-content-resource", "{}"))
	addPlain(server, "test_error_handling", "Fails",
		func(context.Context, *mcp.CallToolRequest) ([]mcp.Content, error) {
			return nil, errors.New("This tool intentionally returns an error for testing")
		})
	addPlain(server, "test_tool_with_progress", "Reports progress three times", reportProgress)
	addPlain(server, "test_tool_with_logging", "Logs three messages", logMessages)
	addPlain(server, "test_trigger_tool_change", "Changes the tool list",
		func(context.Context, *mcp.CallToolRequest) ([]mcp.Content, error) {
			addContent(server, "test_short_lived", "Is removed immediately", text("hi"))
			server.RemoveTools("test_short_lived")
			return []mcp.Content{text("changed")}, nil
		})
	addPlain(server, "test_trigger_prompt_change", "Changes the prompt list",
		func(context.Context, *mcp.CallToolRequest) ([]mcp.Content, error) {
			addPrompt(server, "test_short_lived", "Is removed immediately", nil, text("hi"))
			server.RemovePrompts("test_short_lived")
			return []mcp.Content{text("changed")}, nil
		})
	addPlain(server, "test_trigger_resource_update", "Sends an update notification for the watched resource",
		func(ctx context.Context, _ *mcp.CallToolRequest) ([]mcp.Content, error) {
			params := &mcp.ResourceUpdatedNotificationParams{URI: watched}
			return []mcp.Content{text("updated")}, server.ResourceUpdated(ctx, params)
		})
	mcp.AddTool(server, &mcp.Tool{Name: "add_numbers", Description: "Adds two numbers"},
		func(_ context.Context, _ *mcp.CallToolRequest, in numbers) (*mcp.CallToolResult, any, error) {
			total := strconv.FormatFloat(in.A+in.B, 'f', -1, 64)
			return &mcp.CallToolResult{Content: []mcp.Content{text(total)}}, nil, nil
		})
	mcp.AddTool(server, &mcp.Tool{
		Name:        "test_structured_output",
		Description: "Adds two numbers and returns the sum as structured content",
		Annotations: &mcp.ToolAnnotations{Title: "Sum", ReadOnlyHint: true, IdempotentHint: true},
	}, func(_ context.Context, _ *mcp.CallToolRequest, in numbers) (*mcp.CallToolResult, sum, error) {
		return nil, sum{in.A + in.B}, nil
	})
	mcp.AddTool(server, &mcp.Tool{
		Name:        "test_x_mcp_header",
		Description: "Has an argument that is mirrored in an HTTP header",
		InputSchema: json.RawMessage(`{
			"type": "object",
			"properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
			"required": ["region"]
		}`),
	}, func(_ context.Context, _ *mcp.CallToolRequest, in region) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{text("region: " + in.Region)}}, nil, nil
	})
	mcp.AddTool(server, &mcp.Tool{
		Name:        "json_schema_2020_12_tool",
		Description: "Has an input schema with many keywords of JSON Schema 2020-12",
		InputSchema: json.RawMessage(manyKeywords),
	}, func(_ context.Context, _ *mcp.CallToolRequest, in map[string]any) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{text(fmt.Sprint(in))}}, nil, nil
	})
}

const manyKeywords = `{
	"$schema": "https://json-schema.org/draft/2020-12/schema",
	"type": "object",
	"$defs": {
		"address": {
			"$anchor": "addressDef",
			"type": "object",
			"properties": {"street": {"type": "string"}, "city": {"type": "string"}}
		}
	},
	"properties": {
		"name": {"type": "string"},
		"address": {"$ref": "#/$defs/address"},
		"contactMethod": {"type": "string", "enum": ["phone", "email"]},
		"phone": {"type": "string"},
		"email": {"type": "string"}
	},
	"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
	"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
	"then": {"required": ["phone"]},
	"else": {"required": ["email"]},
	"additionalProperties": false
}`

func reportProgress(ctx context.Context, req *mcp.CallToolRequest) ([]mcp.Content, error) {
	token := req.Params.GetProgressToken()
	for _, step := range []float64{0, 50, 100} {
		if token == nil {
			break
		}
		err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token,
			Progress:      step,
			Total:         100,
			Message:       fmt.Sprintf("Completed step %.0f of 100", step),
		})
		if err != nil {
			return nil, err
		}
		if err := pause(ctx); err != nil {
			return nil, err
		}
	}
	return []mcp.Content{text("Done")}, nil
}

// pause waits between two notifications, unless the client cancels the call.
func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(50 * time.Millisecond):
		return nil
	}
}

func logMessages(ctx context.Context, req *mcp.CallToolRequest) ([]mcp.Content, error) {
	for _, step := range []string{"started", "continues", "completed"} {
		params := &mcp.LoggingMessageParams{Level: "info", Data: "Tool execution " + step}
		if err := req.Session.Log(ctx, params); err != nil {
			return nil, err
		}
		if err := pause(ctx); err != nil {
			return nil, err
		}
	}
	return []mcp.Content{text("Done")}, nil
}
