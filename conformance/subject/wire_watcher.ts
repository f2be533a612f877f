/**
 * Watchers, which receive a copy of everything that passes over a connection to the subject.
 *
 * @module
 */

import type { HttpReply } from "../platform/http.ts";

/** Watches a connection that transfers lines. */
export interface LineWatcher {
  /** Called with all text and all bytes that the kit writes, which contain the line feeds. */
  sent(data: string | Uint8Array): void;
  /** Called when the kit has written everything. */
  ended(): void;
  /** Called with each line that the subject sends, without its line feed. */
  received(line: Uint8Array): void;
}

/** Watches the HTTP requests of a connection. */
export interface HttpWatcher {
  /** Called with each request. Returns the watcher of the response. */
  request(request: WatchedRequest): ResponseWatcher;
}

/** An HTTP request. */
export interface WatchedRequest {
  /** HTTP method. */
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body, or an empty array. */
  readonly body: Uint8Array;
}

/** Watches the response to one HTTP request. */
export interface ResponseWatcher {
  /** Called with the status and the headers, with names in lower case. */
  head(status: number, headers: Readonly<Record<string, string>>): void;
  /** Called with each chunk of the body. */
  body(chunk: Uint8Array): void;
  /** Called when the body is complete. Not called if the connection is lost. */
  end(): void;
}

/** Returns a body whose chunks are also passed to a watcher. */
export async function* watchBody(
  body: AsyncIterable<Uint8Array>,
  watcher: ResponseWatcher,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    watcher.body(chunk);
    yield chunk;
  }
  watcher.end();
}

/** Returns a reply that also passes to a watcher what the kit writes. */
export function watchReply(reply: HttpReply, watcher: ResponseWatcher): HttpReply {
  return {
    head: (status, headers) => {
      watcher.head(status, lowerNames(headers));
      reply.head(status, headers);
    },
    write: (chunk) => {
      watcher.body(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk);
      reply.write(chunk);
    },
    end: () => {
      watcher.end();
      reply.end();
    },
    drop: () => reply.drop(),
  };
}

/** Returns headers whose names are in lower case. */
export function lowerNames(
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}
