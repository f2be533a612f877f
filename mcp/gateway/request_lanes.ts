/**
 * Limits the requests that each principal has in flight on a shared server.
 *
 * @module
 */

import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import { McpError } from "../shared/error.ts";
import { Semaphore } from "@parley/internal/semaphore";

/** Maximum number of queued requests per principal. */
const MAX_QUEUED = 100;

/** The requests of one principal. */
interface Lane {
  readonly semaphore: Semaphore;
  /** Number of requests in flight and queued requests. */
  users: number;
}

/**
 * Queues the requests of a principal that has too many requests in flight, so that the requests of
 * other principals do not wait for them.
 */
export class RequestLanes {
  readonly #maxInFlight: number;
  readonly #lanes = new Map<string, Lane>();

  /** Creates a collection without requests. */
  constructor(maxInFlight: number) {
    this.#maxInFlight = maxInFlight;
  }

  /**
   * Runs a request when the principal has less than the maximum number of requests in flight. The
   * requests of unauthenticated callers are not limited.
   *
   * @throws {McpError} With code `protocol_error` and `rpcCode` -32603 if too many requests of the
   * principal are queued.
   * @throws The signal's reason if the signal is aborted while the request is queued.
   */
  async use<T>(
    subject: string | undefined,
    signal: AbortSignal,
    request: () => Promise<T>,
  ): Promise<T> {
    if (subject === undefined) return await request();
    const lane = this.#lanes.get(subject) ??
      { semaphore: new Semaphore(this.#maxInFlight, MAX_QUEUED), users: 0 };
    this.#lanes.set(subject, lane);
    lane.users++;
    try {
      const turn = lane.semaphore.acquire(signal);
      if (turn === undefined) {
        throw McpError.protocolError("Too many requests of the caller are in flight", {
          rpcCode: RpcErrorCode.InternalError,
        });
      }
      if (turn !== "acquired") await turn;
      try {
        return await request();
      } finally {
        lane.semaphore.release();
      }
    } finally {
      lane.users--;
      if (lane.users === 0) this.#lanes.delete(subject);
    }
  }
}
