/** Thousands of answers that are nearly right, against our client on every transport. */

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { HttpTransport, McpClient, McpError } from "../client.ts";
import { LinePipe } from "../rpc/line_pipe.ts";
import type { PipeSource } from "../rpc/transport.ts";
import type { ChunkReader } from "../stream/chunks.ts";
import { splitLines } from "../stream/lines.ts";
import { Queue } from "../stream/queue.ts";
import { modern, older, type Seen } from "../testdata/web.ts";
import { type Cut, cut, pieces, serverFrame } from "./testdata/frames.ts";

const ANSWERS_PER_RUN = 50;
const GOOD = { content: [{ type: "text", text: "ok" }] };

/** What a call comes to. Anything but a result or an McpError is a crash. */
async function outcome(client: McpClient): Promise<"result" | McpError> {
  try {
    await client.callTool("t", {}, { timeoutMs: 5000 });
    return "result";
  } catch (error) {
    assert(error instanceof McpError, `${error}`);
    assert(!/time/i.test(error.message), error.message);
    return error;
  }
}

/** The bytes with the id of the request in them. */
function addressed(bytes: Uint8Array<ArrayBuffer>, id: unknown): Uint8Array<ArrayBuffer> {
  const place = new TextDecoder("latin1").decode(bytes).indexOf('"$id"');
  if (place < 0) return bytes;
  const own = new TextEncoder().encode(JSON.stringify(id));
  return new Uint8Array([...bytes.slice(0, place), ...own, ...bytes.slice(place + 5)]);
}

/** A server on a pipe of bytes that answers calls by odd bytes, and then rightly. */
class OddLine implements PipeSource {
  readonly label = "odd";
  readonly canReopen = false;
  readonly #bytes = new Queue<Uint8Array>({ capacity: 100_000 });
  readonly #read: ChunkReader = async (take) => {
    for await (const chunk of this.#bytes) await take(chunk);
  };
  readonly #isModern: boolean;
  #next: Cut | undefined;

  constructor(isModern: boolean) {
    this.#isModern = isModern;
  }

  /** What to say first to the next call. */
  prepare(next: Cut): void {
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
      const bytes = addressed(this.#next.bytes, id);
      for (const piece of pieces({ bytes, at: this.#next.at })) this.#bytes.tryPush(piece);
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

const answers = fc.array(serverFrame.chain(cut), {
  minLength: ANSWERS_PER_RUN,
  maxLength: ANSWERS_PER_RUN,
});

for (const isModern of [true, false]) {
  const protocol = isModern ? "modern" : "legacy";
  Deno.test(`a client on a pipe survives any answer, ${protocol}`, async () => {
    const property = fc.asyncProperty(answers, async (all) => {
      const source = new OddLine(isModern);
      const client = new McpClient({ transport: source, protocol });
      await client.connect();
      for (const next of all) {
        source.prepare(next);
        await outcome(client);
        assert(client.connected);
      }
      assertEquals(await outcome(client), "result");
      await client.disconnect();
    });
    await fc.assert(property, propertyRuns(100));
  });
}

/** What goes round the bytes of a response. */
const envelope = fc.record({
  status: fc.oneof(
    { weight: 6, arbitrary: fc.constant(200) },
    fc.constantFrom(202, 204, 301, 400, 404, 405, 406, 413, 429, 500, 503),
  ),
  type: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom("application/json", "text/event-stream") },
    fc.constantFrom("text/html", "", "application/json; charset=utf-8", "TEXT/EVENT-STREAM"),
  ),
  session: fc.constantFrom(undefined, "s1", "s2", ""),
  // How an event is written around the bytes, where it is an event stream.
  before: fc.constantFrom("data: ", "data:", "event: message\ndata: ", "id: 7\ndata: ", ": odd\n"),
  after: fc.constantFrom("\n\n", "\r\n\r\n", "\n", ""),
});

const responses = fc.array(fc.tuple(envelope, serverFrame.chain(cut)), {
  minLength: ANSWERS_PER_RUN,
  maxLength: ANSWERS_PER_RUN,
});

type OddResponse = typeof responses extends fc.Arbitrary<(infer Each)[]> ? Each : never;

function respond([envelope, { bytes, at }]: OddResponse, { body }: Seen): Response {
  const { status, type, session, before, after } = envelope;
  const isEvents = type.toLowerCase() === "text/event-stream";
  const text = new TextEncoder();
  const whole = new Uint8Array([
    ...(isEvents ? text.encode(before) : []),
    ...addressed(bytes, body.id),
    ...(isEvents ? text.encode(after) : []),
  ]);
  const parts = pieces({ bytes: whole, at });
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => {
      const { done, value } = parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
  const headers = new Headers({ "content-type": type });
  if (session !== undefined) headers.set("mcp-session-id", session);
  return new Response(status === 204 ? null : stream, { status, headers });
}

for (const isModern of [true, false]) {
  const protocol = isModern ? "modern" : "legacy";
  Deno.test(`a client over HTTP survives any response, ${protocol}`, async () => {
    const property = fc.asyncProperty(responses, async (all) => {
      let next: OddResponse | undefined;
      const answer = (request: Seen): Response => {
        const odd = next;
        next = undefined;
        return odd === undefined ? right(request) : respond(odd, request);
      };
      const { fetch } = (isModern ? modern : older)({ "tools/call": answer });
      const transport = new HttpTransport("http://localhost/mcp", { fetch, retryMs: 0 });
      const client = new McpClient({ transport, protocol });
      await client.connect();
      for (const each of all) {
        next = each;
        await outcome(client);
        assert(client.connected);
      }
      next = undefined;
      assertEquals(await outcome(client), "result");
      await client.disconnect();
    });
    await fc.assert(property, propertyRuns(100));
  });
}

function right({ body }: Seen): Response {
  return Response.json({ jsonrpc: "2.0", id: body.id, result: GOOD });
}
