/**
 * A web server on loopback that shows the events of runs on a page as they occur, and lets a person
 * decide on approvals. Only a browser that knows the random token in the address can use the
 * server.
 *
 * @module
 */

import { readPageFiles } from "./files.ts";

/** A person's decision on an approval. */
export type Decision = "approve" | "deny";

/** Options for {@linkcode serveViewer}. */
export interface ViewerOptions {
  /**
   * Events as JSON objects: the events that `toEventJson` from `@parley/runtime/events` returns,
   * and the events listed in `tools/viewer/README.md`. The server reads the events as fast as they
   * occur, and sends all of them to each page.
   */
  readonly events: AsyncIterable<unknown>;
  /**
   * Called when a person decides on a `decision_needed` event. Returns `false` if no decision with
   * the key is pending.
   *
   * @param key The `key` of the `decision_needed` event.
   */
  readonly decide: (key: string, decision: Decision) => boolean;
  /** Closes the server when it is aborted. */
  readonly signal?: AbortSignal;
  /** Port on 127.0.0.1. The default 0 selects an unused port. @default {0} */
  readonly port?: number;
  /**
   * Maximum number of characters of stored events. Events beyond `maxChars` are not stored, and the
   * page reports that they are missing.
   *
   * @default {50_000_000}
   */
  readonly maxChars?: number;
  /** Maximum number of pages that receive events at the same time. @default {16} */
  readonly maxPages?: number;
}

/** A running server. */
export interface Viewer extends AsyncDisposable {
  /** Address of the page, with the token. */
  readonly url: string;
  /** Resolves when all events have been read. Rejects if `events` fails. */
  readonly finished: Promise<void>;
  /** Closes the server and the connections of all pages; repeated calls have no effect. */
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 4096;

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": POLICY,
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/**
 * Serves the page on 127.0.0.1. The server stays open after the last event, so that a finished run
 * can still be viewed.
 *
 * @param options Events, and the function that receives decisions.
 * @returns The address, and a function that closes the server.
 */
export function serveViewer(options: ViewerOptions): Viewer {
  const { events, decide, signal, port = 0, maxChars = 50_000_000, maxPages = 16 } = options;
  signal?.throwIfAborted();
  const token = createToken();
  const files = readPageFiles();
  const loaded = files.catch(() => {}); // A read error is reported by each request for a file.
  const log = new EventLog(maxChars);
  const pages = new Set<AbortController>();
  const server = Deno.serve({ hostname: "127.0.0.1", port, onListen: () => {} }, handle);
  const host = `127.0.0.1:${server.addr.port}`;
  const finished = log.readAll(events);
  finished.catch(() => {}); // The caller handles the error through `finished`.
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    for (const page of pages) page.abort();
    signal?.removeEventListener("abort", close);
    return closed ??= Promise.all([server.shutdown(), loaded]).then(() => {});
  };
  signal?.addEventListener("abort", close, { once: true });
  return { url: `http://${host}/${token}/`, finished, close, [Symbol.asyncDispose]: close };

  async function handle(request: Request): Promise<Response> {
    // A web page from a different origin reaches the server only with a wrong `Host` (DNS
    // rebinding) or a wrong `Origin`.
    if (request.headers.get("host") !== host) return refuse(403, "Unknown host");
    const origin = request.headers.get("origin");
    if (origin !== null && origin !== `http://${host}`) return refuse(403, "Unknown origin");
    const [, given, name = "", ...more] = new URL(request.url).pathname.split("/");
    if (given !== token || more.length > 0) return refuse(404, "Not found");
    if (name === "decide") return await receiveDecision(request, origin);
    if (request.method !== "GET") return refuse(405, "Only GET is allowed");
    return name === "events" ? streamEvents(request) : await sendFile(name || "viewer.html");
  }

  function streamEvents(request: Request): Response {
    if (pages.size >= maxPages) return refuse(503, "Too many pages are open");
    const page = new AbortController();
    pages.add(page);
    const last = Number(request.headers.get("last-event-id") ?? "-1");
    const chunks = log.follow(Number.isSafeInteger(last) ? last + 1 : 0, page.signal);
    const end = (): void => {
      pages.delete(page);
      page.abort(); // Without `abort()`, the generator would wait for the next event.
    };
    const pull = async (controller: ReadableStreamDefaultController<string>): Promise<void> => {
      const { value } = await chunks.next();
      if (value !== undefined) return controller.enqueue(value);
      end();
      controller.close();
    };
    const body = new ReadableStream({ pull, cancel: end }).pipeThrough(new TextEncoderStream());
    return new Response(body, { headers: { ...HEADERS, "content-type": "text/event-stream" } });
  }

  async function sendFile(name: string): Promise<Response> {
    const file = (await files).get(name);
    if (file === undefined) return refuse(404, "Not found");
    // The page requests events only if the server reports that it has events.
    const body = name === "viewer.html"
      ? file.text.replace("<body>", "<body data-live>")
      : file.text;
    return new Response(body, { headers: { ...HEADERS, "content-type": file.type } });
  }

  async function receiveDecision(request: Request, origin: string | null): Promise<Response> {
    if (request.method !== "POST") return refuse(405, "Only POST is allowed");
    // Browsers send the `Origin` header with every POST request.
    if (origin === null) return refuse(403, "The Origin header is missing");
    const read = readDecision(await readBody(request));
    if (read === undefined) return refuse(400, 'Expected {"key": string, "decision": string}');
    if (!decide(read.key, read.decision)) return refuse(409, "No such decision is pending");
    log.append({ type: "decision_made", at: Date.now(), ...read });
    return new Response(null, { status: 204, headers: HEADERS });
  }
}

/** Stores events as JSON, and lets any number of readers follow them. */
class EventLog {
  readonly #lines: string[] = [];
  readonly #maxChars: number;
  #chars = 0;
  #isFull = false;
  #isEnded = false;
  #changed = Promise.withResolvers<void>();

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  async readAll(events: AsyncIterable<unknown>): Promise<void> {
    try {
      for await (const event of events) this.append(event);
    } finally {
      this.#isEnded = true;
      this.#notify();
    }
  }

  append(event: unknown): void {
    if (this.#isFull) return;
    const line = JSON.stringify(event) ?? "null";
    this.#isFull = this.#chars + line.length > this.#maxChars;
    const text = `Later events are missing: the viewer stores ${this.#maxChars} characters`;
    const stored = this.#isFull ? JSON.stringify({ type: "note", at: Date.now(), text }) : line;
    this.#chars += stored.length;
    this.#lines.push(stored);
    this.#notify();
  }

  /**
   * Yields the events from index `start` as server-sent events, until the last event or until
   * `stop` is aborted.
   */
  async *follow(start: number, stop: AbortSignal): AsyncGenerator<string, undefined> {
    const stopped = Promise.withResolvers<void>();
    stop.addEventListener("abort", () => stopped.resolve(), { once: true });
    for (let index = start; !stop.aborted;) {
      const line = this.#lines[index];
      if (line !== undefined) {
        yield `id: ${index}\ndata: ${line}\n\n`;
        index += 1;
      } else if (this.#isEnded) {
        yield "event: end\ndata:\n\n";
        return undefined;
      } else {
        await Promise.race([this.#changed.promise, stopped.promise]);
      }
    }
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

async function readBody(request: Request): Promise<unknown> {
  let [text, bytes] = ["", 0];
  const decoder = new TextDecoder();
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BODY_BYTES) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  try {
    return JSON.parse(text + decoder.decode());
  } catch {
    return undefined; // The caller rejects a request whose body is not JSON.
  }
}

function readDecision(body: unknown): { key: string; decision: Decision } | undefined {
  if (!(body instanceof Object) || !("key" in body) || !("decision" in body)) return undefined;
  const { key, decision } = body;
  if (typeof key !== "string") return undefined;
  return decision === "approve" || decision === "deny" ? { key, decision } : undefined;
}

function refuse(status: number, text: string): Response {
  return new Response(`${text}\n`, {
    status,
    headers: { ...HEADERS, "content-type": "text/plain" },
  });
}

/** Creates a token of 128 random bits. */
function createToken(): string {
  return crypto.getRandomValues(new Uint8Array(16)).toHex();
}
