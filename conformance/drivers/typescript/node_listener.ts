/**
 * Requests to a server through the listener for `node:http`, in the forms in which web frameworks
 * pass them.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { Readable, Writable } from "node:stream";
import { text as readText } from "node:stream/consumers";
import { type NodeListener, type RequestHandler, toNodeListener } from "@parley/mcp/node";
import { BadArgs, bytesOf, type Fields, fieldsOf, isFields } from "./operation.ts";

/** The response to a request, as a client receives it. */
export interface NodeReply {
  readonly status: number;
  readonly headers: Fields;
  readonly text: string;
  /** Whether the connection was closed before the end of the response. */
  readonly isInterrupted?: boolean;
}

/** Sends a request to a handler through the listener for `node:http`. */
export type FetchThroughNode = typeof fetchThroughNode;

/** Sends the request that the arguments of `mcp.server.fetch` describe. */
export async function fetchThroughNode(handler: RequestHandler, args: Fields): Promise<NodeReply> {
  const framework = fieldsOf(args, "framework");
  const { principal } = args;
  const listener = toNodeListener(toHandler(handler, framework), {
    onError: () => {},
    ...(principal === undefined ? {} : { principal: () => principal as never }),
  });
  const incoming = await createIncoming(args, framework);
  const outgoing = new Outgoing(framework);
  const { client, passes } = framework;
  if (client === "gone") outgoing.destroy();
  const replied = listener(
    // The listener uses only members that the two objects have.
    incoming as Readable & Parameters<NodeListener>[0],
    outgoing as Writable & Parameters<NodeListener>[1] & Outgoing,
    passes === "next" ? () => {} : passes,
  );
  if (client === "leaves") await outgoing.started.then(() => outgoing.destroy());
  await replied;
  return await outgoing.reply;
}

/**
 * Returns the handler, or the handler without support for anything but `Request` and `Response`.
 */
function toHandler(handler: RequestHandler, { handler: kind, cookies }: Fields): RequestHandler {
  if (kind === "throws") return () => Promise.reject(new Error("a handler that throws"));
  if (kind === "breaks" || kind === "stalls") {
    const headers = { "content-type": "text/event-stream" };
    return () => Promise.resolve(new Response(startedBody(kind), { headers }));
  }
  if (kind !== "response") return handler;
  return async (request, context) => {
    const response = await handler(request, context);
    const headers = new Headers(response.headers);
    for (const cookie of Array.isArray(cookies) ? cookies : []) {
      headers.append("set-cookie", cookie);
    }
    return new Response(response.body, { status: response.status, headers });
  };
}

/** Creates a body that fails or waits endlessly after its first event. */
function startedBody(kind: "breaks" | "stalls"): ReadableStream<Uint8Array> {
  let isFirst = true;
  return new ReadableStream({
    async pull(controller) {
      if (isFirst) controller.enqueue(new TextEncoder().encode("data: 1\n\n"));
      else if (kind === "breaks") controller.error(new Error("a broken body"));
      else await new Promise(() => {});
      isFirst = false;
    },
  });
}

/** Creates the request. A framework may have read the body before the listener. */
async function createIncoming(args: Fields, framework: Fields): Promise<Readable> {
  const { method, path, headers, chunksHex, json, text } = args;
  const { encoding, reads, attaches, cuts } = framework;
  const chunks = Array.isArray(chunksHex)
    ? chunksHex.map((hex) => bytesOf({ hex }, "hex"))
    : [Buffer.from(json === undefined ? String(text ?? "") : JSON.stringify(json))];
  const body = new Readable({ read() {} });
  const incoming = Object.assign(body, {
    method,
    url: path,
    headers,
    complete: cuts === undefined,
  });
  for (const chunk of chunks) if (chunk.length > 0) body.push(chunk);
  if (cuts === undefined) body.push(null);
  if (typeof encoding === "string") body.setEncoding(encoding as BufferEncoding);
  if (reads === true) await readText(body);
  if (attaches !== undefined) Object.assign(incoming, { body: toParsed(attaches) });
  if (cuts === "before") body.destroy();
  if (cuts === "close") setTimeout(() => body.destroy(), 0);
  if (cuts === "error") setTimeout(() => body.destroy(new Error("a lost connection")), 0);
  return incoming;
}

function toParsed(value: unknown): unknown {
  return isFields(value) && typeof value.hex === "string" ? bytesOf(value, "hex") : value;
}

/** A response that a client reads. */
class Outgoing extends Writable {
  headersSent = false;
  readonly started: Promise<void>;
  readonly reply: Promise<NodeReply>;
  readonly #chunks: Uint8Array[] = [];
  readonly #isStalled: boolean;
  #onStart: () => void = () => {};
  #status = 0;
  #headers: Fields = {};

  constructor({ client }: Fields) {
    super({ highWaterMark: client === undefined ? 16_384 : 1 });
    this.#isStalled = client === "leaves";
    this.started = new Promise((resolve) => this.#onStart = resolve);
    this.reply = new Promise((resolve) => {
      this.once("close", () =>
        resolve({
          status: this.#status,
          headers: this.#headers,
          text: Buffer.concat(this.#chunks).toString(),
          isInterrupted: !this.writableFinished,
        }));
    });
    this.on("error", () => {});
  }

  writeHead(status: number, headers: Fields | readonly unknown[]): void {
    if (this.headersSent) throw new BadArgs("the head was already written");
    this.headersSent = true;
    this.#status = status;
    this.#headers = Array.isArray(headers) ? toFields(headers) : headers as Fields;
  }

  flushHeaders(): void {
    this.#onStart();
  }

  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    this.#chunks.push(chunk);
    // A client that leaves does not read the response.
    if (!this.#isStalled) setTimeout(done, 0);
  }
}

function toFields(list: readonly unknown[]): Fields {
  return Object.fromEntries(
    list.flatMap((name, at) => at % 2 === 0 ? [[String(name), list[at + 1]]] : []),
  );
}
