/**
 * Verification of the messages in a queue.
 *
 * @module
 */

import { ensureMessage } from "../message/message.ts";
import type { MessageVerifier, ReservedMessage } from "../signing/verifier.ts";
import { type QueueDelivery, type QueueHandler, Reject } from "./message_queue.ts";
import { formatValue } from "@parley/internal/format-value";
import type { VerifyFailure, VerifyFailureReason } from "../signing/verify_result.ts";

/**
 * Verification failures after which a later attempt can succeed. A forged message must not cause
 * any of them, except with the name of a sender whose DID document cannot be fetched.
 */
const TEMPORARY: ReadonlySet<VerifyFailureReason> = new Set<VerifyFailureReason>([
  "did_resolution_failed",
  "replay_guard_full",
  "replay_store_failed",
]);

/**
 * Returns a handler that verifies each message before it calls the given handler. The id of the
 * message is reserved in the verifier's replay store while the handler runs, and committed after
 * the handler succeeds.
 *
 * - A message that has already been processed is acknowledged without calling the handler.
 * - If another process has reserved the message, or if verification failed for a temporary reason,
 *   the message is delivered again later. Temporary reasons are `did_resolution_failed`,
 *   `replay_guard_full`, `replay_store_failed`, `sender_refused` if `allow` threw an error, and
 *   `not_yet_valid` if the signature or proof is valid and the message is ahead of the clock by at
 *   most twice `clockSkewMs`.
 * - A message whose verification fails for a permanent reason becomes a dead letter.
 *
 * If a process exits after the handler has taken effect but before the commit, the message is
 * processed twice. To prevent duplicate processing, use a transactional consumer, and for each
 * delivery create a verifier whose replay store uses the delivery's transaction.
 *
 * @param verifier Verifier for the messages, or, for an inbox that serves several recipients, a
 *   function that returns the verifier for a delivery. The maximum age of messages in the policy
 *   must be at least the queue's retention time.
 * @param handler Handles each verified message.
 * @throws {TypeError} If `verifier` or `handler` is invalid.
 *
 * @example Verify the messages for several recipients
 * ```ts
 * import { AgentCommMessage, generateSigner, signMessage } from "@parley/comm";
 * import { createVerifier, ReplayGuard } from "@parley/comm/policy";
 * import { memoryQueue, Reject, verified } from "@parley/comm/queues";
 * import { assertEquals } from "@std/assert";
 *
 * const [ann, bob, carol] = [
 *   await generateSigner(),
 *   await generateSigner(),
 *   await generateSigner(),
 * ];
 * const verifiers = new Map(
 *   [bob.did, carol.did].map((recipient) => [
 *     recipient,
 *     createVerifier({ recipient, replayGuard: new ReplayGuard() }),
 *   ]),
 * );
 * await using queue = memoryQueue({ inboxOf: () => "office" });
 * for (const recipient of [bob.did, carol.did]) {
 *   const message = new AgentCommMessage({
 *     sender: ann.did,
 *     recipient,
 *     protocol: "agent.task.v1",
 *     messageType: "task_assign",
 *     payload: null,
 *   });
 *   await queue.send(await signMessage(message, ann));
 * }
 * const stopping = new AbortController();
 * const recipients: string[] = [];
 * const handler = verified(({ message }) => {
 *   const verifier = verifiers.get(message.recipient);
 *   if (verifier === undefined) throw new Reject("unknown recipient");
 *   return verifier;
 * }, ({ message }) => {
 *   recipients.push(message.recipient);
 *   if (recipients.length === 2) stopping.abort();
 * });
 * await queue.consume("office", handler, { signal: stopping.signal });
 * assertEquals(recipients.sort(), [bob.did, carol.did].sort());
 * ```
 */
export function verified<Tx = never>(
  verifier: MessageVerifier | ((delivery: QueueDelivery<Tx>) => MessageVerifier),
  handler: QueueHandler<Tx>,
): QueueHandler<Tx> {
  const verifierOf = typeof verifier === "function" ? verifier : () => verifier;
  if (typeof verifier !== "function" && typeof verifier?.begin !== "function") {
    throw new TypeError(
      `"verifier" must be a MessageVerifier or a function, got ${formatValue(verifier)}`,
    );
  }
  if (typeof handler !== "function") {
    throw new TypeError(`"handler" must be a function, got ${formatValue(handler)}`);
  }
  return async (given) => {
    const delivery = copyDelivery(given);
    const { message, signal } = delivery;
    const result = await verifierOf(delivery).begin(message, { signal });
    if (result.ok === true) await handleReserved(result, () => handler(delivery));
    else if (!wasProcessed(result)) throw toQueueError(result);
  };
}

/**
 * Copies a delivery, so that the handler receives the message that was verified: a delivery of a
 * custom queue can contain a message that changes.
 */
function copyDelivery<Tx>({ message, attempt, signal, tx }: QueueDelivery<Tx>): QueueDelivery<Tx> {
  const copy = { message: ensureMessage(message), attempt, signal };
  return tx === undefined ? copy : { ...copy, tx };
}

async function handleReserved(
  reservation: ReservedMessage,
  handle: () => void | Promise<void>,
): Promise<void> {
  try {
    await handle();
  } catch (error) {
    try {
      await reservation.abort();
    } catch (failure) {
      // The store eventually releases the reservation. The handler's error and the store's error
      // are both reported to the queue.
      throw new AggregateError([error, failure], "Cannot release message");
    }
    throw error;
  }
  await reservation.commit();
}

/**
 * Returns `true` if the message has already been processed, so the delivery only needs to be
 * acknowledged.
 */
function wasProcessed({ error }: VerifyFailure): boolean {
  return error.is("replay_detected") && error.details.isReserved !== true;
}

function toQueueError({ reason, error }: VerifyFailure): Error {
  const isTemporary = TEMPORARY.has(reason) || reason === "replay_detected" ||
    // `allow` threw an error instead of deciding, for example because its database is down.
    (reason === "sender_refused" && Object.hasOwn(error, "cause")) ||
    error.is("not_yet_valid") && error.details.isVerified === true;
  return isTemporary ? error : new Reject(error.message, { cause: error });
}
