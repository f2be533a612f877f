/**
 * Output items of the OpenAI Responses API in a conversation: their storage in parts, and the form
 * in which later requests contain them.
 *
 * Requests are stateless, so the server stores no items. An item is therefore sent back without its
 * id, which the server could not resolve.
 *
 * @see https://platform.openai.com/docs/guides/conversation-state
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import type { AssistantMessage, FilePart, ToolCall } from "../shared/model.ts";
import type { ProviderOptions } from "../shared/provider_options.ts";
import { toBase64 } from "./file_data.ts";
import { readRecord, readText, toJsonText, type WireObject } from "./response_fields.ts";
import { RESPONSES_CALL_IDS, toWireCallId } from "./tool_call_ids.ts";
import { toWireName } from "./tool_names.ts";

/** Keys in `providerOptions` of a model. */
export interface ItemOwner {
  /** Key for the request fields that the caller sets. */
  readonly provider: string;
  /**
   * Key for the data that the server has sent. Another server would reject the items, for example
   * encrypted reasoning.
   */
  readonly server: string;
}

/** A model that receives items. */
export interface ItemTarget extends ItemOwner {
  /** Whether the model accepts encrypted reasoning, also that of another model of the server. */
  readonly encryptedReasoning: boolean;
}

/** A part with provider-specific data. */
interface WithOptions {
  readonly providerOptions?: ProviderOptions;
}

type Part = AssistantMessage["content"][number];

/** Key under which a part stores the output item from which it was created. */
const ITEM = "item";

/** Key under which a part stores fields of its item that are not converted, such as `phase`. */
const FIELDS = "itemFields";

/** Item types that the API accepts without an id. For other types, the API requires the id. */
const WITHOUT_ID: ReadonlySet<unknown> = new Set([
  "compaction",
  "local_shell_call",
  "program",
  "program_output",
  "reasoning",
  "tool_search_call",
  "tool_search_output",
  "web_search_call",
]);

/**
 * Types of calls that the caller of the API executes and that have no counterpart in this package.
 */
const CALLER_CALLS: ReadonlySet<unknown> = new Set([
  "apply_patch_call",
  "computer_call",
  "local_shell_call",
  "shell_call",
]);

/** Returns the provider-specific data of a part that contains an item. */
export function storeItem(item: WireObject, owner: ItemOwner): Required<WithOptions> {
  return toOptions({ [ITEM]: item }, owner);
}

/** Returns the provider-specific data of a part that contains further fields of its item. */
export function storeFields(
  fields: WireObject,
  other: WireObject,
  owner: ItemOwner,
): WithOptions {
  const data = { ...Object.keys(fields).length === 0 ? {} : { [FIELDS]: fields }, ...other };
  return Object.keys(data).length === 0 ? {} : toOptions(data, owner);
}

function toOptions(data: WireObject, { server }: ItemOwner): Required<WithOptions> {
  // The cast is safe: the data was parsed from JSON.
  return { providerOptions: { [server]: data as JsonObject } };
}

/** Returns true for a file that the server has sent, and accepts in an assistant message. */
export function isOwnFile({ providerOptions, data }: FilePart, { server }: ItemOwner): boolean {
  return isRecord(providerOptions?.[server]?.[ITEM]) && data.type !== "url";
}

/**
 * Returns true if the model waits until the caller of the API has executed or approved an item,
 * which this package does not do.
 */
export function isForCaller({ type, environment, execution }: WireObject): boolean {
  if (type === "shell_call") return readText(readRecord(environment).container_id) === undefined;
  if (type === "tool_search_call") return execution === "client";
  return CALLER_CALLS.has(type) || type === "mcp_approval_request";
}

/**
 * Converts the parts of an assistant message to input items.
 *
 * The API rejects reasoning that is not followed by another item, as in a response that was
 * truncated while the model was reasoning, and calls without an output. Both are omitted, and so is
 * encrypted reasoning that the model does not accept.
 */
export function toAssistantItems(parts: readonly Part[], target: ItemTarget): WireObject[] {
  const all = parts.flatMap((part) => toItems(part, target)).filter((item) =>
    target.encryptedReasoning || item.type !== "reasoning" || item.encrypted_content === undefined
  );
  const outputs = new Set(
    all.flatMap(({ type, call_id }) => String(type).endsWith("_output") ? [call_id] : []),
  );
  const items = all.filter(({ type, call_id, execution }) => {
    const isCall = CALLER_CALLS.has(type) || execution === "client";
    return !isCall || outputs.has(call_id);
  });
  const end = items.findLastIndex(({ type }) => type !== "reasoning");
  return items.slice(0, end + 1);
}

function toItems(part: Part, owner: ItemOwner): WireObject[] {
  const { [ITEM]: item, [FIELDS]: fields } = part.providerOptions?.[owner.server] ?? {};
  switch (part.type) {
    case "text":
      return part.text === ""
        ? []
        : [{ ...readRecord(fields), role: "assistant", content: part.text }];
    case "tool-call":
      return [toCallItem(part, readRecord(fields))];
    case "reasoning":
      return isRecord(item) ? toEcho(item) : [];
    case "file":
      // Other files are moved to a user message.
      if (!isOwnFile(part, owner) || part.data.type === "url") return [];
      return toEcho({ ...readRecord(item), result: toBase64(part.data.data) });
    default:
      return part satisfies never;
  }
}

/**
 * Returns an item in the form in which it can be sent back. Omits reasoning without content, which
 * only a server that has stored the reasoning could resolve.
 */
function toEcho(received: WireObject): WireObject[] {
  const { id: _, ...item } = received;
  if (readText(item.type) === undefined) return [];
  if (item.type === "reasoning") return toReasoningItems(item);
  return [WITHOUT_ID.has(item.type) ? item : received];
}

function toReasoningItems(
  { type, summary, content, status: _, ...rest }: WireObject,
): WireObject[] {
  const isReadable = Array.isArray(content) && content.length > 0;
  if (!isReadable && readText(rest.encrypted_content) === undefined) return [];
  const fields = Object.entries(rest).filter(([, value]) => value !== null);
  return [{
    type,
    summary: Array.isArray(summary) ? summary : [],
    ...isReadable ? { content } : {},
    ...Object.fromEntries(fields),
  }];
}

function toCallItem({ toolCallId, toolName, input, rawInput }: ToolCall, fields: WireObject) {
  const name = toWireName(toolName);
  const call_id = toWireCallId(toolCallId, RESPONSES_CALL_IDS);
  return fields.type === "custom_tool_call"
    ? { ...fields, call_id, name, input: typeof input === "string" ? input : toJsonText(input) }
    : {
      ...fields,
      type: "function_call",
      call_id,
      name,
      arguments: rawInput ?? toJsonText(input),
    };
}
