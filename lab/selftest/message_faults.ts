/**
 * Faults in JSON-RPC messages, sessions, tools, resources and prompts, on both transports.
 *
 * @module
 */

import { isObject } from "../../conformance/kit/json.ts";
import {
  emptyResult,
  type FaultRule,
  hasCode,
  onContents,
  onError,
  onList,
  onResponse,
  onResult,
  onToolError,
  paramsOf,
  promptMessage,
  result,
} from "./fault_rule.ts";

/** Faults in messages. The file `wire_faults.json` lists the cases that detect each fault. */
export const MESSAGE_FAULTS: readonly FaultRule[] = [
  onResponse("C01", "responses have no jsonrpc member", ({ jsonrpc: _, ...rest }) => rest),
  onResponse(
    "C02",
    "responses contain the request id as a string",
    (message) => ({ ...message, id: String(message.id) }),
  ),
  onResponse(
    "C03",
    "responses contain null instead of the request id",
    (message) => ({ ...message, id: null }),
  ),
  onResponse("C04", "a response has both a result and an error", (message) => ({
    result: {},
    error: { code: 0, message: "" },
    ...message,
  })),
  onError("C05", "every error has the code -32603", (error) => ({ ...error, code: -32603 })),
  onError("C06", "errors have no message", ({ message: _, ...rest }) => rest),
  onResponse(
    "C07",
    "errors become empty results",
    (message) => "error" in message ? emptyResult(message) : message,
  ),
  onResponse(
    "C08",
    "unknown methods return an empty result",
    (message) => hasCode(message, -32601) ? emptyResult(message) : message,
  ),
  {
    id: "C09",
    title: "malformed lines are ignored",
    answer: (message) => hasCode(message, -32700) ? [] : [message],
  },
  {
    id: "C10",
    title: "a malformed line stops the server",
    intercept: (_line, message) => message === undefined ? "exit" : undefined,
  },
  {
    id: "C11",
    title: "the server sends responses to notifications",
    intercept: (_line, message) =>
      message !== undefined && "method" in message && !("id" in message) &&
        message.method !== "notifications/initialized"
        ? [{ jsonrpc: "2.0", id: "stray", result: {} }]
        : undefined,
  },
  {
    id: "C12",
    title: "responses are sent twice",
    answer: (message) => "method" in message ? [message] : [message, message],
  },
  { id: "C13", title: "a ping receives no response while a slow tool runs", isSerial: true },
  onResult(
    "C14",
    "initialize accepts any protocol version and returns it unchanged",
    "initialize",
    (result, params) => ({
      ...result,
      protocolVersion: params.protocolVersion,
    }),
  ),
  onResult(
    "C15",
    "initialize always returns the oldest protocol version",
    "initialize",
    (result) => ({
      ...result,
      protocolVersion: "2024-11-05",
    }),
  ),
  {
    id: "C16a",
    title: "a capability is declared but not supported",
    answer: (message, { request }) =>
      String(request?.method).endsWith("/list")
        ? [{ jsonrpc: "2.0", id: message.id, error: { code: -32601, message: "Method not found" } }]
        : [message],
  },
  onResult("C16b", "a capability is supported but not declared", "initialize", (result) => ({
    ...result,
    capabilities: {},
  })),
  onResult("C17", "serverInfo has no version", "initialize", (result) => ({
    ...result,
    serverInfo: { name: "nameless" },
  })),
  {
    id: "C18",
    title: "a call to an unknown tool returns an isError result",
    answer: (message, { request }) =>
      request?.method === "tools/call" && hasCode(message, -32602)
        ? [result(message, { content: [{ type: "text", text: "unknown tool" }], isError: true })]
        : [message],
  },
  onToolError("C19", "a failing tool returns an error response", ({ id }) => ({
    jsonrpc: "2.0",
    id,
    error: { code: -32603, message: "the tool failed" },
  })),
  onToolError(
    "C20",
    "a failing tool's stack trace is sent to the client",
    (message) =>
      result(message, {
        content: [{ type: "text", text: "Error: no\n    at run (file:///srv/tool.ts:12:3)" }],
        isError: true,
      }),
  ),
  onToolError("C21", "the isError member is removed from tool results", (message) => {
    const { isError: _, ...rest } = isObject(message.result) ? message.result : {};
    return result(message, rest);
  }),
  onToolError(
    "C22",
    "tool arguments are not validated",
    (message, params) =>
      params.name === "add_numbers"
        ? result(message, { content: [{ type: "text", text: "NaN" }] })
        : message,
  ),
  onList(
    "C23a",
    "two tools have the same name",
    "tools",
    (items) => [...items, ...items.slice(0, 1)],
  ),
  onList(
    "C23b",
    "tools have no inputSchema",
    "tools",
    (items) => items.map(({ inputSchema: _, ...rest }) => rest),
  ),
  onResult(
    "C24",
    "every page of a list has a nextCursor, even the last one",
    "tools/list",
    (list) => ({ ...list, nextCursor: "again" }),
  ),
  onContents("C25a", "resource contents have a URI other than the requested one", (item) => ({
    ...item,
    uri: "test://other",
  })),
  onContents(
    "C25b",
    "resource contents have both text and blob",
    (item) => ({ text: "", blob: "", ...item }),
  ),
  {
    id: "C25c",
    title: "an unknown resource has empty contents",
    answer: (message, { request }) =>
      request?.method === "resources/read" && "error" in message
        ? [result(message, { contents: [] })]
        : [message],
  },
  {
    id: "C26a",
    title: "a required prompt argument can be omitted",
    answer: (message, { request }) =>
      request?.method === "prompts/get" && hasCode(message, -32602) &&
        paramsOf(request).name === "test_prompt_with_arguments"
        ? [
          result(message, { messages: [promptMessage("Prompt with arguments: arg1='', arg2=''")] }),
        ]
        : [message],
  },
  onResult("C26b", "prompt messages do not contain the arguments", "prompts/get", (prompt) => ({
    ...prompt,
    messages: [promptMessage("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")],
  })),
];
