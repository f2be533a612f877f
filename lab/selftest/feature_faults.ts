/**
 * Faults in MCP features other than tools: lists, logging, progress, subscriptions, input requests
 * and cache hints.
 *
 * @module
 */

import { isObject } from "../../conformance/kit/json.ts";
import {
  emptyResult,
  type FaultRule,
  hasCode,
  type Message,
  onList,
  onResponse,
  onResult,
  paramsOf,
  result,
  type RuleContext,
} from "./fault_rule.ts";

const META = "io.modelcontextprotocol/";

/** Faults in MCP features. The file `wire_faults.json` lists the cases that detect each fault. */
export const FEATURE_FAULTS: readonly FaultRule[] = [
  {
    id: "wire-messages-contain-line-breaks",
    title: "messages contain line breaks",
    transports: ["stdio"],
    answer: (message) => [JSON.stringify(message, null, 1)],
  },
  {
    id: "wire-characters-split-between-chunks-corrupted",
    title: "characters that are split between chunks are corrupted",
    transports: ["stdio"],
    stdio: { decodesPieces: true },
  },
  {
    id: "wire-server-writes-log-lines-standard",
    title: "the server writes log lines to standard output",
    transports: ["stdio"],
    answer: (message) => ["INFO request served", message],
  },
  {
    id: "wire-lines-truncated-64-kib",
    title: "lines are truncated at 64 KiB",
    transports: ["stdio"],
    stdio: { maxLine: 65_536 },
  },
  {
    id: "wire-server-keeps-running-after-input",
    title: "the server keeps running after its input ends",
    transports: ["stdio"],
    stdio: { staysAtEnd: true },
  },
  onAnyResult(
    "wire-results-no-resulttype",
    "results have no resultType",
    ({ resultType: _, ...rest }) => rest,
  ),
  onAnyResult("wire-results-no-ttlms", "results have no ttlMs", ({ ttlMs: _, ...rest }) => rest),
  onAnyResult(
    "wire-results-no-cachescope",
    "results have no cacheScope",
    ({ cacheScope: _, ...rest }) => rest,
  ),
  onResult(
    "wire-server-discover-not-return-supported",
    "server/discover does not return the supported versions",
    "server/discover",
    ({ supportedVersions: _, ...rest }) => rest,
  ),
  onNotification(
    "wire-notifications-subscription-stream-no-subscription",
    "notifications on a subscription stream have no subscription id",
    (message) => {
      const { _meta: _, ...params } = paramsOf(message);
      return isOfSubscription(message) ? [{ ...message, params }] : [message];
    },
  ),
  {
    id: "wire-subscription-ends-without-response",
    title: "a subscription ends without a response",
    transports: ["stdio"],
    answer: (message, { request }) =>
      request?.method === "subscriptions/listen" && "result" in message ? [] : [message],
  },
  {
    ...onResult(
      "wire-response-ends-subscription-lacks-subscription",
      "the response that ends a subscription lacks the subscription id",
      "subscriptions/listen",
      ({ _meta: _, ...rest }) => rest,
    ),
    transports: ["stdio"],
  },
  onNotification(
    "wire-subscriptions-not-acknowledged",
    "subscriptions are not acknowledged",
    (message) => message.method === "notifications/subscriptions/acknowledged" ? [] : [message],
  ),
  {
    id: "wire-server-sends-notifications-client-did",
    title: "the server sends notifications that the client did not request",
    answer: (message, { request }) =>
      request?.method === "tools/call" &&
        paramsOf(request).name === "test_trigger_tool_change"
        ? [{ jsonrpc: "2.0", method: "notifications/tools/list_changed" }, message]
        : [message],
  },
  beforeToolResults(
    "wire-server-sends-log-messages-client",
    "the server sends log messages that the client did not request",
    {
      method: "notifications/message",
      params: { level: "info", data: "busy" },
    },
  ),
  onAnyResult(
    "wire-incomplete-result-contains-neither-input",
    "an incomplete result contains neither input requests nor state",
    (value) => {
      const { inputRequests: _, requestState: __, ...rest } = value;
      return rest;
    },
  ),
  {
    id: "wire-input-requests-use-capability-client",
    title: "input requests use a capability that the client lacks",
    answer: (message, { request }) =>
      String(paramsOf(request ?? {}).name).startsWith("test_input_required_result_") &&
        !("inputResponses" in paramsOf(request ?? {}))
        ? [result(message, {
          resultType: "input_required",
          inputRequests: {
            user_name: { method: "elicitation/create", params: { message: "?" } },
            greeting: { method: "sampling/createMessage", params: {} },
          },
        })]
        : [message],
  },
  {
    id: "wire-server-sends-server-request-instead",
    title: "the server sends a server request instead of an input request",
    answer: (message, { request }) =>
      request?.method === "tools/call" && isObject(message.result) &&
        message.result.resultType === "input_required"
        ? [question("elicitation/create"), message]
        : [message],
  },
  {
    id: "wire-server-accepts-requeststate-client-modified",
    title: "the server accepts a requestState that the client has modified",
    answer: (message, { request }) =>
      "requestState" in paramsOf(request ?? {}) && "error" in message
        ? [result(message, { resultType: "complete", content: [] })]
        : [message],
  },
  onNotification(
    "wire-progress-value-not-increase",
    "the progress value does not increase",
    (message) => isProgress(message) ? [withParams(message, { progress: "1" })] : [message],
  ),
  onNotification(
    "wire-progress-notifications-contain-token-other",
    "progress notifications contain a token other than the requested one",
    (message) => isProgress(message) ? [withParams(message, { progressToken: "x" })] : [message],
  ),
  {
    id: "wire-progress-notification-sent-after-response",
    title: "a progress notification is sent after the response",
    answer: (message, { request }) => {
      const { progressToken } = metaOf(request);
      if (progressToken === undefined || "method" in message) return [message];
      return [message, progress(progressToken, 1000)];
    },
  },
  beforeToolResults(
    "wire-server-ignores-log-level-client",
    "the server ignores the log level that the client sets",
    {
      method: "notifications/message",
      params: { level: "info", data: "busy" },
    },
  ),
  {
    id: "wire-server-accepts-unknown-log-levels",
    title: "the server accepts unknown log levels",
    answer: (message, { request }) =>
      request?.method === "logging/setLevel" && hasCode(message, -32602)
        ? [emptyResult(message)]
        : [message],
  },
  {
    id: "wire-progress-notifications-sent-although-request",
    title: "progress notifications are sent although the request has no progress token",
    answer: (message, { request }) =>
      request?.method === "tools/call" && metaOf(request).progressToken === undefined
        ? [progress("none", 1), message]
        : [message],
  },
  onResult(
    "wire-completion-returns-more-100-values",
    "completion returns more than 100 values",
    "completion/complete",
    () => ({
      resultType: "complete",
      completion: { values: Array.from({ length: 101 }, (_, index) => `value ${index}`) },
    }),
  ),
  {
    id: "wire-completion-unknown-reference-returns-empty",
    title: "completion for an unknown reference returns an empty list",
    answer: (message, { request }) =>
      request?.method === "completion/complete" && hasCode(message, -32602)
        ? [result(message, { completion: { values: [] } })]
        : [message],
  },
  onNotification(
    "wire-resource-update-notifications-missing",
    "resource update notifications are missing",
    (message) => message.method === "notifications/resources/updated" ? [] : [message],
  ),
  onResult(
    "wire-resource-templates-no-uritemplate",
    "resource templates have no uriTemplate",
    "resources/templates/list",
    (value) => ({
      ...value,
      resourceTemplates: [{ name: "nowhere" }],
    }),
  ),
  {
    id: "wire-server-declares-subscriptions-but-not",
    title: "the server declares subscriptions but does not support them",
    answer: (message, { request }) =>
      ["resources/subscribe", "resources/unsubscribe"].includes(String(request?.method))
        ? [{ jsonrpc: "2.0", id: message.id, error: { code: -32601, message: "Method not found" } }]
        : [message],
  },
  {
    id: "wire-all-clients-receive-all-resource",
    title: "all clients receive all resource updates",
    answer: (message, { request }) =>
      request?.method === "tools/call" &&
        paramsOf(request).name === "test_trigger_resource_update"
        ? [{
          jsonrpc: "2.0",
          method: "notifications/resources/updated",
          params: { uri: "test://watched-resource" },
        }, message]
        : [message],
  },
  onNotification(
    "wire-list-change-notifications-missing",
    "list change notifications are missing",
    (message) => String(message.method).endsWith("/list_changed") ? [] : [message],
  ),
  onAnyResult(
    "wire-structured-content-omitted",
    "structured content is omitted",
    ({ structuredContent: _, ...rest }) => rest,
  ),
  onNotification(
    "wire-log-messages-unknown-levels",
    "log messages have unknown levels",
    (message) =>
      message.method === "notifications/message"
        ? [withParams(message, { level: "loud" })]
        : [message],
  ),
  onAnyResult(
    "wire-structured-content-violates-schema",
    "structured content violates its schema",
    (value) =>
      "structuredContent" in value ? { ...value, structuredContent: { sum: "five" } } : value,
  ),
  onAnyResult(
    "wire-results-structured-content-no-text",
    "results with structured content have no text content",
    (value) => "structuredContent" in value ? { ...value, content: [] } : value,
  ),
  onList(
    "wire-order-tools-changes-between-two",
    "the order of the tools changes between two tools/list requests",
    "tools",
    (() => {
      let round = 0;
      return (items: readonly Message[]) => round++ % 2 === 0 ? items : [...items].reverse();
    })(),
  ),
  onList(
    "wire-tools-names-spaces",
    "tools have names with spaces",
    "tools",
    (items) => items.map((item) => ({ ...item, name: `${item.name} !` })),
  ),
  onList(
    "wire-optional-keywords-removed-tool-schemas",
    "optional keywords are removed from tool schemas",
    "tools",
    (items) => items.map((item) => ({ ...item, inputSchema: { type: "object", properties: {} } })),
  ),
  onList(
    "wire-annotations-strings-icons-no-src",
    "annotations are strings, and icons have no src",
    "tools",
    (items) =>
      items.map((item) => ({
        ...item,
        annotations: { readOnlyHint: "yes" },
        icons: [{ mimeType: "image/png" }],
      })),
  ),
  {
    id: "wire-server-sends-responses-cancelled-requests",
    title: "the server sends responses to cancelled requests",
    intercept: (_line, message) =>
      message?.method === "notifications/cancelled" ? "drop" : undefined,
  },
  {
    id: "wire-capability-client-did-not-declare",
    title: "a capability that the client did not declare is used",
    answer: (message, { request }) =>
      request?.method === "tools/call"
        ? [question("sampling/createMessage"), question("elicitation/create"), message]
        : [message],
  },
  {
    id: "wire-server-requests-no-parameters-all",
    title: "server requests have no parameters and all have the same id",
    answer: (message) =>
      "method" in message && "id" in message
        ? [{ jsonrpc: "2.0", id: "question", method: message.method }]
        : [message],
  },
];

function onAnyResult(id: string, title: string, change: (value: Message) => Message): FaultRule {
  return onResponse(
    id,
    title,
    (message) =>
      isObject(message.result) ? { ...message, result: change(message.result) } : message,
  );
}

function onNotification(
  id: string,
  title: string,
  change: (message: Message) => readonly Message[],
): FaultRule {
  return {
    id,
    title,
    answer: (message) => "method" in message && !("id" in message) ? change(message) : [message],
  };
}

function beforeToolResults(id: string, title: string, extra: Message): FaultRule {
  return {
    id,
    title,
    answer: (message: Message, { request }: RuleContext) =>
      request?.method === "tools/call" ? [{ jsonrpc: "2.0", ...extra }, message] : [message],
  };
}

function withParams(message: Message, params: Message): Message {
  return { ...message, params: { ...paramsOf(message), ...params } };
}

function isProgress({ method }: Message): boolean {
  return method === "notifications/progress";
}

function isOfSubscription(message: Message): boolean {
  const { _meta: meta } = paramsOf(message);
  return isObject(meta) && `${META}subscriptionId` in meta;
}

function metaOf(request: Message | undefined): Message {
  const { _meta: meta } = paramsOf(request ?? {});
  return isObject(meta) ? meta : {};
}

function progress(progressToken: unknown, value: number): Message {
  return {
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { progressToken, progress: value },
  };
}

function question(method: string): Message {
  return { jsonrpc: "2.0", id: `relay ${method}`, method, params: {} };
}
