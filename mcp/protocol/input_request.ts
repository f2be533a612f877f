/**
 * Input requests, which a server sends to a client to request user input (elicitation), model
 * messages (sampling) or roots.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr Multi round-trip requests}
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import type { Role } from "./annotations.ts";
import type { ClientCapabilities } from "./capabilities.ts";
import type { AudioContent, ContentBlock, ImageContent, TextContent } from "./content.ts";
import { findContentFault } from "./elicit_content.ts";
import { Method } from "./methods.ts";
import type { McpToolDescriptor } from "./tool.ts";

/** Parameters for form mode elicitation. */
export interface ElicitForm {
  /** Elicitation mode. If omitted, the mode is `form`. */
  readonly mode?: "form";
  /** Message shown to the user with the form. */
  readonly message: string;
  /**
   * JSON Schema for the form. The schema must describe an object whose properties are strings,
   * numbers, booleans or enumerations.
   */
  readonly requestedSchema: JsonObject;
}

/** Parameters for URL mode elicitation, for input that must not pass through the client. */
export interface ElicitUrl {
  /** Elicitation mode. */
  readonly mode: "url";
  /** Message that explains to the user why to visit the URL. */
  readonly message: string;
  /** URL for the user to visit. */
  readonly url: string;
  /**
   * Identifier of the elicitation, referenced by `notifications/elicitation/complete`. The
   * identifier is used only in protocol version 2025-11-25. If omitted, clients with version
   * 2025-11-25 receive a random identifier.
   */
  readonly elicitationId?: string;
}

/** Result of an elicitation. */
export interface ElicitResult {
  /** Whether the user accepted or declined the request, or dismissed the dialog. */
  readonly action: "accept" | "decline" | "cancel";
  /** Form values, if the user accepted the request. */
  readonly content?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

/** A content block that contains a tool call by the model. */
export interface ToolUseContent {
  /** Type of the block. */
  readonly type: "tool_use";
  /** Identifier of the tool call, which the tool result refers to. */
  readonly id: string;
  /** Name of the tool. */
  readonly name: string;
  /** Arguments of the tool call. */
  readonly input: JsonObject;
}

/** A content block that contains the result of a tool call. */
export interface ToolResultContent {
  /** Type of the block. */
  readonly type: "tool_result";
  /** Identifier of the tool call. */
  readonly toolUseId: string;
  /** Result as content blocks. */
  readonly content: readonly ContentBlock[];
  /** Result as a JSON value. */
  readonly structuredContent?: unknown;
  /** Whether the tool call failed. */
  readonly isError?: boolean;
}

/** A content block in a sampling message. */
export type SamplingContent =
  | TextContent
  | ImageContent
  | AudioContent
  | ToolUseContent
  | ToolResultContent;

/** A message in a conversation with the client's model. */
export interface SamplingMessage {
  /** Author of the message. */
  readonly role: Role;
  /** Content of the message. */
  readonly content: SamplingContent | readonly SamplingContent[];
}

/** Parameters for `sampling/createMessage`. */
export interface CreateMessageParams {
  /** Messages in the conversation. */
  readonly messages: readonly SamplingMessage[];
  /** Maximum number of tokens in the response. */
  readonly maxTokens: number;
  /** System prompt. */
  readonly systemPrompt?: string;
  /** Sampling temperature. 0 is the least random. */
  readonly temperature?: number;
  /** Strings that end the response when the model generates them. */
  readonly stopSequences?: readonly string[];
  /** Model selection preferences. */
  readonly modelPreferences?: JsonObject;
  /** MCP servers whose context the client should add to the prompt. */
  readonly includeContext?: "none" | "thisServer" | "allServers";
  /** Tools that the model can call. */
  readonly tools?: readonly McpToolDescriptor[];
  /** Whether the model may (`auto`), must (`required`) or must not (`none`) call tools. */
  readonly toolChoice?: { readonly mode?: "auto" | "required" | "none" };
  /** Metadata for the model provider. */
  readonly metadata?: JsonObject;
}

/** Result of `sampling/createMessage`. */
export interface CreateMessageResult extends SamplingMessage {
  /** Name of the model that generated the message. */
  readonly model: string;
  /**
   * Reason generation stopped: `endTurn`, `stopSequence`, `maxTokens`, `toolUse` or a custom value.
   */
  readonly stopReason?: string;
}

/** A folder or file that the server may use. */
export interface Root {
  /** `file:` URI of the folder or file. */
  readonly uri: string;
  /** Display name of the root. */
  readonly name?: string;
}

/** Result of `roots/list`. */
export interface ListRootsResult {
  /** The client's roots. */
  readonly roots: readonly Root[];
}

/** A request for input from the client's user. */
export interface ElicitRequest {
  /** Request method. */
  readonly method: "elicitation/create";
  /** Form to display or URL to visit. */
  readonly params: ElicitForm | ElicitUrl;
}

/** A request for a message from the client's model. */
export interface CreateMessageRequest {
  /** Request method. */
  readonly method: "sampling/createMessage";
  /** Conversation and model settings. */
  readonly params: CreateMessageParams;
}

/** A request for the client's roots. */
export interface ListRootsRequest {
  /** Request method. */
  readonly method: "roots/list";
  /** Optional parameters, such as `_meta`. */
  readonly params?: JsonObject;
}

/**
 * A request for input that a server sends to a client while handling one of that client's requests.
 */
export type InputRequest = ElicitRequest | CreateMessageRequest | ListRootsRequest;

/** The response to an input request. */
export type InputResponse<Request extends InputRequest> = Request extends ElicitRequest
  ? ElicitResult
  : Request extends CreateMessageRequest ? CreateMessageResult
  : ListRootsResult;

/**
 * Returns the capability that an input request requires and the client does not declare, or
 * `undefined` if no capability is missing.
 */
export function missingCapability(
  request: InputRequest,
  declared: ClientCapabilities,
): ClientCapabilities | undefined {
  const needed = neededCapability(request);
  for (const [name, options] of Object.entries(needed)) {
    const has: unknown = Reflect.get(declared, name);
    if (!isRecord(has) || !Object.keys(options).every((key) => offers(has, key))) return needed;
  }
  return undefined;
}

function neededCapability(request: InputRequest): Record<string, JsonObject> {
  switch (request.method) {
    case Method.Elicit:
      return { elicitation: request.params.mode === "url" ? { url: {} } : { form: {} } };
    case Method.CreateMessage: {
      const { tools, toolChoice } = request.params;
      return { sampling: tools === undefined && toolChoice === undefined ? {} : { tools: {} } };
    }
    case Method.ListRoots:
      return { roots: {} };
    default:
      return request satisfies never;
  }
}

/**
 * Returns `true` if a capability object has the given member. An empty `elicitation` capability
 * declares `form`.
 */
function offers(capability: JsonObject, key: string): boolean {
  return isRecord(capability[key]) ||
    (key === "form" && !isRecord(capability.url));
}

/** Returns `true` if the parameters are valid for a form mode elicitation. */
export function isElicitForm(params: JsonObject): params is JsonObject & ElicitForm {
  return typeof params.message === "string" && isRecord(params.requestedSchema) &&
    (params.mode === undefined || params.mode === "form");
}

/** Returns `true` if the parameters are valid for a URL mode elicitation. */
export function isElicitUrl(params: JsonObject): params is JsonObject & ElicitUrl {
  return params.mode === "url" && typeof params.message === "string" &&
    typeof params.url === "string";
}

/** Returns `true` if the parameters are valid for `sampling/createMessage`. */
export function isCreateMessageParams(
  params: JsonObject,
): params is JsonObject & CreateMessageParams {
  return Array.isArray(params.messages) && typeof params.maxTokens === "number";
}

/** Returns `true` if a value is a structurally valid input request. */
export function isInputRequest(value: unknown): value is InputRequest {
  if (!isRecord(value)) return false;
  const { method, params } = value;
  if (method === Method.ListRoots) return params === undefined || isRecord(params);
  if (!isRecord(params)) return false;
  return method === Method.Elicit
    ? isElicitForm(params) || isElicitUrl(params)
    : method === Method.CreateMessage && isCreateMessageParams(params);
}

/**
 * Returns `true` if a value is a valid response to the input request. The content of an accepted
 * form must match the form's schema.
 */
export function isInputResponse<Request extends InputRequest>(
  request: Request,
  value: unknown,
): value is InputResponse<Request> {
  if (!isRecord(value)) return false;
  switch (request.method) {
    case Method.Elicit:
      return isElicitResult(value) && findResponseFault(request, value) === undefined;
    case Method.CreateMessage:
      return typeof value.role === "string" && typeof value.model === "string" &&
        typeof value.content === "object" && value.content !== null;
    case Method.ListRoots:
      return Array.isArray(value.roots) &&
        value.roots.every((root) => isRecord(root) && typeof root.uri === "string");
    default:
      return request satisfies never;
  }
}

/**
 * Returns the reason why the content of an accepted form does not match the form's schema, or
 * `undefined` if the content matches or the response accepts no form.
 */
export function findResponseFault(
  request: InputRequest,
  response: JsonObject,
): string | undefined {
  if (request.method !== Method.Elicit || request.params.mode === "url") return undefined;
  if (response.action !== "accept") return undefined;
  return findContentFault(request.params.requestedSchema, response.content);
}

function isElicitResult({ action, content }: JsonObject): boolean {
  if (action === "decline" || action === "cancel") return true;
  return action === "accept" && (content === undefined || isRecord(content));
}
