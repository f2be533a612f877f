/**
 * Faults that a relay adds to a correct MCP server over HTTP.
 *
 * @module
 */

import type { FaultRule, Headers, HttpRule, ReplyHead, RequestHead } from "./fault_rule.ts";

/** Faults in the HTTP transport. The file `wire_faults.json` lists the cases that detect each fault. */
export const HTTP_FAULTS: readonly FaultRule[] = [
  onRequest("C35a", "the Accept header is ignored", (headers) => ({
    ...headers,
    accept: "application/json, text/event-stream",
  })),
  onHead("C35b", "responses have the content type text/plain", ({ headers }) => ({
    headers: { ...headers, "content-type": "text/plain" },
  })),
  onHead("C35c", "accepted notifications get HTTP status 204 instead of 202", (head) => ({
    status: head.status === 202 ? 204 : head.status,
  })),
  onHead("C35d", "rejected messages get HTTP status 200", (head) => ({
    status: head.status >= 400 ? 200 : head.status,
  })),
  onHttp("C35e", "the response to a GET request is JSON instead of an event stream", {
    reply: ({ method }) =>
      method === "GET"
        ? { status: 200, headers: { "content-type": "application/json" }, text: "{}" }
        : undefined,
  }),
  onRequest(
    "C35f",
    "the content type of a request body is ignored",
    (headers, { method }) =>
      method === "POST" ? { ...headers, "content-type": "application/json" } : headers,
  ),
  onRequest("C35g", "the Origin header is ignored", ({ origin: _, ...headers }) => headers),
  onHttp("C35h", "a batch is treated as a notification", {
    reply: ({ message, method, text }) =>
      method === "POST" && message === undefined && text?.startsWith("[") === true
        ? { status: 202, headers: {}, text: "" }
        : undefined,
  }),
  onRequest("C35i", "the Host header is ignored", ({ host: _, ...headers }) => headers),
  onHttp("C35j", "streams stay open after the response", { staysOpen: true }),
  onHttp("C35k", "responses are also sent on the GET stream", { broadcasts: true }),
  onHead("C35l", "the response to initialize has no content type", ({ headers, message }) => ({
    headers: message?.method === "initialize" ? without(headers, "content-type") : headers,
  })),
  onHttp("C35m", "server-sent events have the type msg", { eventType: () => "msg" }),
  onRequest(
    "C36a",
    "requests without a session id are accepted",
    withLastSession(({ id }) => id === undefined),
  ),
  onHttp("C36b", "a session remains valid after a DELETE request", {
    reply: ({ method }) => method === "DELETE" ? { status: 200, headers: {}, text: "" } : undefined,
  }),
  onHead(
    "C36c",
    "a request with an unknown session id gets HTTP status 400 instead of 404",
    (head) => ({
      status: head.status === 404 ? 400 : head.status,
    }),
  ),
  onRequest(
    "C36d",
    "the protocol version in the MCP-Protocol-Version header is ignored",
    (headers) => "mcp-session-id" in headers ? without(headers, "mcp-protocol-version") : headers,
  ),
  onSession("C36e", "the session id has non-ASCII characters", (id) => `${id} é`),
  onHttp("C36f", "a DELETE request causes an internal error", {
    reply: ({ method }) => method === "DELETE" ? { status: 500, headers: {}, text: "" } : undefined,
  }),
  onHttp("C36g", "all server-sent events have the same id", { eventId: () => "1" }),
  onSession("C36h", "all sessions have the same id", () => "session"),
  onRequest(
    "C36i",
    "the Last-Event-ID header is ignored",
    (headers) => without(headers, "last-event-id"),
  ),
  onRequest(
    "C39a",
    "the Mcp-Method header is not compared with the body",
    (headers, { message }) =>
      "mcp-method" in headers ? { ...headers, "mcp-method": String(message?.method) } : headers,
  ),
  onRequest(
    "C39b",
    "the Mcp-Name header is not compared with the body",
    (headers, { message }) =>
      "mcp-name" in headers ? { ...headers, "mcp-name": nameIn(message) ?? "" } : headers,
  ),
  onRequest(
    "C39c",
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
    "C39d",
    "the protocol version in the header is not compared with the body",
    (headers, { message }) => {
      const version = versionIn(message);
      return version === undefined ? headers : { ...headers, "mcp-protocol-version": version };
    },
  ),
  onHead("C39e", "a request with an unsupported protocol version gets HTTP status 200", (head) => ({
    status: versionIn(head.message) === "1900-01-01" ? 200 : head.status,
  })),
  onHead("C39f", "a request with an unknown method gets HTTP status 200", (head) => ({
    status: head.status === 404 ? 200 : head.status,
  })),
  onRequest("C39g", "Mcp-Param headers are not compared with the body", (headers, { message }) => {
    const region = argumentsIn(message).region;
    return typeof region === "string" ? { ...headers, "mcp-param-region": region } : headers;
  }),
  onRequest("C39h", "base64 header values are not decoded", (headers) =>
    Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replace("=?base64?", "=?b?")]),
    )),
  onHead("C39j", "a session id is assigned in a version without sessions", ({ headers }) => ({
    headers: { ...headers, "mcp-session-id": "session" },
  })),
  onHead("C39k", "streams lack the header that disables proxy buffering", ({ headers }) => ({
    headers: without(headers, "x-accel-buffering"),
  })),
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

/** Creates a fault that changes the session id sent to the client and restores the server's session id in requests. */
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
