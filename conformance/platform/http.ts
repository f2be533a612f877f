/**
 * An HTTP server on the loopback interface, and an HTTP client without restrictions on headers. The
 * only module that imports `node:http`.
 *
 * @module
 */

import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { request as requestTls } from "node:https";

/** A request whose body has been read completely. */
export interface HttpRequest {
  /** Method. */
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** Aborted if the client closes the connection before the response is complete. */
  readonly signal: AbortSignal;
}

/** Writes the response. */
export interface HttpReply {
  /** Sends the status and headers. */
  head(status: number, headers: Readonly<Record<string, string>>): void;
  /** Sends a chunk of the body. */
  write(chunk: Uint8Array | string): void;
  /** Ends the response. */
  end(): void;
  /** Closes the connection. */
  drop(): void;
}

/** A running server. */
export interface HttpListener {
  /** Port that the server listens on. */
  readonly port: number;
  /** Stops the server and closes all connections. */
  close(): Promise<void>;
}

/** Maximum length of a request body, in bytes. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/**
 * Starts a server on 127.0.0.1.
 *
 * @param handle Handles a request. If the handler throws, the response has status 500.
 * @param port Port for the server. 0 selects a free port.
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
    head: (status, headers) => {
      outgoing.writeHead(status, { ...headers });
      // Without `flushHeaders()`, a client that opens a stream would receive the headers only with
      // the first event.
      outgoing.flushHeaders();
    },
    write: (chunk) => void outgoing.write(chunk),
    end: () => void outgoing.end(),
    drop: () => void outgoing.destroy(),
  });
}

/** A request that is sent unchanged. */
export interface PlainRequest {
  /** Method. */
  readonly method: string;
  /** Headers, including `host`, which `fetch` does not allow. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body. */
  readonly body?: string;
  /** Aborts the request. */
  readonly signal: AbortSignal;
}

/** A response whose status and headers have been received. */
export interface PlainResponse {
  /** Status code. */
  readonly status: number;
  /** Headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body stream. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Sends a request on a new connection. Rejects if there is no response. */
export function sendHttp(
  url: URL,
  { method, headers, body, signal }: PlainRequest,
): Promise<PlainResponse> {
  const send = url.protocol === "https:" ? requestTls : request;
  return new Promise((resolve, reject) => {
    const outgoing = send(url, { method, headers: { ...headers }, agent: false, signal });
    outgoing.once("error", reject);
    outgoing.once("response", (incoming: IncomingMessage) => {
      // An interrupted connection ends the body without an error. Callers detect that data is
      // missing from the body.
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
