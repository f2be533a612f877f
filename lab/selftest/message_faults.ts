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
  onResponse(
    "wire-responses-no-jsonrpc-member",
    "responses have no jsonrpc member",
    ({ jsonrpc: _, ...rest }) => rest,
  ),
  onResponse(
    "wire-responses-contain-request-id-string",
    "responses contain the request id as a string",
    (message) => ({ ...message, id: String(message.id) }),
  ),
  onResponse(
    "wire-responses-contain-null-instead-request",
    "responses contain null instead of the request id",
    (message) => ({ ...message, id: null }),
  ),
  onResponse(
    "wire-response-both-result-error",
    "a response has both a result and an error",
    (message) => ({
      result: {},
      error: { code: 0, message: "" },
      ...message,
    }),
  ),
  onError(
    "wire-every-error-code-32603",
    "every error has the code -32603",
    (error) => ({ ...error, code: -32603 }),
  ),
  onError("wire-errors-no-message", "errors have no message", ({ message: _, ...rest }) => rest),
  onResponse(
    "wire-errors-become-empty-results",
    "errors become empty results",
    (message) => "error" in message ? emptyResult(message) : message,
  ),
  onResponse(
    "wire-unknown-methods-return-empty-result",
    "unknown methods return an empty result",
    (message) => hasCode(message, -32601) ? emptyResult(message) : message,
  ),
  {
    id: "wire-malformed-lines-ignored",
    title: "malformed lines are ignored",
    answer: (message) => hasCode(message, -32700) ? [] : [message],
  },
  {
    id: "wire-malformed-line-stops-server",
    title: "a malformed line stops the server",
    intercept: (_line, message) => message === undefined ? "exit" : undefined,
  },
  {
    id: "wire-server-sends-responses-notifications",
    title: "the server sends responses to notifications",
    intercept: (_line, message) =>
      message !== undefined && "method" in message && !("id" in message) &&
        message.method !== "notifications/initialized"
        ? [{ jsonrpc: "2.0", id: "stray", result: {} }]
        : undefined,
  },
  {
    id: "wire-responses-sent-twice",
    title: "responses are sent twice",
    answer: (message) => "method" in message ? [message] : [message, message],
  },
  {
    id: "wire-ping-receives-no-response-while",
    title: "a ping receives no response while a slow tool runs",
    isSerial: true,
  },
  onResult(
    "wire-initialize-accepts-any-protocol-version",
    "initialize accepts any protocol version and returns it unchanged",
    "initialize",
    (result, params) => ({
      ...result,
      protocolVersion: params.protocolVersion,
    }),
  ),
  onResult(
    "wire-initialize-always-returns-oldest-protocol",
    "initialize always returns the oldest protocol version",
    "initialize",
    (result) => ({
      ...result,
      protocolVersion: "2024-11-05",
    }),
  ),
  {
    id: "wire-capability-declared-but-not-supported",
    title: "a capability is declared but not supported",
    answer: (message, { request }) =>
      String(request?.method).endsWith("/list")
        ? [{ jsonrpc: "2.0", id: message.id, error: { code: -32601, message: "Method not found" } }]
        : [message],
  },
  onResult(
    "wire-capability-supported-but-not-declared",
    "a capability is supported but not declared",
    "initialize",
    (result) => ({
      ...result,
      capabilities: {},
    }),
  ),
  onResult("wire-serverinfo-no-version", "serverInfo has no version", "initialize", (result) => ({
    ...result,
    serverInfo: { name: "nameless" },
  })),
  {
    id: "wire-call-unknown-tool-returns-iserror",
    title: "a call to an unknown tool returns an isError result",
    answer: (message, { request }) =>
      request?.method === "tools/call" && hasCode(message, -32602)
        ? [result(message, { content: [{ type: "text", text: "unknown tool" }], isError: true })]
        : [message],
  },
  onToolError(
    "wire-failing-tool-returns-error-response",
    "a failing tool returns an error response",
    ({ id }) => ({
      jsonrpc: "2.0",
      id,
      error: { code: -32603, message: "the tool failed" },
    }),
  ),
  onToolError(
    "wire-failing-tool-stack-trace-sent",
    "a failing tool's stack trace is sent to the client",
    (message) =>
      result(message, {
        content: [{ type: "text", text: "Error: no\n    at run (file:///srv/tool.ts:12:3)" }],
        isError: true,
      }),
  ),
  onToolError(
    "wire-iserror-member-removed-tool-results",
    "the isError member is removed from tool results",
    (message) => {
      const { isError: _, ...rest } = isObject(message.result) ? message.result : {};
      return result(message, rest);
    },
  ),
  onToolError(
    "wire-tool-arguments-not-validated",
    "tool arguments are not validated",
    (message, params) =>
      params.name === "add_numbers"
        ? result(message, { content: [{ type: "text", text: "NaN" }] })
        : message,
  ),
  onList(
    "wire-two-tools-same-name",
    "two tools have the same name",
    "tools",
    (items) => [...items, ...items.slice(0, 1)],
  ),
  onList(
    "wire-tools-no-inputschema",
    "tools have no inputSchema",
    "tools",
    (items) => items.map(({ inputSchema: _, ...rest }) => rest),
  ),
  onResult(
    "wire-every-page-list-nextcursor-even",
    "every page of a list has a nextCursor, even the last one",
    "tools/list",
    (list) => ({ ...list, nextCursor: "again" }),
  ),
  onContents(
    "wire-resource-contents-uri-other-requested",
    "resource contents have a URI other than the requested one",
    (item) => ({
      ...item,
      uri: "test://other",
    }),
  ),
  onContents(
    "wire-resource-contents-both-text-blob",
    "resource contents have both text and blob",
    (item) => ({ text: "", blob: "", ...item }),
  ),
  {
    id: "wire-unknown-resource-empty-contents",
    title: "an unknown resource has empty contents",
    answer: (message, { request }) =>
      request?.method === "resources/read" && "error" in message
        ? [result(message, { contents: [] })]
        : [message],
  },
  {
    id: "wire-required-prompt-argument-omitted",
    title: "a required prompt argument can be omitted",
    answer: (message, { request }) =>
      request?.method === "prompts/get" && hasCode(message, -32602) &&
        paramsOf(request).name === "test_prompt_with_arguments"
        ? [
          result(message, { messages: [promptMessage("Prompt with arguments: arg1='', arg2=''")] }),
        ]
        : [message],
  },
  onResult(
    "wire-prompt-messages-not-contain-arguments",
    "prompt messages do not contain the arguments",
    "prompts/get",
    (prompt) => ({
      ...prompt,
      messages: [promptMessage("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")],
    }),
  ),
];
