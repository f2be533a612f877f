/**
 * The facts about an HTTP request and its response that rules use.
 *
 * @module
 */

import type { WatchedRequest } from "../subject/wire_watcher.ts";

/** An HTTP request, and its response as far as it has arrived. */
export interface HttpFacts {
  /** The request. */
  readonly request: WatchedRequest;
  /** The parsed body of the request, or `undefined`. */
  readonly sent: unknown;
  /** Status of the response, or 0. */
  readonly status: number;
  /** Headers of the response, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the response is an event stream. */
  readonly isStream: boolean;
}
