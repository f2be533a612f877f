/**
 * Reads the JSON-RPC messages in HTTP responses.
 *
 * @module
 */

import type { Tolerance } from "../jsonrpc/deviation.ts";
import { type Frame, readDamagedFrame, readFrame } from "../jsonrpc/read_frame.ts";
import { abortable } from "@parley/internal/abortable";
import { decodeUtf8, Utf8Decoder } from "@parley/internal/decode-utf8";
import { McpError } from "../shared/error.ts";
import { decodeSse } from "@parley/internal/sse";

/** An item in a response: a message, or a field of an event stream. */
export type HttpItem =
  | { readonly kind: "frame"; readonly frame: Frame }
  | { readonly kind: "endpoint"; readonly uri: string }
  | { readonly kind: "id"; readonly id: string }
  | { readonly kind: "retry"; readonly retryMs: number };

/** The endpoint option that limits responses. */
interface ResponseLimits {
  readonly options: { readonly maxMessageChars: number };
}

/** Name of the HTTP transports in error messages. */
export const HTTP_LABEL = "http";

/** Media type of JSON. */
export const JSON_TYPE = "application/json";
const EVENT_STREAM_TYPE = "text/event-stream";

/**
 * Media types that some servers use for JSON and for event streams. `text/html` is not among them,
 * because it is the type of error pages.
 */
const MISLABELED: ReadonlySet<string | undefined> = new Set([
  undefined,
  "",
  "text/plain",
  "application/json-rpc",
]);

/** Options for {@linkcode readItems}. */
export interface ReadItemsOptions {
  /** Signal that stops reading. */
  readonly signal: AbortSignal;
  /** Method of the request, for reports. */
  readonly method?: string | undefined;
  /**
   * Called if a body that has another media type is JSON or an event stream. If omitted, the media
   * type decides.
   */
  readonly tolerance?: Tolerance | undefined;
}

/** Statuses of responses without content. */
const NO_CONTENT: ReadonlySet<number> = new Set([204, 205]);

/**
 * Reads the messages in a response. If the caller stops iterating early or the signal aborts, the
 * response body is cancelled, because some platforms do not abort the body of a response when its
 * request is aborted. If the signal aborts while an event stream is being read, the iterator
 * rejects with the signal's reason.
 *
 * @throws {McpError} With code `transport_error` if the connection is lost.
 * @throws {McpError} With code `protocol_error` if the body is too long, is JSON that is not
 * UTF-8, or has a `Content-Type` that is not supported.
 */
export async function* readItems(
  response: Response,
  { options: { maxMessageChars } }: ResponseLimits,
  { signal, method = response.url, tolerance }: ReadItemsOptions,
): AsyncGenerator<HttpItem, void> {
  const type = mediaType(response);
  // A JSON body is read as text rather than as a stream, because creating a body stream is slow on
  // some runtimes.
  if (type === JSON_TYPE) {
    return yield {
      kind: "frame",
      frame: readFrame(await readText(response, maxMessageChars, signal)),
    };
  }
  const { body } = response;
  // In browsers, a response with a status that permits no content can have a body.
  if (body === null || NO_CONTENT.has(response.status)) return await body?.cancel();
  const chunks = readChunks(body, signal);
  if (type === EVENT_STREAM_TYPE) return yield* readEvents(chunks, maxMessageChars);
  if (tolerance !== undefined && MISLABELED.has(type)) {
    const { start, all } = await readStart(chunks);
    const isJson = /^[{[]/.test(start);
    if (isJson || start.startsWith(":") || FIELDS.some((field) => start.startsWith(field))) {
      try {
        tolerance({ what: type ? `Content-Type "${type}"` : "no Content-Type" }, method);
      } catch (error) {
        await chunks.return();
        throw error;
      }
      if (!isJson) return yield* readEvents(all, maxMessageChars);
      return yield { kind: "frame", frame: readFrame(await joinText(all, maxMessageChars)) };
    }
    await chunks.return();
  } else await body.cancel();
  throw McpError.protocolError(
    type ? `unsupported Content-Type "${type}"` : "the response has no Content-Type",
    { httpStatus: response.status },
  );
}

/** A generator of the chunks of a body. */
type Chunks = AsyncGenerator<Uint8Array, void>;

/** The fields of an event stream (HTML, server-sent events). */
const FIELDS = ["data:", "event:", "id:", "retry:"];

/** Returns `true` if more characters decide whether a body is an event stream. */
function isUndecided(start: string): boolean {
  return FIELDS.some((field) => field !== start && field.startsWith(start));
}

/**
 * Returns the first characters of a body, as many as show what it is, and a generator of all its
 * chunks.
 */
async function readStart(
  chunks: Chunks,
): Promise<{ readonly start: string; readonly all: Chunks }> {
  const decoder = new TextDecoder();
  const read: Uint8Array[] = [];
  let start = "";
  while (isUndecided(start)) {
    const next = await chunks.next();
    if (next.done) break;
    read.push(next.value);
    start = (start + decoder.decode(next.value, { stream: true })).trimStart();
  }
  return { start, all: concat(read, chunks) };
}

async function* concat(read: readonly Uint8Array[], rest: Chunks): Chunks {
  try {
    yield* read;
    yield* rest;
  } finally {
    await rest.return();
  }
}

async function* readEvents(
  chunks: Chunks,
  maxEventChars: number,
): AsyncGenerator<HttpItem, void> {
  const onTooLong = (): McpError =>
    McpError.protocolError(`SSE event is longer than ${maxEventChars} characters`);
  for await (const item of decodeSse(chunks, { maxEventChars, onTooLong })) {
    if (item.kind !== "event") yield item;
    else if (item.type === "endpoint") yield { kind: "endpoint", uri: item.data };
    // Skips a priming event, which has an id but no data (2025-11-25, Sending Messages to the
    // Server).
    else if (item.type === "message" && item.data !== "") {
      const read = item.isDamaged ? readDamagedFrame : readFrame;
      yield { kind: "frame", frame: read(item.data) };
    }
  }
}

/**
 * Reads a body as text. Stops waiting when the signal aborts.
 *
 * @throws {McpError} With code `transport_error` if the connection is lost.
 * @throws {McpError} With code `protocol_error` if the body is longer than `maxChars` characters,
 * or is not UTF-8.
 */
export async function readText(
  response: Response,
  maxChars: number,
  signal: AbortSignal,
): Promise<string> {
  // If the declared length is within the limit, `response.arrayBuffer()` is safe, and it takes
  // about half as long as reading the stream.
  if (declaredLength(response) <= maxChars) {
    const bytes = await abortable(response.arrayBuffer(), signal).catch((cause: unknown) => {
      signal.throwIfAborted();
      throw brokenBody(cause);
    });
    return requireUtf8(decodeUtf8(bytes));
  }
  return response.body === null ? "" : await joinText(readChunks(response.body, signal), maxChars);
}

/** Joins the chunks of a body; see {@linkcode readText}. */
async function joinText(chunks: Chunks, maxChars: number): Promise<string> {
  const decoder = new Utf8Decoder();
  let text = "";
  for await (const chunk of chunks) {
    text += requireUtf8(decoder.decode(chunk));
    if (text.length > maxChars) {
      throw McpError.protocolError(`the response is longer than ${maxChars} characters`);
    }
  }
  return text + requireUtf8(decoder.decode());
}

function requireUtf8(text: string | undefined): string {
  if (text === undefined) throw McpError.protocolError("the response is not valid UTF-8");
  return text;
}

/**
 * Returns the declared length of the body, in bytes, which is also an upper bound on its length in
 * characters. Returns `Infinity` if the body is compressed or chunked, because the decoded length
 * of a compressed or chunked body is unknown.
 */
function declaredLength({ headers }: Response): number {
  const isOpen = headers.has("content-encoding") || headers.has("transfer-encoding");
  const text = headers.get("content-length") ?? "";
  return isOpen || !/^\d+$/.test(text) ? Infinity : Number(text);
}

/**
 * Iterates over a body with a reader, because not all browsers support async iteration of streams.
 */
async function* readChunks(
  body: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader();
  const read = () => abortable(reader.read(), signal);
  try {
    for (let next = await read(); !next.done; next = await read()) yield next.value;
  } catch (cause) {
    signal?.throwIfAborted();
    throw brokenBody(cause);
  } finally {
    // An error from `cancel()` is ignored, because it means that the stream has already failed.
    const cancelled = reader.cancel().catch(() => {});
    // Some platforms do not cancel a body whose request has been aborted until the server ends the
    // connection.
    if (signal?.aborted !== true) await cancelled;
  }
}

/**
 * Converts an error from a body stream. Abort errors, timeout errors and `McpError`s are returned
 * unchanged; any other error means that the connection has been lost.
 */
function brokenBody(cause: unknown): unknown {
  const isAbort = cause instanceof DOMException && /^(Abort|Timeout)Error$/.test(cause.name);
  return isAbort || cause instanceof McpError ? cause : lostConnection(cause);
}

/**
 * Creates the error for a request that received no complete response. Deno's error messages contain
 * the request URL, which is redacted.
 */
export function lostConnection(error: unknown): McpError {
  const cause = redact(error);
  return McpError.transportError(HTTP_LABEL, reasonOf(cause), { cause });
}

/** A part of a text that can contain a URL. */
const WORD = /[^\s"<>]+/g;

/** Removes the queries and fragments of the URLs in a text, in linear time. */
function withoutQueries(text: string): string {
  return text.replaceAll(WORD, (word) => {
    const start = word.search(/https?:\/\//);
    const length = start === -1 ? -1 : word.slice(start).search(/[?#]/);
    if (length === -1) return word;
    // Punctuation after the URL belongs to the text.
    const [end = ""] = /\)?:?$/.exec(word) ?? [];
    return word.slice(0, start + length) + end;
  });
}

/** Maximum number of nested causes of an error. Causes beyond `MAX_CAUSES` are omitted. */
const MAX_CAUSES = 5;

/**
 * Returns an error whose messages contain no URL queries or fragments, which can contain secrets
 * such as API keys. An error without URL queries or fragments is returned unchanged.
 */
function redact(error: unknown, depth = 0): unknown {
  if (typeof error === "string") return withoutQueries(error);
  if (!(error instanceof Error)) return error;
  if (depth === MAX_CAUSES) return undefined;
  const { name, message, stack } = error;
  const cause = redact(error.cause, depth + 1);
  const shown = withoutQueries(message);
  if (shown === message && cause === error.cause) return error;
  const copy = new Error(shown, cause === undefined ? undefined : { cause });
  return Object.assign(copy, {
    name,
    ...(stack !== undefined && { stack: withoutQueries(stack) }),
    ...("code" in error && { code: error.code }),
  });
}

function mediaType(response: Response): string | undefined {
  return response.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
}

/**
 * Returns the error's message, followed by the message of its cause, because "fetch failed" alone
 * does not explain the failure.
 */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  if (!(cause instanceof Error)) return message;
  return `${message}: ${cause.message || ("code" in cause ? cause.code : cause.name)}`;
}
