package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func addResources(server *mcp.Server) {
	addResource(server, "test://static-text", "Static text", mcp.ResourceContents{
		MIMEType: "text/plain", Text: "This is the content of the static text resource.",
	})
	addResource(server, "test://static-binary", "Static image", mcp.ResourceContents{
		MIMEType: "image/png", Blob: pixel,
	})
	addResource(server, watched, "Watched resource", mcp.ResourceContents{
		MIMEType: "text/plain", Text: "Watch me.",
	})
	server.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: "test://template/{id}/data", Name: "Data by id", MIMEType: "application/json",
	}, func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		id := strings.TrimSuffix(strings.TrimPrefix(req.Params.URI, "test://template/"), "/data")
		data := fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, id, id)
		contents := &mcp.ResourceContents{URI: req.Params.URI, MIMEType: "application/json", Text: data}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{contents}}, nil
	})
}

func addResource(server *mcp.Server, uri, name string, contents mcp.ResourceContents) {
	contents.URI = uri
	server.AddResource(&mcp.Resource{URI: uri, Name: name, MIMEType: contents.MIMEType},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{&contents}}, nil
		})
}

func addPrompts(server *mcp.Server) {
	addPrompt(server, "test_simple_prompt", "Has no arguments", nil, text("This is a simple prompt for testing."))
	addPrompt(server, "test_prompt_with_image", "Contains an image", nil, image())
	server.AddPrompt(&mcp.Prompt{
		Name:        "test_prompt_with_arguments",
		Description: "Has two arguments",
		Arguments: []*mcp.PromptArgument{
			{Name: "arg1", Description: "The first", Required: true},
			{Name: "arg2", Description: "The second", Required: true},
		},
	}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		in := req.Params.Arguments
		return user(text(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", in["arg1"], in["arg2"]))), nil
	})
	server.AddPrompt(&mcp.Prompt{
		Name:        "test_prompt_with_embedded_resource",
		Description: "Contains a resource",
		Arguments:   []*mcp.PromptArgument{{Name: "resourceUri", Description: "URI of the resource", Required: true}},
	}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return user(embedded(req.Params.Arguments["resourceUri"], "Embedded resource content")), nil
	})
}

func addPrompt(server *mcp.Server, name, description string, args []*mcp.PromptArgument, content mcp.Content) {
	prompt := &mcp.Prompt{Name: name, Description: description, Arguments: args}
	server.AddPrompt(prompt, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return user(content), nil
	})
}

func user(content mcp.Content) *mcp.GetPromptResult {
	return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: content}}}
}
