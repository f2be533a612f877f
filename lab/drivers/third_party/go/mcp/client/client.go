package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// client is a connected client and the progress that it has received.
type client struct {
	session  *mcp.ClientSession
	mutex    sync.Mutex
	progress []*mcp.ProgressNotificationParams
	tokens   int
}

// connection is what a case requires of a client.
type connection struct {
	Transport struct {
		URL     string
		Command string
		Args    []string
	}
	Handlers struct {
		Elicit        *mcp.ElicitResult
		ElicitURL     *mcp.ElicitResult
		CreateMessage *mcp.CreateMessageResult
		ListRoots     []*mcp.Root
	}
	Protocol string
}

// arguments are the arguments of all operations on a client.
type arguments struct {
	Name      string
	Arguments map[string]any
	URI       string
	Level     mcp.LoggingLevel
	Params    *mcp.CompleteParams
	TimeoutMs int
	Progress  bool
}

func connect(ctx context.Context, args json.RawMessage) (*client, error) {
	var in connection
	if err := json.Unmarshal(args, &in); err != nil {
		return nil, err
	}
	connected := &client{}
	options := &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{},
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
			connected.mutex.Lock()
			defer connected.mutex.Unlock()
			connected.progress = append(connected.progress, req.Params)
		},
	}
	if form, url := in.Handlers.Elicit, in.Handlers.ElicitURL; form != nil || url != nil {
		declared := &mcp.ElicitationCapabilities{}
		if form != nil {
			declared.Form = &mcp.FormElicitationCapabilities{}
		}
		if url != nil {
			declared.URL = &mcp.URLElicitationCapabilities{}
		}
		options.Capabilities.Elicitation = declared
		options.ElicitationHandler = func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			if req.Params.Mode == "url" {
				return url, nil
			}
			return form, nil
		}
	}
	if in.Handlers.CreateMessage != nil {
		options.CreateMessageHandler = func(
			context.Context, *mcp.CreateMessageRequest,
		) (*mcp.CreateMessageResult, error) {
			return in.Handlers.CreateMessage, nil
		}
	}
	if in.Handlers.ListRoots != nil {
		options.Capabilities.RootsV2 = &mcp.RootCapabilities{}
	}
	created := mcp.NewClient(&mcp.Implementation{Name: "go-sdk", Version: "1.0.0"}, options)
	created.AddRoots(in.Handlers.ListRoots...)
	session, err := created.Connect(ctx, transportOf(in), &mcp.ClientSessionOptions{ProtocolVersion: in.Protocol})
	if err != nil {
		return nil, err
	}
	connected.session = session
	return connected, nil
}

func transportOf(in connection) mcp.Transport {
	if in.Transport.URL != "" {
		return &mcp.StreamableClientTransport{Endpoint: in.Transport.URL}
	}
	return &mcp.CommandTransport{Command: exec.Command(in.Transport.Command, in.Transport.Args...)}
}

type operation func(ctx context.Context, on *client, in arguments) (any, error)

var operations = map[string]operation{
	"mcp.client.listTools": func(ctx context.Context, on *client, _ arguments) (any, error) {
		found, err := on.session.ListTools(ctx, nil)
		if err != nil {
			return nil, err
		}
		return object{"items": found.Tools}, nil
	},
	"mcp.client.listResources": func(ctx context.Context, on *client, _ arguments) (any, error) {
		found, err := on.session.ListResources(ctx, nil)
		if err != nil {
			return nil, err
		}
		return object{"items": found.Resources}, nil
	},
	"mcp.client.listResourceTemplates": func(ctx context.Context, on *client, _ arguments) (any, error) {
		found, err := on.session.ListResourceTemplates(ctx, nil)
		if err != nil {
			return nil, err
		}
		return object{"items": found.ResourceTemplates}, nil
	},
	"mcp.client.listPrompts": func(ctx context.Context, on *client, _ arguments) (any, error) {
		found, err := on.session.ListPrompts(ctx, nil)
		if err != nil {
			return nil, err
		}
		return object{"items": found.Prompts}, nil
	},
	"mcp.client.callTool": callTool,
	"mcp.client.getResource": func(ctx context.Context, on *client, in arguments) (any, error) {
		result, err := on.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: in.URI})
		return object{"result": result}, err
	},
	"mcp.client.getPrompt": func(ctx context.Context, on *client, in arguments) (any, error) {
		texts := map[string]string{}
		for name, value := range in.Arguments {
			texts[name] = fmt.Sprint(value)
		}
		result, err := on.session.GetPrompt(ctx, &mcp.GetPromptParams{Name: in.Name, Arguments: texts})
		return object{"result": result}, err
	},
	"mcp.client.complete": func(ctx context.Context, on *client, in arguments) (any, error) {
		result, err := on.session.Complete(ctx, in.Params)
		if err != nil {
			return nil, err
		}
		return object{"result": result.Completion}, nil
	},
	"mcp.client.setLogLevel": func(ctx context.Context, on *client, in arguments) (any, error) {
		return object{}, on.session.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: in.Level})
	},
}

func callTool(ctx context.Context, on *client, in arguments) (any, error) {
	if in.TimeoutMs > 0 {
		limited, cancel := context.WithTimeout(ctx, time.Duration(in.TimeoutMs)*time.Millisecond)
		defer cancel()
		ctx = limited
	}
	params := &mcp.CallToolParams{Name: in.Name, Arguments: in.Arguments}
	token := ""
	if in.Progress {
		token = on.newToken()
		params.SetProgressToken(token)
	}
	result, err := on.session.CallTool(ctx, params)
	if err != nil {
		return nil, err
	}
	return object{"result": result, "progress": on.progressOf(token)}, nil
}

func (c *client) newToken() string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.tokens++
	return fmt.Sprintf("call-%d", c.tokens)
}

func (c *client) progressOf(token string) []object {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	found := []object{}
	for _, each := range c.progress {
		if each.ProgressToken == token {
			found = append(found, object{
				"progress": each.Progress, "total": each.Total, "message": each.Message,
			})
		}
	}
	return found
}
