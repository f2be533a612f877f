/**
 * Requests and responses as far as servers look at them. `Request` and `Response` are dear where they are not what the
 * platform itself works with: on Node a pair of them costs as much as all the rest of a request.
 *
 * @module
 */

/** A request; `Request` is one. */
export interface HttpRequest {
  /** The method, in upper case. */
  readonly method: string;
  /** The whole address. */
  readonly url: string;
  /** The headers; several of one name are joined by commas. */
  readonly headers: Pick<Headers, "get"> & Iterable<[string, string]>;
  /** The body as bytes, for one reader. */
  readonly body: ReadableStream<Uint8Array> | null;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
  /** Reads the whole body. */
  text(): Promise<string>;
}

/** A response. */
export interface HttpResponse {
  /** The status. */
  readonly status: number;
  /** The headers; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body: a text, a stream of bytes, or nothing. */
  readonly body: string | ReadableStream<Uint8Array> | null;
}

/** What is handed to `fetch`: the usual, and how to stop the clock. */
export interface HttpInit extends RequestInit {
  /**
   * Stops the clock of the call until the promise settles. For what wraps `fetch` and lets a person log in meanwhile;
   * the built-in `fetch` does not look at it.
   */
  readonly pauseTimeout?: (until: Promise<unknown>) => void;
}

/** The built-in `fetch`, or what wraps it, such as authorization. */
export type HttpFetch = (url: string, init: HttpInit) => Promise<Response>;
