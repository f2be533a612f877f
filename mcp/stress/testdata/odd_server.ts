/**
 * Servers for fuzz tests of the client, one per transport. A server sends a malformed response to a call, followed by
 * a valid one, unless the first is a valid response.
 *
 * @module
 */

import { assert } from "@std/assert";
import fc from "fast-check";
import { HttpTransport, McpClient, McpError, SseTransport } from "../../client.ts";
import { LinePipe } from "../../transport/ndjson_pipe.ts";
import type { PipeSource } from "../../jsonrpc/contracts.ts";
import type { ChunkReader } from "../../shared/read_chunks.ts";
import { splitLines } from "../../shared/split_lines.ts";
import { Queue } from "../../shared/bounded_queue.ts";
import { INITIALIZED, modern, older, type Seen, type Web, web } from "../../testdata/web.ts";
import { type Cut, cut, pieces, serverFrame, streamOf } from "./frames.ts";

const GOOD = { content: [{ type: "text", text: "ok" }] };

/** HTTP framing of a response: status, headers and SSE fields. */
interface Envelope {
  readonly status: number;
  readonly type: string;
  readonly session: string | undefined;
  /** Prefix of the bytes in an SSE stream. */
  readonly before: string;
  readonly after: string;
}

const envelope: fc.Arbitrary<Envelope> = fc.record({
  status: fc.oneof(
    { weight: 6, arbitrary: fc.constant(200) },
    fc.constantFrom(202, 204, 301, 400, 404, 405, 406, 413, 429, 500, 503),
  ),
  type: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom("application/json", "text/event-stream") },
    fc.constantFrom("text/html", "", "application/json; charset=utf-8", "TEXT/EVENT-STREAM"),
  ),
  session: fc.constantFrom(undefined, "s1", "s2", ""),
  before: fc.constantFrom("data: ", "data:", "event: message\ndata: ", "id: 7\ndata: ", ": odd\n"),
  after: fc.constantFrom("\n\n", "\r\n\r\n", "\n", ""),
});

/** Bytes that are sent in place of the response. On a pipe, the envelope is not used. */
export interface OddAnswer extends Cut {
  /** HTTP framing of the bytes. */
  readonly envelope: Envelope;
}

/** An arbitrary malformed response. */
export const oddAnswer: fc.Arbitrary<OddAnswer> = fc.tuple(envelope, serverFrame.chain(cut))
  .map(([envelope, { bytes, at }]) => ({ envelope, bytes, at }));

/** A server and a connected client. */
export interface OddServer {
  /** Client of the server. */
  readonly client: McpClient;
  /** Sets the bytes that precede the valid response to the next call. */
  prepare(answer: OddAnswer): void;
}

/** Functions that create a server, by transport. */
export const ODD_SERVERS: ReadonlyMap<string, () => Promise<OddServer>> = new Map([
  ["on a pipe, modern", () => onPipe("modern")],
  ["on a pipe, legacy", () => onPipe("legacy")],
  ["over HTTP, modern", () => overHttp("modern")],
  ["over HTTP, legacy", () => overHttp("legacy")],
  ["over HTTP with SSE", overSse],
]);

/** Calls a tool. Returns `result`, or the `McpError`. Any other error is thrown, and a timeout fails the test. */
export async function outcome(client: McpClient): Promise<"result" | McpError> {
  try {
    await client.callTool("t", {}, { timeoutMs: 5000 });
    return "result";
  } catch (error) {
    assert(error instanceof McpError, `${error}`);
    assert(!/time/i.test(error.message), error.message);
    return error;
  }
}

/** Replaces the placeholder for the request id. */
function addressed(bytes: Uint8Array<ArrayBuffer>, id: unknown): Uint8Array<ArrayBuffer> {
  const place = new TextDecoder("latin1").decode(bytes).indexOf('"$id"');
  if (place < 0) return bytes;
  const own = new TextEncoder().encode(JSON.stringify(id));
  return new Uint8Array([...bytes.slice(0, place), ...own, ...bytes.slice(place + 5)]);
}

async function onPipe(protocol: "modern" | "legacy"): Promise<OddServer> {
  const source = new OddLine(protocol === "modern");
  const client = new McpClient({ transport: source, protocol });
  await client.connect();
  return { client, prepare: (answer) => source.prepare(answer) };
}

/** A server on a byte pipe. */
class OddLine implements PipeSource {
  readonly label = "odd";
  readonly canReopen = false;
  readonly #bytes = new Queue<Uint8Array>({ capacity: 100_000 });
  readonly #read: ChunkReader = async (take) => {
    for await (const chunk of this.#bytes) await take(chunk);
  };
  readonly #isModern: boolean;
  #next: OddAnswer | undefined;

  constructor(isModern: boolean) {
    this.#isModern = isModern;
  }

  prepare(next: OddAnswer): void {
    this.#next = next;
  }

  openPipe(): Promise<LinePipe> {
    const writer = { writeLine: (line: string) => Promise.resolve(this.#answer(JSON.parse(line))) };
    const close = () => Promise.resolve(this.#bytes.end());
    return Promise.resolve(new LinePipe(splitLines(this.#read), writer, { close }));
  }

  #answer({ id, method }: { readonly id?: unknown; readonly method?: unknown }): void {
    if (id === undefined || method === undefined) return;
    if (method === "tools/call" && this.#next !== undefined) {
      const { bytes, at } = this.#next;
      for (const piece of pieces({ bytes: addressed(bytes, id), at })) this.#bytes.tryPush(piece);
      this.#bytes.tryPush(new Uint8Array([0x0a]));
      this.#next = undefined;
    }
    const message = { jsonrpc: "2.0", id, ...this.#rightAnswer(method) };
    this.#bytes.tryPush(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
  }

  #rightAnswer(method: unknown): object {
    const capabilities = { tools: {} };
    if (method === "tools/call") return { result: GOOD };
    if (method === "server/discover" && this.#isModern) {
      const supportedVersions = ["2026-07-28"];
      return { result: { resultType: "complete", supportedVersions, capabilities } };
    }
    if (method === "initialize" && !this.#isModern) {
      const serverInfo = { name: "odd", version: "1" };
      return { result: { protocolVersion: "2025-11-25", capabilities, serverInfo } };
    }
    return { error: { code: -32601, message: "Method not found" } };
  }
}

async function overHttp(protocol: "modern" | "legacy"): Promise<OddServer> {
  let next: OddAnswer | undefined;
  const answer = (request: Seen): Response => {
    const odd = next;
    next = undefined;
    return odd === undefined ? right(request) : respond(odd, request);
  };
  const { fetch } = forgetful((protocol === "modern" ? modern : older)({ "tools/call": answer }));
  const transport = new HttpTransport("http://localhost/mcp", { fetch, retryMs: 0 });
  const client = new McpClient({ transport, protocol });
  await client.connect();
  return { client, prepare: (answer) => next = answer };
}

/** Clears the recorded requests of a server, so that they do not count as memory of the client. */
function forgetful({ fetch, seen }: Web): Web {
  return {
    seen,
    fetch: async (url, init) => {
      seen.length = 0;
      return await fetch(url, init);
    },
  };
}

function right({ body }: Seen): Response {
  return Response.json({ jsonrpc: "2.0", id: body.id, result: GOOD });
}

function respond({ envelope, bytes, at }: OddAnswer, { body }: Seen): Response {
  const { status, type, session, before, after } = envelope;
  const isEvents = type.toLowerCase() === "text/event-stream";
  const text = new TextEncoder();
  const whole = new Uint8Array([
    ...(isEvents ? text.encode(before) : []),
    ...addressed(bytes, body.id),
    ...(isEvents ? text.encode(after) : []),
  ]);
  const headers = new Headers({ "content-type": type });
  if (session !== undefined) headers.set("mcp-session-id", session);
  return new Response(status === 204 ? null : streamOf({ bytes: whole, at }), { status, headers });
}

/** Creates a server of MCP 2024-11-05, which sends all responses on one SSE stream. */
async function overSse(): Promise<OddServer> {
  const events = new Queue<Uint8Array<ArrayBuffer>>({ capacity: 100_000 });
  const text = new TextEncoder();
  const say = (message: object): void =>
    void events.tryPush(text.encode(`data: ${JSON.stringify(message)}\n\n`));
  let next: OddAnswer | undefined;
  const { fetch } = forgetful(web((request) => {
    if (request.method === "GET") {
      events.tryPush(text.encode("event: endpoint\ndata: /messages\n\n"));
      request.signal.addEventListener("abort", () => events.end(), { once: true });
      const headers = { "content-type": "text/event-stream" };
      return new Response(ReadableStream.from(events), { headers });
    }
    const { id, method } = request.body;
    if (method === "initialize") {
      say({ jsonrpc: "2.0", id, result: { ...INITIALIZED, protocolVersion: "2024-11-05" } });
    } else if (method === "tools/call") {
      if (next !== undefined) {
        const { bytes, at, envelope } = next;
        events.tryPush(text.encode(envelope.before));
        for (const piece of pieces({ bytes: addressed(bytes, id), at })) events.tryPush(piece);
        events.tryPush(text.encode("\n\n"));
        next = undefined;
      }
      say({ jsonrpc: "2.0", id, result: GOOD });
    }
    return new Response("Accepted", { status: 202 });
  }));
  const transport = new SseTransport("http://localhost/sse", { fetch });
  const client = new McpClient({ transport, protocol: "legacy" });
  await client.connect();
  return { client, prepare: (answer) => next = answer };
}
