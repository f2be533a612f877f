/**
 * HTTP, as a server on loopback and as a client that sends what it is told: the one door to `node:http`.
 *
 * @module
 */

import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { request as requestTls } from "node:https";

/** A request, read to its end. */
export interface HttpRequest {
  /** The method. */
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** The headers, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** Fires when the other side goes away before the answer is complete. */
  readonly signal: AbortSignal;
}

/** Where the answer goes. */
export interface HttpReply {
  /** Sends status and headers. */
  head(status: number, headers: Readonly<Record<string, string>>): void;
  /** Sends a piece of the body. */
  write(chunk: Uint8Array | string): void;
  /** Ends the answer. */
  end(): void;
  /** Breaks the connection off. */
  drop(): void;
}

/** A running server. */
export interface HttpListener {
  /** The port it listens on. */
  readonly port: number;
  /** Stops listening and ends every connection. */
  close(): Promise<void>;
}

/** The longest body accepted, in bytes. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/**
 * Listens on 127.0.0.1.
 *
 * @param handle answers one request; what it throws becomes status 500
 * @param port the port, 0 for any
 */
export function listenHttp(
  handle: (request: HttpRequest, reply: HttpReply) => Promise<void>,
  port = 0,
): Promise<HttpListener> {
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing, handle).catch((error: unknown) => {
      if (!outgoing.headersSent) outgoing.writeHead(500);
      outgoing.end(error instanceof Error ? error.message : String(error));
    });
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      resolve({
        port: typeof address === "object" ? address?.port ?? 0 : 0,
        close: () =>
          new Promise((settle) => {
            server.close(() => settle());
            server.closeAllConnections();
          }),
      });
    });
  });
}

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  handle: (request: HttpRequest, reply: HttpReply) => Promise<void>,
): Promise<void> {
  const controller = new AbortController();
  outgoing.once("close", () => controller.abort());
  await handle({
    method: incoming.method ?? "GET",
    path: incoming.url ?? "/",
    headers: readHeaders(incoming),
    body: await readBody(incoming),
    signal: controller.signal,
  }, {
    head: (status, headers) => void outgoing.writeHead(status, { ...headers }),
    write: (chunk) => void outgoing.write(chunk),
    end: () => void outgoing.end(),
    drop: () => void outgoing.destroy(),
  });
}

/** A request to send as it is. */
export interface PlainRequest {
  /** The method. */
  readonly method: string;
  /** The headers; `host` too, which `fetch` would not let through. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body. */
  readonly body?: string;
  /** Breaks the exchange off. */
  readonly signal: AbortSignal;
}

/** An answer whose head has come. */
export interface PlainResponse {
  /** The status code. */
  readonly status: number;
  /** The headers, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, as it comes. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Sends a request on a connection of its own; rejects when there is no answer. */
export function sendHttp(
  url: URL,
  { method, headers, body, signal }: PlainRequest,
): Promise<PlainResponse> {
  const send = url.protocol === "https:" ? requestTls : request;
  return new Promise((resolve, reject) => {
    const outgoing = send(url, { method, headers: { ...headers }, agent: false, signal });
    outgoing.once("error", reject);
    outgoing.once("response", (incoming: IncomingMessage) => {
      // A broken connection ends the body; whoever reads it sees what is missing.
      incoming.on("error", () => {});
      resolve({
        status: incoming.statusCode ?? 0,
        headers: readHeaders(incoming),
        body: incoming,
      });
    });
    outgoing.end(body);
  });
}

function readHeaders({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? ""].flat().join(", ")]),
  );
}

async function readBody(incoming: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of incoming) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) {
      throw new RangeError(`Payload too large: maximum is ${MAX_BODY_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  const body = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body;
}
