/**
 * HTTP request and response types for server handlers. The types in this module are narrower than
 * `Request` and `Response`, because creating a `Request` and a `Response` on Node.js takes as long
 * as all other steps of handling a request combined.
 *
 * @module
 */

/** An HTTP request. A `Request` object satisfies `HttpRequest`. */
export interface HttpRequest {
  /** Method in upper case. */
  readonly method: string;
  /** Absolute URL. */
  readonly url: string;
  /** Request headers. Multiple values for one header name are joined with commas. */
  readonly headers: Pick<Headers, "get"> & Iterable<[string, string]>;
  /** Body as a byte stream, which only one reader can read. */
  readonly body: ReadableStream<Uint8Array> | null;
  /** Whether the body was already read, for example by middleware. */
  readonly bodyUsed?: boolean;
  /** Signal that is aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** Reads the whole body. */
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** An HTTP response. */
export interface HttpResponse {
  /** Status code. */
  readonly status: number;
  /** Headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body: a string, a byte stream, or `null` if the response has no body. */
  readonly body: string | ReadableStream<Uint8Array> | null;
}

/**
 * Options for {@linkcode HttpFetch}: the options of `fetch`, and a callback that pauses the request
 * timeout.
 */
export interface HttpInit extends RequestInit {
  /**
   * Pauses the request timeout until the promise settles. A `fetch` wrapper calls `pauseTimeout`
   * when the user must log in; the built-in `fetch` ignores it.
   */
  readonly pauseTimeout?: (until: Promise<unknown>) => void;
}

/** The built-in `fetch`, or a wrapper, such as one that adds authorization. */
export type HttpFetch = (url: string, init: HttpInit) => Promise<Response>;
