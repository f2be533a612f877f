/**
 * The bodies of HTTP requests that are being received.
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { RpcErrorCode } from "../../jsonrpc/error_codes.ts";
import { decodeUtf8, Utf8Decoder } from "@parley/internal/decode-utf8";
import type { HttpRequest, HttpResponse } from "../../shared/http_types.ts";
import { errorResponse, transportErrorResponse } from "./http_responses.ts";

/**
 * Maximum length of a body that is read at once, in bytes, which is faster than reading a stream.
 * Such a body uses about as much memory as its connection, so it is not counted.
 */
const SMALL_BYTES = 65_536;

/** Maximum total size of the larger bodies, as a multiple of the maximum size of a body. */
const FULL_BODIES = 32;

/** Maximum time for receiving a larger body, in milliseconds. */
const TIMEOUT_MS = 120_000;

/** A body that is being received. */
interface Receiving {
  readonly stopping: AbortController;
  bytes: number;
}

/**
 * The bodies that are being received. Their clients are not known yet, so the limit applies to all
 * clients together. At the limit, the body that has been received for the longest time is dropped:
 * a client that sends bodies slowly, or never completes them, does not keep out other clients.
 */
export class RequestBodies {
  readonly #maxBodyBytes: number;
  /** The larger bodies, the oldest first. */
  readonly #receiving = new Set<Receiving>();
  #bytes = 0;

  /** Creates an object that has received no bodies, with the maximum size of a body in bytes. */
  constructor(maxBodyBytes: number) {
    this.#maxBodyBytes = maxBodyBytes;
  }

  /**
   * Reads the body of a request. Returns the body as text, or an error response if the content
   * type, size or encoding is not accepted, or the body is not received in time.
   */
  async read(request: HttpRequest): Promise<string | HttpResponse> {
    const type = request.headers.get("content-type") ?? "";
    if (!/^application\/json\s*(?:;|$)/i.test(type)) {
      return transportErrorResponse(
        415,
        "Unsupported media type: Content-Type must be application/json",
      );
    }
    const header = request.headers.get("content-length");
    if (header !== null && !(Number(header) <= this.#maxBodyBytes)) return this.#tooLarge();
    // The length of a compressed body does not limit the body that middleware has decompressed.
    const isExact = header !== null && request.headers.get("content-encoding") === null;
    const maxBytes = isExact ? Number(header) : this.#maxBodyBytes;
    try {
      if (!isExact || maxBytes > SMALL_BYTES) return await this.#receive(request.body, maxBytes);
      // HTTP servers enforce Content-Length, but middleware may have changed the body.
      const bytes = await request.arrayBuffer();
      if (bytes.byteLength > maxBytes) return this.#tooLarge();
      return decodeUtf8(bytes) ?? NOT_UTF8;
    } catch {
      return transportErrorResponse(400, "Request body ended unexpectedly");
    }
  }

  async #receive(
    body: ReadableStream<Uint8Array> | null,
    maxBytes: number,
  ): Promise<string | HttpResponse> {
    if (body === null) return "";
    const receiving: Receiving = { stopping: new AbortController(), bytes: 0 };
    const { stopping } = receiving;
    const reader = body.getReader();
    const timer = setTimeout(() => stopping.abort(LATE), TIMEOUT_MS);
    this.#receiving.add(receiving);
    try {
      return await this.#readAll(reader, receiving, maxBytes);
    } catch (error) {
      if (stopping.signal.aborted) return stopping.signal.reason;
      throw error;
    } finally {
      clearTimeout(timer);
      this.#remove(receiving);
      // Not awaited, because a body may never settle the promise of `cancel()`.
      reader.cancel().catch(() => {});
    }
  }

  async #readAll(
    reader: ReadableStreamDefaultReader<Uint8Array>,
    receiving: Receiving,
    maxBytes: number,
  ): Promise<string | HttpResponse> {
    const { signal } = receiving.stopping;
    const decoder = new Utf8Decoder();
    let text = "";
    let next = await abortable(reader.read(), signal);
    for (; !next.done; next = await abortable(reader.read(), signal)) {
      this.#count(receiving, next.value.length);
      const isTooLarge = receiving.bytes > maxBytes;
      const part = isTooLarge ? undefined : decoder.decode(next.value);
      if (part === undefined) return isTooLarge ? this.#tooLarge() : NOT_UTF8;
      text += part;
    }
    const end = decoder.decode();
    return end === undefined ? NOT_UTF8 : text + end;
  }

  #count(receiving: Receiving, bytes: number): void {
    receiving.bytes += bytes;
    if (!this.#receiving.has(receiving)) return;
    this.#bytes += bytes;
    for (const oldest of this.#receiving) {
      if (this.#bytes <= this.#maxBodyBytes * FULL_BODIES) return;
      this.#remove(oldest);
      oldest.stopping.abort(TOO_MANY);
    }
  }

  #remove(receiving: Receiving): void {
    if (this.#receiving.delete(receiving)) this.#bytes -= receiving.bytes;
  }

  #tooLarge(): HttpResponse {
    return transportErrorResponse(413, `Payload too large: maximum is ${this.#maxBodyBytes} bytes`);
  }
}

const LATE = transportErrorResponse(408, "The request body was not received in time");

const TOO_MANY = transportErrorResponse(503, "Too many requests are being received", {
  "retry-after": "1",
});

/** Response to a body that is not UTF-8, which MCP requires for all messages. */
const NOT_UTF8 = errorResponse(400, {
  code: RpcErrorCode.ParseError,
  message: "Parse error: the body is not valid UTF-8",
});
