/**
 * Tools that return content, report progress, send log messages or change lists.
 *
 * @module
 */

import type { McpServer, ToolHandler } from "@parley/mcp/server";

/** A red pixel as a PNG image, in base64. */
export const IMAGE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const AUDIO = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

const audio = { type: "audio", data: AUDIO, mimeType: "audio/wav" } as const;
const image = { type: "image", data: IMAGE, mimeType: "image/png" } as const;

/** Registers the tools. */
export function addContentTools(server: McpServer): void {
  for (const [name, [description, handler]] of Object.entries(PLAIN_TOOLS)) {
    server.registerTool({ name, description }, handler);
  }
  addSchemas(server);
  addChanges(server);
}

const PLAIN_TOOLS: Readonly<Record<string, readonly [string, ToolHandler]>> = {
  test_simple_text: ["Returns text", () => "This is a simple text response for testing."],
  test_image_content: ["Returns an image", () => ({ content: [image] })],
  test_annotated_content: ["Returns text with annotations", () => ({
    type: "text",
    text: "For the user",
    annotations: { audience: ["user"], priority: 0.5 },
  })],
  test_audio_content: ["Returns audio", () => ({ content: [audio] })],
  test_embedded_resource: ["Returns a resource with its contents", () => {
    const text = "This is an embedded resource content.";
    return { content: [resource("test://embedded-resource", "text/plain", text)] };
  }],
  test_multiple_content_types: ["Returns text, an image and a resource", () => {
    const text = { type: "text", text: "Multiple content types test:" };
    const mixed = resource("test://mixed-content-resource", "application/json", '{"test":"data"}');
    return { content: [text, image, mixed] };
  }],
  test_error_handling: ["Fails", () => {
    throw new Error("This tool intentionally returns an error for testing");
  }],
  test_tool_with_logging: ["Logs three messages", async (_args, { log }) => {
    for (const step of ["started", "continues", "completed"]) {
      await log("info", `Tool execution ${step}`);
      await delay(50);
    }
  }],
  test_logging_tool: ["Logs a message", (_args, { log }) => log("info", "!")],
  test_tool_with_progress: ["Reports progress three times", async (_args, { progress }) => {
    for (const step of [0, 50, 100]) {
      await progress(step, { total: 100, message: `Completed step ${step} of 100` });
      await delay(50);
    }
    return "Done";
  }],
  test_reconnection: [
    "Closes the stream before the result is available",
    async (_args, { closeStream }) => {
      closeStream();
      await delay(100);
      return "Reconnection test completed successfully";
    },
  ],
};

function resource(uri: string, mimeType: string, text: string): object {
  return { type: "resource", resource: { uri, mimeType, text } };
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function addSchemas(server: McpServer): void {
  const [street, city, name, phone, email] = Array(5).fill({ type: "string" });
  const region = { type: "string", "x-mcp-header": "Region" };
  const address = { $ref: "#/$defs/address" };
  const contactMethod = { type: "string", enum: ["phone", "email"] };
  server.registerTool({
    name: "json_schema_2020_12_tool",
    description: "Has an input schema with many keywords of JSON Schema 2020-12",
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: { address: { $anchor: "addressDef", type: "object", properties: { street, city } } },
      properties: { name, address, contactMethod, phone, email },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    },
  }, (args) => args);
  server.registerTool({
    name: "test_x_mcp_header",
    description: "Has an argument that is mirrored in an HTTP header",
    inputSchema: { type: "object", properties: { region }, required: ["region"] },
  }, ({ region }: { region: string }) => `region: ${region}`);
}

function addChanges(server: McpServer): void {
  const name = "test_short_lived";
  server.registerTool(
    { name: "test_trigger_tool_change", description: "Changes the tool list" },
    () => {
      server.registerTool({ name, description: "Is removed immediately" }, () => "hi");
      server.removeTool(name);
    },
  );
  const description = "Changes the prompt list";
  server.registerTool({ name: "test_trigger_prompt_change", description }, () => {
    server.registerPrompt({ name, arguments: [] }, () => "hi");
    server.removePrompt(name);
  });
}
