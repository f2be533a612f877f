import { assertEquals } from "@std/assert";
import { McpWatch } from "./mcp_watch.ts";

/** An HTTP request of the client, and the response of the server. */
interface Pair {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly sent?: unknown;
  readonly status?: number;
  readonly answered?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const JSON_TYPE = { "content-type": "application/json" };
const STREAM_TYPE = { "content-type": "text/event-stream" };
const ACCEPT = { ...JSON_TYPE, accept: "application/json, text/event-stream" };

/** Sends the requests one after another, and returns the watch. */
function exchange(role: "server" | "client", pairs: readonly Pair[]): McpWatch {
  const watch = new McpWatch(role);
  const http = watch.http();
  watch.begin("mcp/a/b");
  for (const { method = "POST", headers = ACCEPT, sent, ...pair } of pairs) {
    const body = new TextEncoder().encode(sent === undefined ? "" : JSON.stringify(sent));
    const response = http.request({ method, path: "/mcp", headers, body });
    response.head(pair.status ?? 200, pair.answered ?? JSON_TYPE);
    if (pair.body !== undefined) response.body(new TextEncoder().encode(pair.body));
    response.end();
  }
  return watch;
}

function opening(version: string, session: string): Pair {
  return {
    sent: {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: version,
        capabilities: {},
        clientInfo: { name: "c", version: "1" },
      },
    },
    answered: { ...JSON_TYPE, "mcp-session-id": session },
    body: `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"${version}","capabilities":{},` +
      '"serverInfo":{"name":"s","version":"1"}}}',
  };
}

const PING = { jsonrpc: "2.0", id: 2, method: "ping" };
const PONG = '{"jsonrpc":"2.0","id":2,"result":{}}';
const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" };

Deno.test("notifications have the status 202, and requests JSON or an event stream", () => {
  const rows: readonly (readonly [Pair, string])[] = [
    [{ sent: INITIALIZED, status: 202, answered: {} }, "pass"],
    [{ sent: INITIALIZED, status: 400, answered: {}, body: "no" }, "pass"],
    [{ sent: INITIALIZED, status: 200, answered: {} }, "fail"],
    [{ sent: INITIALIZED, status: 204, answered: {} }, "fail"],
    [{ sent: INITIALIZED, status: 202, answered: {}, body: "{}" }, "fail"],
    [{ sent: { jsonrpc: "2.0", id: 5, result: {} }, status: 200 }, "fail"],
    [{ sent: PING, body: PONG }, "pass"],
    [
      { sent: PING, answered: { "content-type": "application/json; charset=utf-8" }, body: PONG },
      "pass",
    ],
    [{ sent: PING, answered: STREAM_TYPE, body: `data: ${PONG}\n\n` }, "pass"],
    [{ sent: PING, status: 202, answered: {} }, "fail"],
    [{ sent: PING, answered: { "content-type": "text/plain" }, body: PONG }, "fail"],
    [{ sent: PING, body: "" }, "fail"],
    [{ method: "GET", answered: STREAM_TYPE }, "n/a"],
    [{ method: "GET", status: 405, answered: {} }, "n/a"],
    [{ method: "GET", answered: JSON_TYPE, body: "{}" }, "fail"],
  ];
  for (const [pair, verdict] of rows) {
    const run = exchange("server", [pair]).settle("http-status");
    assertEquals(run.verdict, verdict, JSON.stringify(pair));
  }
});

Deno.test("a session id is visible ASCII text and does not change", () => {
  const headers = { ...ACCEPT, "mcp-session-id": "s1" };
  const verdict = (...pairs: readonly Pair[]): string =>
    exchange("server", pairs).settle("http-session-id").verdict;
  assertEquals(verdict(opening("2025-11-25", "s1")), "pass");
  assertEquals(verdict(opening("2025-11-25", "s 1")), "fail");
  const again = { sent: PING, headers, body: PONG };
  const echo = (id: string): Pair => ({
    ...again,
    answered: { ...JSON_TYPE, "mcp-session-id": id },
  });
  assertEquals(verdict(opening("2025-11-25", "s1"), again, echo("s1")), "pass");
  assertEquals(verdict(opening("2025-11-25", "s1"), echo("s2")), "fail");
});

Deno.test("responses in an event stream have the schema of the version of their session", () => {
  const headers = { ...ACCEPT, "mcp-session-id": "s1" };
  const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };
  const tool = (title: unknown): string =>
    JSON.stringify({
      jsonrpc: "2.0",
      id: 2,
      result: { tools: [{ name: "t", title, inputSchema: { type: "object" } }] },
    });
  const run = (title: unknown): string =>
    exchange("server", [
      opening("2025-11-25", "s1"),
      { sent: list, headers, answered: STREAM_TYPE, body: `data: ${tool(title)}\n\n` },
    ]).settle("message-schema").verdict;
  assertEquals(run("T"), "pass");
  assertEquals(run(7), "fail");
});

Deno.test("the requests of a client have the headers of their session and version", () => {
  const full = { ...ACCEPT, "mcp-session-id": "s1", "mcp-protocol-version": "2025-11-25" };
  const { "mcp-session-id": _, ...noSession } = full;
  const { "mcp-protocol-version": __, ...noVersion } = full;
  const verdict = (headers: Readonly<Record<string, string>>, version = "2025-11-25"): string =>
    exchange("client", [
      opening(version, "s1"),
      { sent: INITIALIZED, headers, status: 202, answered: {} },
    ]).settle("request-headers").verdict;
  assertEquals(verdict(full), "pass");
  assertEquals(verdict(noSession), "fail");
  assertEquals(verdict(noVersion), "fail");
  assertEquals(verdict(noVersion, "2025-03-26"), "pass");
  assertEquals(verdict({ ...full, "mcp-protocol-version": "2025-06-18" }), "fail");
  assertEquals(verdict({ ...full, accept: "application/json" }), "fail");
  assertEquals(verdict({ ...full, accept: "text/event-stream;q=1,application/json" }), "pass");
  assertEquals(verdict({ ...full, "content-type": "text/plain" }), "fail");
});

Deno.test("the headers of a modern request are equal to its body", () => {
  const params = {
    name: "grüß",
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  };
  const sent = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const full = {
    ...ACCEPT,
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "=?base64?Z3LDvMOf?=",
  };
  const verdict = (changes: Readonly<Record<string, string>>): string =>
    exchange("client", [{ sent, headers: { ...full, ...changes } }]).settle("request-headers")
      .verdict;
  assertEquals(verdict({}), "pass");
  assertEquals(verdict({ "mcp-method": "tools/list" }), "fail");
  assertEquals(verdict({ "mcp-name": "grub" }), "fail");
  assertEquals(verdict({ "mcp-protocol-version": "2025-11-25" }), "fail");
});

Deno.test("after the kit has rejected a request, a client can open a new session", () => {
  const full = { ...ACCEPT, "mcp-session-id": "s1", "mcp-protocol-version": "2025-11-25" };
  const lost = { sent: INITIALIZED, headers: full, status: 404, answered: {} };
  const stream = { method: "GET", headers: { accept: "text/event-stream" }, status: 405 };
  const watch = exchange("client", [opening("2025-11-25", "s1"), lost, stream]);
  assertEquals(watch.settle("request-headers").verdict, "pass");
});

Deno.test("modern errors of the transport have their own statuses", () => {
  const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
  const modern = { jsonrpc: "2.0", id: 1, method: "x", params: { _meta: meta } };
  const verdict = (sent: object, code: number, status: number): string => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code, message: "no" } });
    return exchange("server", [{ sent, status, body }]).settle("http-status").verdict;
  };
  assertEquals(verdict(modern, -32601, 404), "pass");
  assertEquals(verdict(modern, -32601, 200), "fail");
  assertEquals(verdict(modern, -32022, 400), "pass");
  assertEquals(verdict(modern, -32022, 200), "fail");
  assertEquals(verdict(modern, -32602, 200), "pass");
  assertEquals(verdict({ jsonrpc: "2.0", id: 1, method: "x" }, -32601, 200), "pass");
});

Deno.test("the stream for other messages has responses only if it is resumed", () => {
  const verdict = (headers: Readonly<Record<string, string>>): string =>
    exchange("server", [
      { sent: PING, answered: STREAM_TYPE, body: "" },
      { method: "GET", headers, answered: STREAM_TYPE, body: `data: ${PONG}\n\n` },
    ]).settle("ids").verdict;
  assertEquals(verdict({ accept: "text/event-stream" }), "fail");
  assertEquals(verdict({ accept: "text/event-stream", "last-event-id": "7" }), "n/a");
  const body = '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no"}}';
  const refused = exchange("server", [{ method: "GET", status: 405, body }]).settle("ids");
  assertEquals(refused.verdict, "pass");
});

Deno.test("a client can cancel a request of an earlier session, but no request of none", () => {
  const cancel = {
    sent: { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } },
    status: 202,
    answered: {},
  };
  const verdict = (...pairs: readonly Pair[]): string =>
    exchange("client", pairs).settle("ids").verdict;
  assertEquals(verdict(opening("2025-11-25", "s1"), cancel), "fail");
  const call = { sent: { ...PING, id: 7 }, body: PONG };
  assertEquals(verdict(opening("2025-11-25", "s1"), call, cancel), "pass");
  assertEquals(
    verdict(opening("2025-11-25", "s1"), call, opening("2025-11-25", "s2"), cancel),
    "pass",
  );
});
