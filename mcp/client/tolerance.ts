/**
 * Deviations of servers from the protocol that a client accepts, and reports once.
 *
 * @module
 */

import type { Tolerance } from "../jsonrpc/deviation.ts";
import { McpError } from "../shared/error.ts";

/** Maximum number of deviations that a client reports. */
const MAX_REPORTS = 20;

/** Maximum length of a server's name in a report, in characters. */
const MAX_NAME_CHARS = 200;

/** Options for {@linkcode createTolerance}. */
export interface ToleranceOptions {
  /** Whether deviations are rejected. */
  readonly strict: boolean;
  /** Called with the first deviation of each kind. */
  readonly onError: (error: unknown) => void;
  /** Returns the name of the server, or its URL or command while the name is unknown. */
  readonly serverName: () => string;
}

/**
 * Creates the function that a client calls for each deviation that it can accept. The function
 * reports a deviation, unless the client has reported one of the same kind, or rejects it.
 */
export function createTolerance({ strict, onError, serverName }: ToleranceOptions): Tolerance {
  const reported = new Set<string>();
  return ({ what, detail }, method) => {
    const text = detail === undefined ? what : `${what}: ${detail}`;
    if (strict) {
      throw McpError.protocolError(`the response to "${method}" is not valid: ${text} ("strict")`);
    }
    if (reported.has(what) || reported.size >= MAX_REPORTS) return;
    reported.add(what);
    const server = serverName().slice(0, MAX_NAME_CHARS);
    onError(McpError.tolerated({ what, method, server }, detail));
  };
}
