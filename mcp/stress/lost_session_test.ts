/**
 * Tests in which a legacy server loses its session at any point during a tool call. A tool must
 * never run twice.
 */

import { assert, assertEquals } from "@std/assert";
import { HttpTransport, McpClient, McpError } from "../client.ts";
import { events, failure, INITIALIZED, result, type Seen, type Web, web } from "../testdata/web.ts";

/** Number of points in a call at which the session is lost. */
const POINTS = 20;

/**
 * Number of events that the server sends on one stream before it closes the stream, so that the
 * client resumes.
 */
const EVENTS_PER_STREAM = 3;

/**
 * A server whose tool sends its response over several resumed streams. The session can be lost at
 * several points in a call: one for each step that the client can observe. At a chosen point during
 * the call, the server loses its session: it breaks all streams, and responds with status 404 to
 * requests in the old session.
 */
class ForgetfulServer {
  readonly web: Web;
  /** Number of executions of the tool, keyed by the `call` argument. */
  readonly executions: Map<unknown, number> = new Map();
  #lossAt: number;
  #point = 0;
  #sessions = 0;
  #callId: unknown;

  constructor(lossAt: number) {
    this.#lossAt = lossAt;
    this.web = web((request) => this.#respond(request));
  }

  /** Loses the session now, if it has not been lost yet. */
  lose(): void {
    this.#lossAt = Math.min(this.#lossAt, this.#point - 1);
  }

  get isLost(): boolean {
    return this.#point > this.#lossAt;
  }

  #respond(request: Seen): Response {
    const { method, headers, body } = request;
    if (body.method === "initialize") {
      return result(request, INITIALIZED, { "mcp-session-id": `s${++this.#sessions}` });
    }
    const isResumption = headers.has("last-event-id");
    if (method === "GET" && !isResumption) return new Response(null, { status: 405 });
    if (method === "DELETE") return new Response(null, { status: 204 });
    const isCall = body.method === "tools/call";
    const isFirst = headers.get("mcp-session-id") === "s1";
    // Lose the session before the server accepts the request.
    if (isFirst && (isCall || isResumption)) this.#step();
    if (isFirst && this.isLost) return failure(request, -32001, undefined, 404);
    if (isResumption) return this.#stream(request, Number(headers.get("last-event-id")));
    if (!isCall) return new Response(null, { status: 202 });
    return this.#call(request);
  }

  #call(request: Seen): Response {
    const { call } = Object(request.body.params?.arguments);
    this.executions.set(call, (this.executions.get(call) ?? 0) + 1);
    this.#callId = request.body.id;
    if (request.headers.get("mcp-session-id") !== "s1") return this.#json(request);
    // Lose the session after the tool has run and before the response headers are sent: the
    // connection breaks.
    if (this.#step()) throw new TypeError("connection reset");
    return this.#stream(request, 0);
  }

  #json(request: Seen): Response {
    return result(request, { content: [] });
  }

  /** Sends the events after the given event id. The last event contains the response. */
  #stream(request: Seen, after: number): Response {
    const stream = events(request);
    // Lose the session after the headers and before the first event.
    if (this.#step()) stream.lose();
    for (let id = after + 1; id <= after + EVENTS_PER_STREAM; id++) {
      if (id === 3 * EVENTS_PER_STREAM + 1) {
        stream.message({ jsonrpc: "2.0", id: this.#callId, result: { content: [] } }, `${id}`);
        stream.end();
        break;
      }
      const note = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info" } };
      // Lose the session within an event: only the event id arrives.
      if (this.#step()) {
        stream.send(`id: ${id}\n`);
        stream.lose();
      }
      stream.message(note, `${id}`);
      // Lose the session between two events.
      if (this.#step()) stream.lose();
    }
    stream.end();
    return stream.response;
  }

  get points(): number {
    return this.#point;
  }

  /**
   * Counts one point at which the call can lose its session. Returns `true` if the session is lost
   * at this point.
   */
  #step(): boolean {
    return this.#point++ === this.#lossAt;
  }
}

async function callWith(lossAt: number) {
  const server = new ForgetfulServer(lossAt);
  const transport = new HttpTransport("http://127.0.0.1/mcp", {
    fetch: server.web.fetch,
    retryMs: 0.1,
    maxRetries: 2,
  });
  const client = new McpClient({ transport, protocol: "legacy", onError: () => {} });
  await client.connect();
  const outcome = await client.callTool("pay", { call: "first" }).then(
    () => "ok",
    (error) => error,
  );
  const { points } = server;
  server.lose();
  // The session is renewed for later calls.
  await client.callTool("pay", { call: "later" });
  await client.disconnect();
  return { server, points, outcome };
}

Deno.test("a tool runs at most once if the session is lost at any of 20 points of a call", async () => {
  const whole = await callWith(Infinity);
  assertEquals(whole.outcome, "ok");
  assert(whole.points >= POINTS, `only ${whole.points} points`);
  const outcomes = new Map<string, number>();
  for (let point = 0; point < whole.points; point++) {
    const { server, outcome } = await callWith(point);
    const { executions } = server;
    assertEquals([executions.get("first"), executions.get("later")], [1, 1], `point ${point}`);
    if (outcome !== "ok") {
      assert(outcome instanceof McpError, `${outcome}`);
      assertEquals(outcome.code, "transport_error", `point ${point}`);
    }
    const kind = outcome === "ok"
      ? "ok"
      : outcome.message.includes("its outcome is unknown")
      ? "unknown"
      : "reset";
    outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1);
  }
  // The call succeeds if the session is lost before the request is accepted or after the last event
  // is sent.
  assert((outcomes.get("ok") ?? 0) >= 1);
  assert((outcomes.get("unknown") ?? 0) >= POINTS - 3, JSON.stringify([...outcomes]));
});
