/**
 * What a server may ask of the client's side while it works on a request: its user, its model, its roots.
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

/** A form for the user. */
export interface ElicitForm {
  /** Tells forms from URLs; a form when absent. */
  readonly mode?: "form";
  /** What is asked, for the user. */
  readonly message: string;
  /** JSON Schema of the answer: an object of strings, numbers, booleans and choices. */
  readonly requestedSchema: JsonObject;
}

/** A page that the user is sent to, for what must not pass through the client. */
export interface ElicitUrl {
  /** Tells forms from URLs. */
  readonly mode: "url";
  /** Why, for the user. */
  readonly message: string;
  /** The page. */
  readonly url: string;
}

/** What the user did. */
export interface ElicitResult {
  /** Accepted, said no, or went away. */
  readonly action: "accept" | "decline" | "cancel";
  /** The filled form, when it was accepted. */
  readonly content?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

/** The model asks for a tool. */
export interface ToolUseContent {
  /** Tells the blocks apart. */
  readonly type: "tool_use";
  /** What the result will refer to. */
  readonly id: string;
  /** Which tool. */
  readonly name: string;
  /** With which arguments. */
  readonly input: JsonObject;
}

/** What that tool gave. */
export interface ToolResultContent {
  /** Tells the blocks apart. */
  readonly type: "tool_result";
  /** Which call. */
  readonly toolUseId: string;
  /** What it gave. */
  readonly content: readonly ContentBlock[];
  /** The result as a JSON value. */
  readonly structuredContent?: unknown;
  /** Whether the tool failed. */
  readonly isError?: boolean;
}

/** A block of a conversation with the client's model. */
export type SamplingContent =
  | TextContent
  | ImageContent
  | AudioContent
  | ToolUseContent
  | ToolResultContent;

/** A message of a conversation with the client's model. */
export interface SamplingMessage {
  /** Who speaks. */
  readonly role: Role;
  /** What is said. */
  readonly content: SamplingContent | readonly SamplingContent[];
}

/** A question for the client's model. */
export interface CreateMessageParams {
  /** The conversation so far. */
  readonly messages: readonly SamplingMessage[];
  /** How many tokens the answer may have. */
  readonly maxTokens: number;
  /** The system prompt. */
  readonly systemPrompt?: string;
  /** From 0 (repeatable) upwards. */
  readonly temperature?: number;
  /** Texts that end the answer. */
  readonly stopSequences?: readonly string[];
  /** Which model would be best. */
  readonly modelPreferences?: JsonObject;
  /** Which context to add. */
  readonly includeContext?: "none" | "thisServer" | "allServers";
  /** Tools that the model may ask for. */
  readonly tools?: readonly McpToolDescriptor[];
  /** Whether it may, must or must not. */
  readonly toolChoice?: { readonly mode?: "auto" | "required" | "none" };
  /** Whatever the model's provider understands. */
  readonly metadata?: JsonObject;
}

/** What the client's model answered. */
export interface CreateMessageResult extends SamplingMessage {
  /** Which model. */
  readonly model: string;
  /** Why it stopped: `endTurn`, `stopSequence`, `maxTokens`, `toolUse` or another reason. */
  readonly stopReason?: string;
}

/** A folder or file that the client works in. */
export interface Root {
  /** A `file:` URI. */
  readonly uri: string;
  /** A name for people. */
  readonly name?: string;
}

/** The client's roots. */
export interface ListRootsResult {
  /** All of them. */
  readonly roots: readonly Root[];
}

/** A question to the client's user. */
export interface ElicitRequest {
  /** Tells the requests apart. */
  readonly method: "elicitation/create";
  /** A form or a page. */
  readonly params: ElicitForm | ElicitUrl;
}

/** A question to the client's model. */
export interface CreateMessageRequest {
  /** Tells the requests apart. */
  readonly method: "sampling/createMessage";
  /** The conversation. */
  readonly params: CreateMessageParams;
}

/** A question for the client's roots. */
export interface ListRootsRequest {
  /** Tells the requests apart. */
  readonly method: "roots/list";
  /** Nothing to say. */
  readonly params?: JsonObject;
}

/** A question to the client's side. */
export type InputRequest = ElicitRequest | CreateMessageRequest | ListRootsRequest;

/** The answer to a question. */
export type InputResponse<Request extends InputRequest> = Request extends ElicitRequest
  ? ElicitResult
  : Request extends CreateMessageRequest ? CreateMessageResult
  : ListRootsResult;

/** What a client must have declared to be asked, or undefined when it has. */
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

/** An empty elicitation capability means forms. */
function offers(capability: JsonObject, key: string): boolean {
  return isJsonObject(capability[key]) ||
    (key === "form" && !isJsonObject(capability.url));
}

/** Whether a value answers a question, as far as its shape goes. */
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
