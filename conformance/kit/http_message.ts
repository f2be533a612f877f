/**
 * HTTP requests and responses in cases.
 *
 * @module
 */

import type { JsonValue } from "./json.ts";

/** Head of an HTTP response that the kit sends. */
export interface HttpHead {
  /**
   * Status code.
   *
   * @default {200}
   */
  readonly status?: number;
  /** Headers. If omitted, the content type is derived from the body. */
  readonly headers?: { readonly [name: string]: string };
}

/**
 * A body or chunk that the kit sends. At most one of `json`, `text`, `hex` and `events` can be set.
 */
export interface HttpBody {
  /** Body given as a JSON value. */
  readonly json?: JsonValue;
  /** Body given as a string. `<<name>>` is replaced with the captured value, serialized as JSON. */
  readonly text?: string;
  /** Body given as bytes, in hexadecimal. */
  readonly hex?: string;
  /** Body given as server-sent events. */
  readonly events?: readonly EventToSend[];
  /** Sizes of the chunks to write, in bytes. */
  readonly chunks?: readonly number[];
}

/** A server-sent event that the kit sends. */
export interface EventToSend {
  /** Event type. */
  readonly event?: string;
  /** Event id. */
  readonly id?: string;
  /** Reconnection time, in milliseconds. */
  readonly retry?: number;
  /** Event data. A string is sent unchanged; any other value is sent as JSON. */
  readonly data?: JsonValue;
}

/** An HTTP request to the subject. */
export interface HttpCall {
  /** The HTTP method. */
  readonly method: string;
  /** Path, relative to the subject's URL. If omitted, the request is sent to the subject's URL. */
  readonly path?: string;
  /** Headers: strings, or `{"$ref": name}` for captured values. */
  readonly headers?: { readonly [name: string]: JsonValue };
  /** Body, sent as JSON. */
  readonly body?: JsonValue;
  /** Body, sent unchanged. */
  readonly bodyText?: string;
}
