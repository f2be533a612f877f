/**
 * A fake model API on the loopback address that returns given responses and records the requests.
 *
 * @module
 */

/** A received request. */
export interface SeenRequest {
  readonly path: string;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** Returns the response to a request. The signal is aborted when the client disconnects. */
export type Reply = (request: Request) => Response | Promise<Response>;

/** A running fake endpoint. */
export class FakeEndpoint implements AsyncDisposable {
  /** Requests received so far, oldest first. */
  readonly seen: SeenRequest[] = [];
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  /** Starts the server. */
  constructor(reply: Reply) {
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      async (request) => {
        const { pathname, search } = new URL(request.url);
        const body = await request.json();
        this.seen.push({ path: pathname + search, headers: request.headers, body });
        return await reply(request);
      },
    );
  }

  /** Origin of the server. */
  get origin(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** The most recent request. */
  get last(): SeenRequest {
    const request = this.seen.at(-1);
    if (request === undefined) throw new Error("No request was received");
    return request;
  }

  /** Stops the server and waits until all connections are closed. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

/** Returns an event stream with the given data fields, in chunks of `size` bytes. */
export function eventStream(
  data: readonly (string | object)[],
  { size = Infinity, event }: { readonly size?: number; readonly event?: string } = {},
): Response {
  const prefix = event === undefined ? "" : `event: ${event}\n`;
  const text = data.map((item) =>
    `${prefix}data: ${typeof item === "string" ? item : JSON.stringify(item)}\n\n`
  ).join("");
  return streamOf(chunksOf(new TextEncoder().encode(text), size));
}

/** Returns a response whose body consists of the given chunks. */
export function streamOf(chunks: Iterable<Uint8Array>, type = "text/event-stream"): Response {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new Uint8Array(chunk));
      controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": type } });
}

/**
 * Returns an event stream with the given data fields that stays open until the reader cancels it.
 */
export function openStream(data: readonly string[], onCancel: () => void = () => {}): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const item of data) controller.enqueue(encoder.encode(`data: ${item}\n\n`));
    },
    cancel: onCancel,
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** Returns an HTML page. */
export function htmlPage(text: string, status = 200): Response {
  return new Response(text, { status, headers: { "content-type": "text/html; charset=utf-8" } });
}

/** Splits bytes into chunks of at most `size` bytes. */
export function* chunksOf(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) {
    yield bytes.subarray(start, start + size);
  }
}
