/**
 * Limit for the notifications that clients of subscription streams have not read yet.
 *
 * @module
 */

import { McpError } from "../shared/error.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import { Quota } from "@parley/internal/quota";

/** Counts the characters of notifications that are being sent, in total and per principal. */
export class UnsentNotifications {
  readonly #quota: Quota;
  /** Number of notifications that are being sent, keyed by the subject of the principal. */
  readonly #sending = new Map<string | undefined, number>();

  /**
   * Creates a limit.
   *
   * @param maxChars Maximum number of characters.
   * @param share Maximum share of `maxChars` per principal, greater than 0 and at most 1.
   */
  constructor(maxChars: number, share: number) {
    this.#quota = new Quota(maxChars, share);
  }

  /**
   * Calls `send`, and counts the characters of the notification until its promise settles. A
   * principal can always send one notification, whatever its size is.
   *
   * @throws {McpError} With code `protocol_error` and `rpcCode` -32603 if the limit is exceeded.
   * @throws Any error that `send` throws.
   */
  async send(
    chars: number,
    { subject, send }: {
      readonly subject: string | undefined;
      readonly send: () => Promise<void>;
    },
  ): Promise<void> {
    if (this.#sending.has(subject) && !this.#quota.has(chars, subject)) {
      throw McpError.protocolError(
        'Too many characters in unread notifications: "maxSubscriptionChars" is exceeded',
        { rpcCode: RpcErrorCode.InternalError },
      );
    }
    this.#count(1, subject);
    this.#quota.take(chars, subject);
    try {
      await send();
    } finally {
      this.#count(-1, subject);
      this.#quota.take(-chars, subject);
    }
  }

  #count(change: number, subject: string | undefined): void {
    const count = (this.#sending.get(subject) ?? 0) + change;
    if (count === 0) this.#sending.delete(subject);
    else this.#sending.set(subject, count);
  }
}
