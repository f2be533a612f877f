/**
 * Faults that no case looks for, because every message can have them. Invariants must detect them.
 *
 * @module
 */

import { isObject } from "../../conformance/kit/json.ts";
import {
  type FaultRule,
  type Message,
  onError,
  onList,
  onResponse,
  onResult,
  paramsOf,
  result,
} from "./fault_rule.ts";

/** Faults in single messages. */
export const INVARIANT_FAULTS: readonly FaultRule[] = [
  onList(
    "wire-titles-tools-numbers",
    "the titles of tools are numbers",
    "tools",
    (items) => items.map((item) => ({ ...item, title: 7 })),
  ),
  onList(
    "wire-annotations-tools-words",
    "the annotations of tools are words",
    "tools",
    (items) => items.map((item) => ({ ...item, annotations: { readOnlyHint: "yes" } })),
  ),
  onList(
    "wire-sizes-resources-words",
    "the sizes of resources are words",
    "resources",
    (items) => items.map((item) => ({ ...item, size: "large" })),
  ),
  onList(
    "wire-arguments-prompts-names",
    "the arguments of prompts are names",
    "prompts",
    (items) => items.map((item) => ({ ...item, arguments: ["name"] })),
  ),
  onResult(
    "wire-list-changed-word-yes",
    "the capability listChanged is the word yes",
    "initialize",
    (value) => ({
      ...value,
      capabilities: {
        ...(isObject(value.capabilities) ? value.capabilities : {}),
        prompts: { listChanged: "yes" },
      },
    }),
  ),
  onResult(
    "wire-instructions-server-list",
    "the instructions of the server are a list",
    "initialize",
    (value) => ({ ...value, instructions: ["Use the tools."] }),
  ),
  onList(
    "wire-schema-type-misspelled",
    "a schema has a misspelled type",
    "tools",
    (items) =>
      items.map((item) => ({
        ...item,
        inputSchema: {
          ...(isObject(item.inputSchema) ? item.inputSchema : {}),
          properties: { kit: { type: "strin" } },
        },
      })),
  ),
  onList(
    "wire-schema-required-word",
    "required of a schema is a word",
    "tools",
    (items) =>
      items.map((item) => ({
        ...item,
        inputSchema: {
          ...(isObject(item.inputSchema) ? item.inputSchema : {}),
          $defs: { kit: { required: "name" } },
        },
      })),
  ),
  {
    id: "wire-lines-begin-byte-order-mark",
    title: "lines begin with a byte order mark",
    transports: ["stdio"],
    answer: (message) => [`\ufeff${JSON.stringify(message)}`],
  },
  onProgress("wire-progress-after-response", "progress follows the response", (params) => [
    progress(params, 1000),
  ]),
  onProgress("wire-progress-unknown-token", "progress has an unknown token", () => [
    progress({ _meta: { progressToken: "parley-kit-unknown" } }, 1000),
  ], "before"),
  onProgress("wire-progress-goes-back", "progress goes back", (params) => [
    progress(params, 2000),
    progress(params, 1000),
  ], "before"),
  onResponse(
    "wire-server-cancels-nothing",
    "the server cancels requests that it has not sent",
    keep,
    [
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "parley-kit" } },
    ],
  ),
  onResponse(
    "wire-roots-without-capability",
    "the server asks for roots that are not declared",
    keep,
    [
      { jsonrpc: "2.0", id: "parley-kit-roots", method: "roots/list" },
    ],
  ),
  {
    id: "wire-list-repeats-cursor",
    title: "all pages of a list have the same cursor",
    answer: (message, { request }) =>
      request?.method === "tools/list"
        ? [result(message, { tools: [], nextCursor: "again" })]
        : [message],
  },
  onError("wire-error-reserved-code", "errors have a reserved code", (error) => ({
    ...error,
    code: -32077,
  })),
  onResult(
    "wire-structured-content-number",
    "structured content is a number",
    "tools/call",
    (value) =>
      isObject(value.structuredContent) ? { ...value, structuredContent: { value: [] } } : value,
  ),
  onResponse("wire-log-without-level", "a log message is sent without a log level", keep, [
    { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } },
  ]),
  onResponse(
    "wire-change-without-subscription",
    "a change is announced without a subscription",
    keep,
    [
      { jsonrpc: "2.0", method: "notifications/tools/list_changed" },
    ],
  ),
  {
    id: "wire-session-id-changes",
    title: "the session id changes with each response",
    transports: ["http"],
    http: {
      head: ({ status, headers, message }) => ({
        status,
        headers: headers["mcp-session-id"] === undefined && message?.method !== "tools/list"
          ? headers
          : message?.method === "initialize"
          ? headers
          : { ...headers, "mcp-session-id": "parley-kit-other" },
      }),
    },
  },
];

function keep(message: Message): Message {
  return message;
}

function progress(params: Message, value: number): Message {
  const meta = isObject(params._meta) ? params._meta : {};
  return {
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { progressToken: meta.progressToken, progress: value },
  };
}

/** Adds messages before or after the response to a call with a progress token. */
function onProgress(
  id: string,
  title: string,
  add: (params: Message) => readonly Message[],
  place: "before" | "after" = "after",
): FaultRule {
  return {
    id,
    title,
    answer: (message, { request }) => {
      const params = request === undefined ? {} : paramsOf(request);
      const meta = isObject(params._meta) ? params._meta : {};
      if (meta.progressToken === undefined || "method" in message) return [message];
      return place === "before" ? [...add(params), message] : [message, ...add(params)];
    },
  };
}
