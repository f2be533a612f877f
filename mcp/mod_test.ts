import { assertEquals } from "@std/assert";
import * as mcp from "./mod.ts";
import * as client from "./client.ts";
import * as protocol from "./protocol.ts";
import * as server from "./server.ts";
import type {
  McpCapabilities,
  McpClientConfig,
  McpErrorCodeType,
  McpErrorObject,
  McpPrompt,
  McpPromptArgument,
  McpRequest,
  McpRequestId,
  McpResource,
  McpResponse,
  McpServerConfig,
  McpToolDescriptor,
  McpTransport,
  OAuthConfig,
  PkceChallenge,
  PromptHandler,
  ResourceHandler,
  StdioLineReader,
  StdioLineWriter,
  StdioTransportOptions,
  ToolHandler,
  TransportConfig,
} from "./mod.ts";

/**
 * The specified types. This file does not compile if the main entry point lacks one of the
 * specified types.
 */
export type SpecifiedTypes = [
  McpCapabilities,
  McpClientConfig,
  McpErrorCodeType,
  McpErrorObject,
  McpPrompt,
  McpPromptArgument,
  McpRequest,
  McpRequestId,
  McpResource,
  McpResponse,
  McpServerConfig,
  McpToolDescriptor,
  McpTransport,
  OAuthConfig,
  PkceChallenge,
  PromptHandler,
  ResourceHandler,
  StdioLineReader,
  StdioLineWriter,
  StdioTransportOptions,
  ToolHandler,
  TransportConfig,
];

Deno.test("the main entry point of mcp exports the specified functions and classes, and four functions that serve", () => {
  assertEquals(Object.keys(mcp).sort(), [
    "HttpTransport",
    "McpClient",
    "McpError",
    "McpErrorCode",
    "McpServer",
    "SseTransport",
    "StdioTransport",
    "createMemoryTransport",
    "createTransport",
    "generatePkceChallenge",
    "mcpHandler",
    "servePipe",
    "serveStdio",
  ]);
});

Deno.test("the entry points /client and /server of mcp export the same values as the main entry point", () => {
  const parts = new Map<string, unknown>(Object.entries({ ...client, ...server }));
  for (const [name, value] of Object.entries(mcp)) {
    if (name === "generatePkceChallenge") continue;
    assertEquals([name, parts.get(name) === value], [name, true]);
  }
});

Deno.test("the entry point /protocol of mcp exports only types", () => {
  assertEquals(Object.keys(protocol), []);
});
