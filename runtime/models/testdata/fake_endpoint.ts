/**
 * A model's endpoint on the loopback address that answers what a test tells it to, and remembers what it was asked.
 *
 * @module
 */

/** One request as it arrived. */
export interface SeenRequest {
  readonly path: string;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** What it answers with; the signal is aborted when the client goes away. */
export type Reply = (request: Request) => Response | Promise<Response>;

/** A running endpoint. */
export class FakeEndpoint implements AsyncDisposable {
  /** The requests so far, oldest first. */
  readonly seen: SeenRequest[] = [];
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  /** Starts to listen. */
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

  /** Its root, without a path. */
  get origin(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** The newest request. */
  get last(): SeenRequest {
    const request = this.seen.at(-1);
    if (request === undefined) throw new Error("No request was received");
    return request;
  }

  /** Stops and waits for the connections to end. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

/** An event stream of these data fields, cut into chunks of `size` bytes. */
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

/** A response of these chunks, that then ends. */
export function streamOf(chunks: Iterable<Uint8Array>, type = "text/event-stream"): Response {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new Uint8Array(chunk));
      controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": type } });
}

/** A response of these chunks that stays open until the reader goes away. */
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

/** A web page where an answer was expected. */
export function htmlPage(text: string, status = 200): Response {
  return new Response(text, { status, headers: { "content-type": "text/html; charset=utf-8" } });
}

/** The bytes in pieces of at most `size`. */
export function* chunksOf(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) {
    yield bytes.subarray(start, start + size);
  }
}
