/**
 * Input requests: user input (elicitation), model messages (sampling) and roots that a server requests from a client.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr Multi round-trip requests}
 * @module
 */

import { isJsonObject, type JsonObject } from "../shared/json.ts";
import type { Role } from "./annotations.ts";
import type { ClientCapabilities } from "./capabilities.ts";
import type { AudioContent, ContentBlock, ImageContent, TextContent } from "./content.ts";
import { Method } from "./methods.ts";
import type { McpToolDescriptor } from "./tool.ts";

/** Parameters of an elicitation with a form. */
export interface ElicitForm {
  /** Elicitation mode. If omitted, `form`. */
  readonly mode?: "form";
  /** Text for the user, shown with the form. */
  readonly message: string;
  /** JSON Schema of the form: an object whose properties are strings, numbers, booleans or enumerations. */
  readonly requestedSchema: JsonObject;
}

/** Parameters of an elicitation with a URL, for input that must not pass through the client. */
export interface ElicitUrl {
  /** Elicitation mode. */
  readonly mode: "url";
  /** Text for the user, which explains why the URL must be visited. */
  readonly message: string;
  /** URL that the user visits. */
  readonly url: string;
}

/** Result of an elicitation. */
export interface ElicitResult {
  /** Whether the user accepted or declined the request, or dismissed the dialog. */
  readonly action: "accept" | "decline" | "cancel";
  /** Values of the form, if the user accepted the request. */
  readonly content?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

/** A block with a tool call of the model. */
export interface ToolUseContent {
  /** Type of the block. */
  readonly type: "tool_use";
  /** Identifier of the tool call. The tool result refers to it. */
  readonly id: string;
  /** Name of the tool. */
  readonly name: string;
  /** Arguments of the tool call. */
  readonly input: JsonObject;
}

/** A block with the result of a tool call. */
export interface ToolResultContent {
  /** Type of the block. */
  readonly type: "tool_result";
  /** Identifier of the tool call. */
  readonly toolUseId: string;
  /** Content blocks of the result. */
  readonly content: readonly ContentBlock[];
  /** Result as a JSON value. */
  readonly structuredContent?: unknown;
  /** Whether the tool call failed. */
  readonly isError?: boolean;
}

/** A content block of a sampling message. */
export type SamplingContent =
  | TextContent
  | ImageContent
  | AudioContent
  | ToolUseContent
  | ToolResultContent;

/** A message of a conversation with the model of the client. */
export interface SamplingMessage {
  /** Author of the message. */
  readonly role: Role;
  /** Content of the message. */
  readonly content: SamplingContent | readonly SamplingContent[];
}

/** Parameters of `sampling/createMessage`. */
export interface CreateMessageParams {
  /** Messages of the conversation. */
  readonly messages: readonly SamplingMessage[];
  /** Maximum number of tokens in the response. */
  readonly maxTokens: number;
  /** System prompt. */
  readonly systemPrompt?: string;
  /** Sampling temperature. 0 is the least random. */
  readonly temperature?: number;
  /** Strings that end the response when the model generates them. */
  readonly stopSequences?: readonly string[];
  /** Preferences for the selection of the model. */
  readonly modelPreferences?: JsonObject;
  /** MCP servers whose context the client adds to the prompt. */
  readonly includeContext?: "none" | "thisServer" | "allServers";
  /** Tools that the model can call. */
  readonly tools?: readonly McpToolDescriptor[];
  /** Whether the model can, must or must not call tools. */
  readonly toolChoice?: { readonly mode?: "auto" | "required" | "none" };
  /** Metadata for the model provider. */
  readonly metadata?: JsonObject;
}

/** Result of `sampling/createMessage`. */
export interface CreateMessageResult extends SamplingMessage {
  /** Name of the model that generated the message. */
  readonly model: string;
  /** Reason why generation stopped: `endTurn`, `stopSequence`, `maxTokens`, `toolUse` or a custom value. */
  readonly stopReason?: string;
}

/** A folder or file that the server may use. */
export interface Root {
  /** URI of the folder or file, with the scheme `file:`. */
  readonly uri: string;
  /** Display name of the root. */
  readonly name?: string;
}

/** Result of `roots/list`. */
export interface ListRootsResult {
  /** Roots of the client. */
  readonly roots: readonly Root[];
}

/** Requests input from the user of the client. */
export interface ElicitRequest {
  /** Method of the request. */
  readonly method: "elicitation/create";
  /** Form to show, or URL to visit. */
  readonly params: ElicitForm | ElicitUrl;
}

/** Requests a message from the model of the client. */
export interface CreateMessageRequest {
  /** Method of the request. */
  readonly method: "sampling/createMessage";
  /** Conversation and model settings. */
  readonly params: CreateMessageParams;
}

/** Requests the roots of the client. */
export interface ListRootsRequest {
  /** Method of the request. */
  readonly method: "roots/list";
  /** Parameters without required members. */
  readonly params?: JsonObject;
}

/** A request that a server makes to a client while it processes a request of that client. */
export type InputRequest = ElicitRequest | CreateMessageRequest | ListRootsRequest;

/** The response to an input request. */
export type InputResponse<Request extends InputRequest> = Request extends ElicitRequest
  ? ElicitResult
  : Request extends CreateMessageRequest ? CreateMessageResult
  : ListRootsResult;

/** Returns the client capability that an input request requires if it is not declared, otherwise `undefined`. */
export function missingCapability(
  request: InputRequest,
  declared: ClientCapabilities,
): ClientCapabilities | undefined {
  const needed = neededCapability(request);
  for (const [name, options] of Object.entries(needed)) {
    const has: unknown = Reflect.get(declared, name);
    if (!isJsonObject(has) || !Object.keys(options).every((key) => offers(has, key))) return needed;
  }
  return undefined;
}

function neededCapability(request: InputRequest): Record<string, JsonObject> {
  switch (request.method) {
    case Method.Elicit:
      return { elicitation: request.params.mode === "url" ? { url: {} } : { form: {} } };
    case Method.CreateMessage:
      return { sampling: request.params.tools === undefined ? {} : { tools: {} } };
    case Method.ListRoots:
      return { roots: {} };
    default:
      return request satisfies never;
  }
}

/** Returns `true` if a capability has a member. An empty `elicitation` capability declares `form`. */
function offers(capability: JsonObject, key: string): boolean {
  return isJsonObject(capability[key]) ||
    (key === "form" && !isJsonObject(capability.url));
}

/** Returns `true` if a value has the shape of a response to the input request. */
export function isInputResponse<Request extends InputRequest>(
  request: Request,
  value: unknown,
): value is InputResponse<Request> {
  if (!isJsonObject(value)) return false;
  switch (request.method) {
    case Method.Elicit:
      return isElicitResult(value);
    case Method.CreateMessage:
      return typeof value.role === "string" && typeof value.model === "string" &&
        typeof value.content === "object" && value.content !== null;
    case Method.ListRoots:
      return Array.isArray(value.roots) &&
        value.roots.every((root) => isJsonObject(root) && typeof root.uri === "string");
    default:
      return request satisfies never;
  }
}

function isElicitResult({ action, content }: JsonObject): boolean {
  if (action === "decline" || action === "cancel") return true;
  return action === "accept" && (content === undefined || isJsonObject(content));
}
