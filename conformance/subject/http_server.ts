/**
 * An MCP server at an address: every message is a POST of its own.
 *
 * @module
 */

import { isObject, type JsonValue, readJson } from "../kit/json.ts";
import type { HttpCall } from "../kit/case.ts";
import type { RpcPeer, RpcWire } from "./rpc_peer.ts";
import { readEvents, type ServerEvent } from "./sse.ts";

/** What an HTTP request came to. */
export interface HttpAnswer {
  /** The status code. */
  readonly status: number;
  /** The headers, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text. */
  readonly bodyText: string;
  /** The body as JSON, when it is. */
  readonly json?: unknown;
  /** The events of the body, when it is a stream. */
  readonly events?: readonly ServerEvent[];
}

const ACCEPT = "application/json, text/event-stream";

/** Talks to a server over HTTP. */
export class HttpServer implements RpcWire {
  /** The transport. */
  readonly transport = "http";
  readonly #url: string;
  readonly #controller = new AbortController();
  readonly #open: Set<Promise<void>> = new Set();
  #headers: Readonly<Record<string, string>> = {};
  #peer: RpcPeer | undefined;
  #failure: string | undefined;

  /** Makes a connection, which contacts nobody yet. */
  constructor(url: string) {
    this.#url = url;
  }

  /** Why the server cannot be reached, once that has happened. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Hands what it answers to a peer from now on. */
  attach(peer: RpcPeer): void {
    this.#peer = peer;
  }

  /** Adds headers to every message from now on. */
  setHeaders(headers: Readonly<Record<string, string>>): void {
    this.#headers = { ...this.#headers, ...headers };
  }

  send(message: JsonValue): void {
    this.#post(JSON.stringify(message), routingHeaders(message, this.#headers));
  }

  sendText(line: string): void {
    this.#post(line, {});
  }

  sendBytes(bytes: Uint8Array): void {
    this.#post(bytes.slice(), {});
  }

  /** Sends a plain request and reads the whole answer. */
  async fetch(
    { method, path = "", headers = {}, body, bodyText }: HttpCall,
    ms: number,
  ): Promise<HttpAnswer> {
    const text = bodyText ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(new URL(path, this.#url), {
      method,
      headers,
      signal: AbortSignal.any([this.#controller.signal, AbortSignal.timeout(ms)]),
      ...(text === undefined ? {} : { body: text }),
    });
    return await readAnswer(response);
  }

  /** Ends every request under way. */
  async close(): Promise<void> {
    this.#controller.abort();
    await Promise.allSettled(this.#open);
  }

  #post(body: string | Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>>): void {
    const work = this.#exchange(body, headers).catch((error: unknown) => {
      if (this.#controller.signal.aborted) return;
      this.#failure = error instanceof Error ? error.message : String(error);
      this.#peer?.trace.add("!", this.#failure);
    });
    this.#open.add(work);
    work.finally(() => this.#open.delete(work));
  }

  async #exchange(
    body: string | Uint8Array<ArrayBuffer>,
    headers: Readonly<Record<string, string>>,
  ): Promise<void> {
    const response = await fetch(this.#url, {
      method: "POST",
      body,
      headers: { "content-type": "application/json", accept: ACCEPT, ...this.#headers, ...headers },
      signal: this.#controller.signal,
    });
    const session = response.headers.get("mcp-session-id");
    if (session !== null) this.setHeaders({ "mcp-session-id": session });
    const take = (value: unknown): void => this.#peer?.take(value);
    if (isStream(response) && response.body !== null) {
      return await readEvents(response.body, ({ data }) => {
        // Servers prime resumable streams with an event that has an id and no data.
        if (data !== "") take(readJson(data)?.value ?? data);
      });
    }
    const text = await response.text();
    if (text !== "") take(readJson(text)?.value ?? { status: response.status, text });
    else if (!response.ok) this.#peer?.trace.add("←", `HTTP ${response.status}`);
  }
}

async function readAnswer(response: Response): Promise<HttpAnswer> {
  const head = { status: response.status, headers: Object.fromEntries(response.headers) };
  if (isStream(response) && response.body !== null) {
    const events: ServerEvent[] = [];
    await readEvents(response.body, (event) => events.push(event));
    return { ...head, bodyText: "", events };
  }
  const bodyText = await response.text();
  const parsed = readJson(bodyText);
  return { ...head, bodyText, ...(parsed === undefined ? {} : { json: parsed.value }) };
}

function isStream(response: Response): boolean {
  return response.headers.get("content-type")?.startsWith("text/event-stream") === true;
}

/** Revisions without a handshake want the method and the name of its object in headers too. */
function routingHeaders(
  message: JsonValue,
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const isRouted = "mcp-protocol-version" in headers && !("mcp-session-id" in headers) &&
    (headers["mcp-protocol-version"] ?? "") >= "2026";
  if (!isRouted || !isObject(message) || typeof message.method !== "string") return {};
  const params = isObject(message.params) ? message.params : {};
  const name = params.name ?? params.uri;
  return {
    "mcp-method": message.method,
    ...(typeof name === "string" ? { "mcp-name": name } : {}),
  };
}
