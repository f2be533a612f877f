/**
 * Verification of multiple messages.
 *
 * @module
 */

import type { AgentCommMessage } from "../message/message.ts";
import { assertCount } from "@parley/internal/assert-argument";
import { namesOf } from "@parley/internal/options";
import { readSenderKeyOptions } from "./sender_keys.ts";
import { type VerifyMessageOptions, verifySignature } from "./verify_message.ts";
import { assertVerifyOptions } from "./verify_options.ts";
import type { VerifyResult } from "./verify_result.ts";

/** Options for {@linkcode verifyAll}. */
export interface VerifyAllOptions extends VerifyMessageOptions {
  /**
   * Maximum number of concurrent verifications.
   *
   * @default {8}
   */
  readonly concurrency?: number;
}

const NAMES = namesOf<VerifyAllOptions>({
  recipient: true,
  resolver: true,
  relationship: true,
  now: true,
  timeoutMs: true,
  signal: true,
  concurrency: true,
});

/**
 * Verifies multiple messages concurrently, which is faster on platforms that run cryptographic
 * operations on other threads. Each message is verified individually with `verifyMessage`, which
 * does not check its age; batch verification is not used.
 *
 * @param messages The messages to verify.
 * @param options Options for `verifyMessage`, and `concurrency`.
 * @returns One result per message, in the order of the messages.
 * @throws {TypeError} If `recipient` is neither a DID nor `any`, if another option is invalid or
 *   unknown, or if `now` does not return a finite number.
 * @throws {RangeError} If `concurrency` is not a positive integer, or `timeoutMs` is not positive.
 * @throws {CommError} With code "invalid_message" if one of the messages is not a valid message.
 * @throws The signal's reason if the signal is aborted.
 *
 * @example Verify several messages
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
 * const signed = await signMessage(message, ann);
 * const results = await verifyAll([signed, message], { recipient: "did:web:bob.example" });
 * assertEquals(results.map((result) => result.ok), [true, false]);
 * ```
 */
export async function verifyAll(
  messages: Iterable<AgentCommMessage>,
  options: VerifyAllOptions,
): Promise<VerifyResult[]> {
  assertVerifyOptions(options, NAMES);
  const { recipient, concurrency = 8 } = options;
  assertCount("concurrency", concurrency);
  const settings = { recipient, ...readSenderKeyOptions(options) };
  const results: VerifyResult[] = [];
  const all = Array.from(messages);
  const queue = all.entries();
  async function work(): Promise<void> {
    for (const [index, message] of queue) results[index] = await verifySignature(message, settings);
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, all.length) }, work));
  return results;
}
