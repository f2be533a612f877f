/**
 * Faults that a relay adds to a correct MCP server over HTTP.
 *
 * @module
 */

import type { FaultRule, Headers, HttpRule, ReplyHead, RequestHead } from "./fault_rule.ts";

/**
 * Faults in the HTTP transport. The file `wire_faults.json` lists the cases that detect each fault.
 */
export const HTTP_FAULTS: readonly FaultRule[] = [
  onRequest("wire-accept-header-ignored", "the Accept header is ignored", (headers) => ({
    ...headers,
    accept: "application/json, text/event-stream",
  })),
  onHead(
    "wire-responses-content-type-text-plain",
    "responses have the content type text/plain",
    ({ headers }) => ({
      headers: { ...headers, "content-type": "text/plain" },
    }),
  ),
  onHead(
    "wire-accepted-notifications-get-http-status",
    "accepted notifications get HTTP status 204 instead of 202",
    (head) => ({
      status: head.status === 202 ? 204 : head.status,
    }),
  ),
  onHead(
    "wire-rejected-messages-get-http-status",
    "rejected messages get HTTP status 200",
    (head) => ({
      status: head.status >= 400 ? 200 : head.status,
    }),
  ),
  onHttp(
    "wire-response-get-request-json-instead",
    "the response to a GET request is JSON instead of an event stream",
    {
      reply: ({ method }) =>
        method === "GET"
          ? { status: 200, headers: { "content-type": "application/json" }, text: "{}" }
          : undefined,
    },
  ),
  onRequest(
    "wire-content-type-request-body-ignored",
    "the content type of a request body is ignored",
    (headers, { method }) =>
      method === "POST" ? { ...headers, "content-type": "application/json" } : headers,
  ),
  onRequest(
    "wire-origin-header-ignored",
    "the Origin header is ignored",
    ({ origin: _, ...headers }) => headers,
  ),
  onHttp("wire-batch-treated-notification", "a batch is treated as a notification", {
    reply: ({ message, method, text }) =>
      method === "POST" && message === undefined && text?.startsWith("[") === true
        ? { status: 202, headers: {}, text: "" }
        : undefined,
  }),
  onRequest(
    "wire-host-header-ignored",
    "the Host header is ignored",
    ({ host: _, ...headers }) => headers,
  ),
  onHttp("wire-streams-stay-open-after-response", "streams stay open after the response", {
    staysOpen: true,
  }),
  onHttp("wire-responses-sent-get-stream", "responses are also sent on the GET stream", {
    broadcasts: true,
  }),
  onHead(
    "wire-response-initialize-no-content-type",
    "the response to initialize has no content type",
    ({ headers, message }) => ({
      headers: message?.method === "initialize" ? without(headers, "content-type") : headers,
    }),
  ),
  onHttp("wire-server-sent-events-type-msg", "server-sent events have the type msg", {
    eventType: () => "msg",
  }),
  onRequest(
    "wire-requests-without-session-id-accepted",
    "requests without a session id are accepted",
    withLastSession(({ id }) => id === undefined),
  ),
  onHttp(
    "wire-session-remains-valid-after-delete",
    "a session remains valid after a DELETE request",
    {
      reply: ({ method }) =>
        method === "DELETE" ? { status: 200, headers: {}, text: "" } : undefined,
    },
  ),
  onHead(
    "wire-request-unknown-session-id-gets",
    "a request with an unknown session id gets HTTP status 400 instead of 404",
    (head) => ({
      status: head.status === 404 ? 400 : head.status,
    }),
  ),
  onRequest(
    "wire-protocol-version-mcp-protocol-version",
    "the protocol version in the MCP-Protocol-Version header is ignored",
    (headers) => "mcp-session-id" in headers ? without(headers, "mcp-protocol-version") : headers,
  ),
  onSession(
    "wire-session-id-non-ascii-characters",
    "the session id has non-ASCII characters",
    (id) => `${id} é`,
  ),
  onHttp("wire-delete-request-causes-internal-error", "a DELETE request causes an internal error", {
    reply: ({ method }) => method === "DELETE" ? { status: 500, headers: {}, text: "" } : undefined,
  }),
  onHttp("wire-all-server-sent-events-same", "all server-sent events have the same id", {
    eventId: () => "1",
  }),
  onSession("wire-all-sessions-same-id", "all sessions have the same id", () => "session"),
  onRequest(
    "wire-last-event-id-header-ignored",
    "the Last-Event-ID header is ignored",
    (headers) => without(headers, "last-event-id"),
  ),
  onRequest(
    "wire-mcp-method-header-not-compared",
    "the Mcp-Method header is not compared with the body",
    (headers, { message }) =>
      "mcp-method" in headers ? { ...headers, "mcp-method": String(message?.method) } : headers,
  ),
  onRequest(
    "wire-mcp-name-header-not-compared",
    "the Mcp-Name header is not compared with the body",
    (headers, { message }) =>
      "mcp-name" in headers ? { ...headers, "mcp-name": nameIn(message) ?? "" } : headers,
  ),
  onRequest(
    "wire-requests-without-required-headers-accepted",
    "requests without the required headers are accepted",
    (headers, { message }) => {
      const version = versionIn(message);
      const name = nameIn(message);
      if (version === undefined) return headers;
      return {
        "mcp-protocol-version": version,
        "mcp-method": String(message?.method),
        ...(name === undefined ? {} : { "mcp-name": name }),
        ...headers,
      };
    },
  ),
  onRequest(
    "wire-protocol-version-header-not-compared",
    "the protocol version in the header is not compared with the body",
    (headers, { message }) => {
      const version = versionIn(message);
      return version === undefined ? headers : { ...headers, "mcp-protocol-version": version };
    },
  ),
  onHead(
    "wire-request-unsupported-protocol-version-gets",
    "a request with an unsupported protocol version gets HTTP status 200",
    (head) => ({
      status: versionIn(head.message) === "1900-01-01" ? 200 : head.status,
    }),
  ),
  onHead(
    "wire-request-unknown-method-gets-http",
    "a request with an unknown method gets HTTP status 200",
    (head) => ({
      status: head.status === 404 ? 200 : head.status,
    }),
  ),
  onRequest(
    "wire-mcp-param-headers-not-compared",
    "Mcp-Param headers are not compared with the body",
    (headers, { message }) => {
      const region = argumentsIn(message).region;
      return typeof region === "string" ? { ...headers, "mcp-param-region": region } : headers;
    },
  ),
  onRequest(
    "wire-base64-header-values-not-decoded",
    "base64 header values are not decoded",
    (headers) =>
      Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, value.replace("=?base64?", "=?b?")]),
      ),
  ),
  onHead(
    "wire-session-id-assigned-version-without",
    "a session id is assigned in a version without sessions",
    ({ headers }) => ({
      headers: { ...headers, "mcp-session-id": "session" },
    }),
  ),
  onHead(
    "wire-streams-lack-header-disables-proxy",
    "streams lack the header that disables proxy buffering",
    ({ headers }) => ({
      headers: without(headers, "x-accel-buffering"),
    }),
  ),
];

function onHttp(id: string, title: string, http: HttpRule): FaultRule {
  return { id, title, http, transports: ["http"] };
}

function onRequest(
  id: string,
  title: string,
  request: (headers: Headers, head: RequestHead) => Headers,
): FaultRule {
  return onHttp(id, title, { request });
}

function onHead(
  id: string,
  title: string,
  head: (head: ReplyHead) => Partial<Pick<ReplyHead, "status" | "headers">>,
): FaultRule {
  return onHttp(id, title, { head: (each) => ({ ...each, ...head(each) }) });
}

/**
 * Creates a fault that changes the session id sent to the client and restores the server's session
 * id in requests.
 */
function onSession(id: string, title: string, change: (id: string) => string): FaultRule {
  let real: string | undefined;
  return onHttp(id, title, {
    request: (headers) =>
      real !== undefined && "mcp-session-id" in headers
        ? { ...headers, "mcp-session-id": real }
        : headers,
    head: (head) => {
      const given = head.headers["mcp-session-id"];
      if (given === undefined) return head;
      real = given;
      // Non-ASCII header bytes are encoded as Latin-1.
      return { ...head, headers: { ...head.headers, "mcp-session-id": change(given) } };
    },
  });
}

/** Adds the client's most recently sent session id to the requests that `isWanted` selects. */
function withLastSession(
  isWanted: (session: { readonly id: string | undefined }) => boolean,
): (headers: Headers, head: RequestHead) => Headers {
  let last: string | undefined;
  return (headers, { message }) => {
    const id = headers["mcp-session-id"];
    if (id !== undefined) last = id;
    const isOpening = message?.method === "initialize";
    if (last === undefined || isOpening || !isWanted({ id })) return headers;
    return { ...headers, "mcp-session-id": last };
  };
}

function without(headers: Headers, name: string): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name));
}

function nameIn(message: RequestHead["message"]): string | undefined {
  const { name, uri } = fields(message?.params);
  const found = name ?? uri;
  return typeof found === "string" ? found : undefined;
}

function argumentsIn(message: RequestHead["message"]): Readonly<Record<string, unknown>> {
  return fields(fields(message?.params).arguments);
}

function versionIn(message: RequestHead["message"]): string | undefined {
  const version = fields(fields(message?.params)._meta)["io.modelcontextprotocol/protocolVersion"];
  return typeof version === "string" ? version : undefined;
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
}
