/**
 * Message types in the Model Context Protocol (MCP): tools, resources, prompts, content, input
 * requests, capabilities, and the JSON-RPC 2.0 messages that carry them.
 *
 * Member names match the specification. All exports are types, so importing this module adds no
 * code to a program. `@parley/mcp` exports the types that programs use most often.
 *
 * ```ts
 * import type { ContentBlock, ImageContent } from "@parley/mcp/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * function isImage(block: ContentBlock): block is ImageContent {
 *   return block.type === "image";
 * }
 *
 * const content: ContentBlock[] = [
 *   { type: "text", text: "A red dot:" },
 *   { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
 * ];
 * assertEquals(content.filter(isImage).map(({ mimeType }) => mimeType), ["image/png"]);
 * ```
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema
 * @module
 */

export type {
  McpErrorObject,
  McpRequest,
  McpRequestId,
  McpResponse,
  RequestId,
  RpcFailure,
  RpcMessage,
  RpcNotification,
  RpcRequest,
  RpcResponse,
  RpcSuccess,
} from "./jsonrpc/message.ts";
export type { Deviation } from "./jsonrpc/deviation.ts";
export type { Frame, InvalidFrame, MessageFrame, ResponseFrame } from "./jsonrpc/read_frame.ts";
export type { Annotations, Role } from "./protocol/annotations.ts";
export type {
  ClientCapabilities,
  Icon,
  Implementation,
  McpCapabilities,
  ServerCapabilities,
} from "./protocol/capabilities.ts";
export type { ClientDescription } from "./protocol/client_description.ts";
export type { CompleteParams, Completion, CompletionReference } from "./protocol/completion.ts";
export type {
  AudioContent,
  BlockBase,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  ResourceLink,
  TextContent,
} from "./protocol/content.ts";
export type { ServerDescription } from "./protocol/initialize.ts";
export type {
  CreateMessageParams,
  CreateMessageRequest,
  CreateMessageResult,
  ElicitForm,
  ElicitRequest,
  ElicitResult,
  ElicitUrl,
  InputRequest,
  InputResponse,
  ListRootsRequest,
  ListRootsResult,
  Root,
  SamplingContent,
  SamplingMessage,
  ToolResultContent,
  ToolUseContent,
} from "./protocol/input_request.ts";
export type { LogLevel } from "./protocol/logging.ts";
export type { CacheHint } from "./protocol/modern.ts";
export type {
  GetPromptResult,
  McpPrompt,
  McpPromptArgument,
  PromptMessage,
} from "./protocol/prompt.ts";
export type {
  McpResource,
  McpResourceTemplate,
  ReadResourceResult,
  ResourceContents,
} from "./protocol/resource.ts";
export type { ProtocolVersion } from "./protocol/revisions.ts";
export type { CallToolResult, McpToolDescriptor, ToolAnnotations } from "./protocol/tool.ts";
export type { JsonObject } from "./shared/json.ts";
