/**
 * A server built with `@modelcontextprotocol/server`, on stdio.
 *
 * @module
 */

import {
  acceptedContent,
  completable,
  inputRequired,
  McpServer,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

/**
 * State shared by the servers that one factory creates. Over HTTP, each request has its own server
 * instance.
 */
interface SharedState {
  abortedCalls: number;
}

/** Creates a factory for servers that share state. */
export function sdkServerFactory(): () => McpServer {
  const state = { abortedCalls: 0 };
  return () => createServer(state);
}

function createServer(state: SharedState): McpServer {
  const server = new McpServer({ name: "sdk-v2", version: "1.0.0" }, {
    capabilities: { logging: {}, tools: { listChanged: true }, resources: { subscribe: true } },
    instructions: "Add.",
  });
  addTools(server);
  addLongTools(server, state);
  server.registerResource(
    "Welcome",
    "note://welcome",
    { mimeType: "text/plain" },
    (uri) => ({ contents: [{ uri: uri.href, text: "Welcome" }] }),
  );
  server.registerResource(
    "Notes",
    new ResourceTemplate("note://by/{author}", {
      list: undefined,
      complete: { author: (value) => ["Ada", "Alan"].filter((name) => name.startsWith(value)) },
    }),
    {},
    (uri, { author }) => ({ contents: [{ uri: uri.href, text: `By ${author}` }] }),
  );
  server.registerPrompt("greet", {
    argsSchema: z.object({
      name: completable(z.string(), (value) => ["Ada", "Alan"].filter((n) => n.startsWith(value))),
    }),
  }, ({ name }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Greet ${name}.` } }],
  }));
  return server;
}

function addTools(server: McpServer): void {
  server.registerTool("add", {
    description: "Adds",
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    outputSchema: z.object({ sum: z.number() }),
  }, ({ a, b }) => {
    const structuredContent = { sum: a + b };
    const text = JSON.stringify(structuredContent);
    return { content: [{ type: "text", text }], structuredContent };
  });
  server.registerTool("fail", { description: "Fails" }, () => {
    throw new Error("It went wrong");
  });
  server.registerTool("ask_user", { description: "Sends an input request" }, ({ mcpReq }) => {
    const requestedSchema = z.object({ name: z.string() });
    const input = acceptedContent(mcpReq.inputResponses, "name", requestedSchema);
    if (input !== undefined) return { content: [{ type: "text", text: `Hello ${input.name}` }] };
    const request = inputRequired.elicit({ message: "Who are you?", requestedSchema });
    return inputRequired({ inputRequests: { name: request } });
  });
  server.registerTool("grow", { description: "Registers a tool" }, () => {
    server.registerTool("grown", { description: "Registered later" }, () => ({ content: [] }));
    return { content: [] };
  });
}

function addLongTools(server: McpServer, state: SharedState): void {
  server.registerTool("report", { description: "Reports" }, async ({ mcpReq }) => {
    const { progressToken } = mcpReq._meta ?? {};
    for (const progress of [1, 2, 3]) {
      await mcpReq.log("info", { progress }, "reporter");
      if (progressToken === undefined) continue;
      await mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken, progress, total: 3 },
      });
    }
    return { content: [{ type: "text", text: "reported" }] };
  });
  server.registerTool("wait", { description: "Waits" }, async ({ mcpReq: { signal } }) => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    state.abortedCalls++;
    return { content: [] };
  });
  server.registerTool("given_up", { description: "Counts" }, () => ({
    content: [{ type: "text", text: `${state.abortedCalls}` }],
  }));
}

if (import.meta.main) serveStdio(sdkServerFactory());
