/**
 * Verifying many messages at a time.
 *
 * @module
 */

import type { AgentCommMessage } from "../message/message.ts";
import { verifyMessage, type VerifyMessageOptions } from "./signing.ts";
import type { VerifyResult } from "./verify_result.ts";

/** Options of {@linkcode verifyAll}. */
export interface VerifyAllOptions extends VerifyMessageOptions {
  /** How many messages are verified at a time, at least 1; the default is 8. */
  readonly concurrency?: number;
}

/**
 * Verifies many messages, some at a time, which platforms with threads for cryptography finish sooner. There is no
 * batch equation behind it: each verdict is the one `verifyMessage` gives.
 *
 * @param messages the messages
 * @param options as `verifyMessage`, and `concurrency`
 * @returns a result for each message, in their order
 * @throws {RangeError} when `concurrency` is not an integer of at least 1
 * @throws the signal's reason, when aborted
 *
 * @example Verify a backlog
 * ```ts
 * import { AgentCommMessage, generateSigner, signMessage, verifyAll } from "@parley/comm";
 * import { assertEquals } from "@std/assert";
 *
 * const ann = await generateSigner();
 * const message = new AgentCommMessage({
 *   sender: ann.did,
 *   recipient: "did:web:bob.example",
 *   protocol: "agent.heartbeat.v1",
 *   messageType: "notification",
 *   payload: null,
 * });
 * const results = await verifyAll([await signMessage(message, ann), message]);
 * assertEquals(results.map((result) => result.ok), [true, false]);
 * ```
 */
export async function verifyAll(
  messages: Iterable<AgentCommMessage>,
  options: VerifyAllOptions = {},
): Promise<VerifyResult[]> {
  const { concurrency = 8, ...how } = options;
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new RangeError(`"concurrency" must be a positive integer, got ${concurrency}`);
  }
  const results: VerifyResult[] = [];
  const all = Array.from(messages);
  const queue = all.entries();
  async function work(): Promise<void> {
    for (const [index, message] of queue) results[index] = await verifyMessage(message, how);
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, all.length) }, work));
  return results;
}
