/**
 * Faults that a relay adds to a correct MCP server over HTTP.
 *
 * @module
 */

import type { FaultRule, Headers, HttpRule, ReplyHead, RequestHead } from "./fault_rule.ts";

/** Faults in the HTTP transport. All cases that list the id in `catches` must fail. */
export const HTTP_FAULTS: readonly FaultRule[] = [
  onRequest("C35a", "Accept is ignored", (headers) => ({
    ...headers,
    accept: "application/json, text/event-stream",
  })),
  onHead("C35b", "responses have the content type of plain text", ({ headers }) => ({
    headers: { ...headers, "content-type": "text/plain" },
  })),
  onHead("C35c", "notifications are accepted with 200", (head) => ({
    status: head.status === 202 ? 204 : head.status,
  })),
  onHead("C35d", "rejected messages have the status 200", (head) => ({
    status: head.status >= 400 ? 200 : head.status,
  })),
  onHttp("C35e", "the response to GET is JSON", {
    reply: ({ method }) =>
      method === "GET"
        ? { status: 200, headers: { "content-type": "application/json" }, text: "{}" }
        : undefined,
  }),
  onRequest(
    "C35f",
    "the content type of a body is ignored",
    (headers, { method }) =>
      method === "POST" ? { ...headers, "content-type": "application/json" } : headers,
  ),
  onRequest("C35g", "Origin is ignored", ({ origin: _, ...headers }) => headers),
  onHttp("C35h", "a batch is treated as a notification", {
    reply: ({ message, method, text }) =>
      method === "POST" && message === undefined && text?.startsWith("[") === true
        ? { status: 202, headers: {}, text: "" }
        : undefined,
  }),
  onRequest("C35i", "Host is ignored", ({ host: _, ...headers }) => headers),
  onHttp("C35j", "streams stay open after the response", { staysOpen: true }),
  onHttp("C35k", "responses are also sent on the GET stream", { broadcasts: true }),
  onRequest("C36a", "a request needs no session", withLastSession(({ id }) => id === undefined)),
  onHttp("C36b", "a session does not end", {
    reply: ({ method }) => method === "DELETE" ? { status: 200, headers: {}, text: "" } : undefined,
  }),
  onHead("C36c", "the response to an unknown session has the status 400", (head) => ({
    status: head.status === 404 ? 400 : head.status,
  })),
  onRequest(
    "C36d",
    "the version in the header is ignored",
    (headers) => "mcp-session-id" in headers ? without(headers, "mcp-protocol-version") : headers,
  ),
  onSession("C36e", "the session id has non-ASCII characters", (id) => `${id} é`),
  onHttp("C36f", "DELETE causes an internal error", {
    reply: ({ method }) => method === "DELETE" ? { status: 500, headers: {}, text: "" } : undefined,
  }),
  onHttp("C36g", "all events have the same id", { eventId: () => "1" }),
  onSession("C36h", "all sessions have the same id", () => "session"),
  onRequest(
    "C36i",
    "Last-Event-ID is ignored",
    (headers) => without(headers, "last-event-id"),
  ),
  onRequest(
    "C39a",
    "Mcp-Method is not compared",
    (headers, { message }) =>
      "mcp-method" in headers ? { ...headers, "mcp-method": String(message?.method) } : headers,
  ),
  onRequest(
    "C39b",
    "Mcp-Name is not compared",
    (headers, { message }) =>
      "mcp-name" in headers ? { ...headers, "mcp-name": nameIn(message) ?? "" } : headers,
  ),
  onRequest("C39c", "headers may be missing", (headers, { message }) => {
    const version = versionIn(message);
    const name = nameIn(message);
    if (version === undefined) return headers;
    return {
      "mcp-protocol-version": version,
      "mcp-method": String(message?.method),
      ...(name === undefined ? {} : { "mcp-name": name }),
      ...headers,
    };
  }),
  onRequest("C39d", "the version in the header is not compared", (headers, { message }) => {
    const version = versionIn(message);
    return version === undefined ? headers : { ...headers, "mcp-protocol-version": version };
  }),
  onHead("C39e", "an unsupported version has the status 200", (head) => ({
    status: versionIn(head.message) === "1900-01-01" ? 200 : head.status,
  })),
  onHead("C39f", "an unknown method has the status 200", (head) => ({
    status: head.status === 404 ? 200 : head.status,
  })),
  onRequest("C39g", "Mcp-Param headers are not compared", (headers, { message }) => {
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

/** Adds the session id of the last request to requests without a session id. */
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
