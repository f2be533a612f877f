/**
 * Requests of a client, in the bindings JSON-RPC and HTTP+JSON.
 *
 * @see
 * {@link https://a2a-protocol.org/latest/specification/#53-method-mapping-reference Method mapping}
 * @module
 */

import { formatValue } from "@parley/internal/format-value";
import { type HeaderValues, toOperationUrl } from "../models/endpoint.ts";
import type { JsonObject, JsonValue } from "../shared/json.ts";
import { A2A_VERSION } from "./types.ts";

/** Protocol of the requests to an endpoint. */
export type ClientBinding = "JSONRPC" | "HTTP+JSON";

/** An endpoint that a client uses. */
export interface ClientEndpoint {
  readonly url: string;
  readonly binding: ClientBinding;
  /** Tenant that each request names. */
  readonly tenant?: string;
}

/** HTTP method and path of each operation in the HTTP+JSON binding. */
const ROUTES = {
  SendMessage: ["POST", "/message:send"],
  SendStreamingMessage: ["POST", "/message:stream"],
  GetTask: ["GET", "/tasks/{id}"],
  ListTasks: ["GET", "/tasks"],
  CancelTask: ["POST", "/tasks/{id}:cancel"],
  SubscribeToTask: ["GET", "/tasks/{id}:subscribe"],
  CreateTaskPushNotificationConfig: ["POST", "/tasks/{taskId}/pushNotificationConfigs"],
  GetTaskPushNotificationConfig: ["GET", "/tasks/{taskId}/pushNotificationConfigs/{id}"],
  ListTaskPushNotificationConfigs: ["GET", "/tasks/{taskId}/pushNotificationConfigs"],
  DeleteTaskPushNotificationConfig: ["DELETE", "/tasks/{taskId}/pushNotificationConfigs/{id}"],
  GetExtendedAgentCard: ["GET", "/extendedAgentCard"],
} as const;

/** Name of an operation, which is its method in the JSON-RPC binding. */
export type ClientOperation = keyof typeof ROUTES;

/** A request, and how it is sent. */
export interface ClientCall {
  readonly operation: ClientOperation;
  readonly params: JsonObject;
  /** URIs of the extensions to activate. */
  readonly extensions: readonly string[];
  readonly isStream?: boolean;
}

/** Id of each JSON-RPC request. An HTTP request contains only one of them. */
export const REQUEST_ID = 1;

/** URL and `fetch` options of a request. */
export interface ClientRequest {
  readonly url: string;
  readonly init: RequestInit & { readonly headers: HeaderValues };
}

/**
 * Converts a call to an HTTP request.
 *
 * @throws {TypeError} If an id cannot be part of a path.
 */
export function toClientRequest(endpoint: ClientEndpoint, call: ClientCall): ClientRequest {
  const { binding, tenant, url } = endpoint;
  const { extensions, isStream = false, operation, params } = call;
  const headers = {
    "a2a-version": A2A_VERSION,
    "accept": isStream ? "text/event-stream" : "application/json",
    ...extensions.length > 0 && { "a2a-extensions": extensions.join(", ") },
  };
  if (binding === "HTTP+JSON") return toHttpRequest(endpoint, { headers, operation, params });
  const request = {
    jsonrpc: "2.0",
    id: REQUEST_ID,
    method: operation,
    params: tenant === undefined ? params : { ...params, tenant },
  };
  return { url, init: toPost(headers, "application/json", request) };
}

function toHttpRequest(
  { tenant, url }: ClientEndpoint,
  { headers, operation, params }: {
    readonly headers: HeaderValues;
    readonly operation: ClientOperation;
    readonly params: JsonObject;
  },
): ClientRequest {
  const [method, template] = ROUTES[operation];
  const rest = new Map(Object.entries(params));
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const segment = toPathSegment(name, params[name]);
    rest.delete(name);
    return segment;
  });
  const prefix = tenant === undefined ? "" : `/${toPathSegment("tenant", tenant)}`;
  const target = toOperationUrl(url, prefix + path);
  if (method === "POST") {
    const body = Object.fromEntries(rest);
    return { url: target.href, init: toPost(headers, "application/a2a+json", body) };
  }
  for (const [name, value] of rest) target.searchParams.set(name, String(value));
  return { url: target.href, init: { method, headers } };
}

function toPost(
  headers: HeaderValues,
  type: string,
  body: JsonObject,
): ClientRequest["init"] {
  return {
    method: "POST",
    headers: { ...headers, "content-type": type },
    body: JSON.stringify(body),
  };
}

/**
 * Returns an id as a segment of a path. The segments `.` and `..` cannot be encoded: an agent that
 * returns such an id could choose another path, which would receive the credentials.
 *
 * @throws {TypeError} If the id is empty, `.` or `..`.
 * @see https://url.spec.whatwg.org/#double-dot-path-segment
 */
function toPathSegment(name: string, id: JsonValue | undefined): string {
  if (typeof id === "string" && !/^\.{0,2}$/.test(id)) return encodeURIComponent(id);
  throw new TypeError(`"${name}" must be an id that can be part of a path, got ${formatValue(id)}`);
}
