/**
 * A server with something of everything, under the names that the official conformance servers use.
 *
 * @module
 */

import { McpServer } from "@parley/mcp/server";

/** One red pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/** The shortest sound: a header and no samples. */
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
const EMBEDDED = {
  uri: "test://embedded-resource",
  mimeType: "text/plain",
  text: "This is an embedded resource content.",
};

/** Makes the server. */
export function createEverythingServer(): McpServer {
  const server = new McpServer({ name: "parley-everything", version: "0.1.0" });
  addTools(server);
  addResources(server);
  addPrompts(server);
  return server;
}

function addTools(server: McpServer): void {
  server.registerTool(
    { name: "test_simple_text", description: "A text", inputSchema: { type: "object" } },
    () => "This is a simple text response for testing.",
  );
  server.registerTool(
    { name: "test_image_content", description: "An image", inputSchema: { type: "object" } },
    () => ({ content: [{ type: "image", data: PNG, mimeType: "image/png" }] }),
  );
  server.registerTool(
    { name: "test_audio_content", description: "A sound", inputSchema: { type: "object" } },
    () => ({ content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }] }),
  );
  server.registerTool(
    { name: "test_embedded_resource", description: "A resource", inputSchema: { type: "object" } },
    () => ({ content: [{ type: "resource", resource: EMBEDDED }] }),
  );
  server.registerTool(
    {
      name: "test_multiple_content_types",
      description: "Several",
      inputSchema: { type: "object" },
    },
    () => ({
      content: [
        { type: "text", text: "Multiple content types test:" },
        { type: "image", data: PNG, mimeType: "image/png" },
        { type: "resource", resource: EMBEDDED },
      ],
    }),
  );
  server.registerTool(
    { name: "test_error_handling", description: "Always fails", inputSchema: { type: "object" } },
    () => {
      throw new Error("This tool intentionally returns an error for testing");
    },
  );
  server.registerTool({
    name: "test_sampling",
    description: "Asks the client's model",
    inputSchema: { type: "object", properties: { prompt: { type: "string" } } },
  }, async ({ prompt }: { prompt: string }, context) => {
    const { content } = await context.ask("answer", {
      method: "sampling/createMessage",
      params: {
        messages: [{ role: "user", content: { type: "text", text: prompt } }],
        maxTokens: 100,
      },
    });
    return `LLM response: ${JSON.stringify(content)}`;
  });
  server.registerTool({
    name: "add_numbers",
    description: "Adds two numbers",
    inputSchema: {
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number" } },
      required: ["a", "b"],
    },
  }, ({ a, b }: { a: number; b: number }) => `${a + b}`);
}

function addResources(server: McpServer): void {
  server.registerResource(
    { uri: "test://static-text", name: "Static text", mimeType: "text/plain" },
    () => "This is the content of the static text resource.",
  );
  server.registerResource(
    { uri: "test://static-binary", name: "Static binary", mimeType: "image/png" },
    (uri) => ({ contents: [{ uri, mimeType: "image/png", blob: PNG }] }),
  );
}

function addPrompts(server: McpServer): void {
  server.registerPrompt(
    { name: "test_simple_prompt", description: "A prompt", arguments: [] },
    () => "This is a simple prompt for testing.",
  );
  server.registerPrompt({
    name: "test_prompt_with_arguments",
    description: "A prompt with arguments",
    arguments: [{ name: "arg1", required: true }, { name: "arg2", required: true }],
  }, ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`);
}
