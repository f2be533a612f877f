/**
 * The bodies of HTTP requests that are being received.
 *
 * @module
 */

import { capacityExceeded } from "../shared/error.ts";
import { readRequest, respond } from "./http_request.ts";

/** Limits of {@linkcode RequestBodies}. */
export interface RequestBodyLimits {
  /** Maximum number of bodies. */
  readonly maxBodies: number;
  /** Maximum total size of the received parts of the bodies, in bytes. */
  readonly maxBytes: number;
}

/** A body that is being received. */
interface Receiving {
  readonly dropping: AbortController;
  bytes: number;
}

/**
 * The bodies that are being received. Their senders are not known yet, so the limits apply to all
 * clients together. At a limit, the body that has been received for the longest time is dropped: a
 * client that sends its bodies slowly, or never completes them, does not keep out other clients.
 */
export class RequestBodies {
  readonly #limits: RequestBodyLimits;
  /** The bodies, the oldest first. */
  readonly #bodies = new Set<Receiving>();
  #bytes = 0;

  constructor(limits: RequestBodyLimits) {
    this.#limits = limits;
  }

  /** Reads the body of a request. If it cannot be read, returns the response to the request. */
  async read(
    request: Request,
    { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<Uint8Array | Response> {
    const body: Receiving = { dropping: new AbortController(), bytes: 0 };
    const dropped = body.dropping.signal;
    this.#bodies.add(body);
    this.#dropExcess();
    try {
      const result = await readRequest(request, {
        maxBytes,
        signal: AbortSignal.any([signal, dropped]),
        onChunk: (bytes) => this.#count(body, bytes),
      });
      return dropped.aborted ? tooMany() : result;
    } finally {
      this.#remove(body);
    }
  }

  #count(body: Receiving, bytes: number): void {
    if (!this.#bodies.has(body)) return;
    body.bytes += bytes;
    this.#bytes += bytes;
    this.#dropExcess();
  }

  #dropExcess(): void {
    const { maxBodies, maxBytes } = this.#limits;
    for (const oldest of this.#bodies) {
      if (this.#bodies.size <= maxBodies && this.#bytes <= maxBytes) return;
      this.#remove(oldest);
      oldest.dropping.abort(capacityExceeded(maxBodies, maxBytes));
    }
  }

  #remove(body: Receiving): void {
    if (this.#bodies.delete(body)) this.#bytes -= body.bytes;
  }
}

function tooMany(): Response {
  const headers = { "retry-after": "1" };
  return respond(503, "Service unavailable: too many requests are being received", headers);
}
