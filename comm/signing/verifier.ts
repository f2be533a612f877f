/**
 * A verifier of messages that applies a policy.
 *
 * @module
 */

import { type AgentCommMessage, ensureMessage } from "../message/message.ts";
import { didResolutionFailed } from "../did/did_error.ts";
import { askClock } from "@parley/internal/ask-clock";
import { callWithin } from "@parley/internal/call-within";
import { callSafely, lateFailure, type SafeCallSettings } from "../shared/call_safely.ts";
import { CommError } from "../shared/error.ts";
import { formatValue } from "@parley/internal/format-value";
import { defined, isRecord } from "@parley/internal/json";
import {
  assertObject,
  assertOptionalSignal,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { oneOf } from "@parley/internal/option-checks";
import { assertNames, namesOf, type Settings } from "@parley/internal/options";
import { toSignalOptions } from "@parley/internal/read-signal";
import { notYetValid, senderRefused } from "./verify_error.ts";
import { type ReplayStore, type Reservation, reserveId } from "./replay_store.ts";
import { verifySignature } from "./verify_message.ts";
import { admit, checkFreshness } from "./verification_policy.ts";
import { readRules, type VerifierOptions, type VerifierRules } from "./verifier_options.ts";
import {
  assertRecipient,
  toFailure,
  type TrustLevel,
  type VerifyFailure,
  type VerifyResult,
  type VerifySuccess,
} from "./verify_result.ts";

/** Options for the methods of {@linkcode MessageVerifier}. */
export interface VerifyOptions {
  /** Aborts the operation. */
  readonly signal?: AbortSignal;
  /**
   * Behavior for replayed messages: `reject` calls the replay store. With `accept`, the replay
   * store is not called, and the caller must itself recognize replayed messages, for example among
   * the replies to a pending request.
   *
   * @default {"reject"}
   */
  readonly replays?: "reject" | "accept";
}

/**
 * A verified message whose id is reserved in the replay store. Call `commit` after the message has
 * been processed, or `abort` if the processing has failed. Until `commit` or `abort` is called,
 * every redelivery of the message is rejected.
 */
export interface ReservedMessage extends VerifySuccess, Reservation {}

/** A verifier that applies a policy. */
export interface MessageVerifier {
  /** DID of the only recipient whose messages are accepted, or `any`. May be absent. */
  readonly recipient?: string;
  /**
   * Whether replayed messages are rejected. `false` if the verifier has no replay store. If absent,
   * a peer assumes that replayed messages are accepted.
   */
  readonly rejectsReplays?: boolean;
  /**
   * Verifies a message. An accepted message is added to the replay store, so a redelivery is
   * rejected even if processing the message fails. To process messages from a queue that redelivers
   * them, call `begin`.
   *
   * @param message The message to verify.
   * @param options An optional abort signal.
   * @returns The result of the verification, with the trust level that the policy requires for the
   * message.
   * @throws {TypeError} If `now` does not return a finite number.
   * @throws The signal's reason if the signal is aborted. If the signal aborts while the replay
   *   store commits the message, the message might be tracked as accepted.
   */
  verify(message: AgentCommMessage, options?: VerifyOptions): Promise<VerifyResult>;
  /**
   * Verifies a message and reserves its id in the replay store. After processing the message, the
   * caller must call `commit` or `abort` on the result. At level `none`, or without a replay store,
   * `commit` and `abort` have no effect.
   *
   * @param message The message to verify.
   * @param options An optional abort signal.
   * @returns The result of the verification, with the trust level that the policy requires for the
   * message.
   * @throws {TypeError} If `now` does not return a finite number.
   * @throws The signal's reason if the signal is aborted.
   */
  begin(
    message: AgentCommMessage,
    options?: VerifyOptions,
  ): Promise<ReservedMessage | VerifyFailure>;
}

/**
 * Creates a verifier for the messages that an agent receives.
 *
 * The verifier first performs the local checks, which need no network access: whether the policy
 * admits the sender and the protocol, the recipient, the age and `replyTo`. For a message that
 * passes the local checks, or that is ahead of the clock by at most twice `clockSkewMs`, the
 * verifier resolves the sender's DID, verifies the signature or proof, and calls `allow`. The
 * replay store is called last, so it tracks only messages that have passed the verifier's own
 * checks.
 *
 * @param options Recipient, policy, resolver and replay store.
 * @throws {TypeError} If `recipient` is neither a DID nor `any`, if the options or the policy
 *   contain an unknown name or a value of the wrong type, if the policy contains an unknown level
 *   or a sender that is not a DID, if the policy lists senders without admitting other messages
 *   than without the list, if the policy uses level `proof` and `verifyProof` is not set, or if
 *   `replayGuard` does not have the members of a `ReplayStore`.
 * @throws {RangeError} If `maxAgeMs` or `clockSkewMs` is negative or not a number, or if the replay
 *   store does not track messages for at least `maxAgeMs + clockSkewMs`.
 *
 * @example Reject replays, and require proofs for transfers
 * ```ts
 * import { AgentCommMessage, generateSigner, signMessage } from "@parley/comm";
 * import { createVerifier, ReplayGuard } from "@parley/comm/policy";
 * import { verifyProof } from "@parley/comm/proof";
 * import { assert, assertEquals } from "@std/assert";
 *
 * const [ann, bob] = [await generateSigner(), await generateSigner()];
 * const verifier = createVerifier({
 *   recipient: bob.did,
 *   policy: { protocols: { "bank.transfer.v1": "proof" } },
 *   replayGuard: new ReplayGuard(),
 *   verifyProof,
 * });
 * const message = new AgentCommMessage({
 *   sender: ann.did,
 *   recipient: bob.did,
 *   protocol: "agent.task.v1",
 *   messageType: "task_assign",
 *   payload: null,
 * });
 * const signed = await signMessage(message, ann);
 * assert((await verifier.verify(signed)).ok);
 *
 * const again = await verifier.verify(signed);
 * assertEquals(again.ok || again.reason, "replay_detected");
 * ```
 *
 * @example Accept a redelivered message whose processing failed
 * ```ts
 * import { AgentCommMessage, generateSigner, signMessage } from "@parley/comm";
 * import { createVerifier, ReplayGuard } from "@parley/comm/policy";
 * import { assertEquals } from "@std/assert";
 *
 * const [ann, bob] = [await generateSigner(), await generateSigner()];
 * const verifier = createVerifier({
 *   recipient: bob.did,
 *   policy: { require: "reject", senders: { [ann.did]: "signature" } },
 *   replayGuard: new ReplayGuard(),
 * });
 *
 * async function consume(message: AgentCommMessage, work: () => void): Promise<string> {
 *   const reserved = await verifier.begin(message);
 *   if (!reserved.ok) return reserved.reason;
 *   try {
 *     work();
 *   } catch {
 *     await reserved.abort();
 *     return "failed";
 *   }
 *   await reserved.commit();
 *   return "done";
 * }
 *
 * const message = await signMessage(
 *   new AgentCommMessage({
 *     sender: ann.did,
 *     recipient: bob.did,
 *     protocol: "agent.task.v1",
 *     messageType: "task_assign",
 *     payload: null,
 *   }),
 *   ann,
 * );
 * const fail = () => {
 *   throw new Error("out of memory");
 * };
 * assertEquals(await consume(message, fail), "failed");
 * assertEquals(await consume(message, () => {}), "done");
 * assertEquals(await consume(message, () => {}), "replay_detected");
 * ```
 */
export function createVerifier(options: VerifierOptions): MessageVerifier {
  const rules = readRules(options);
  const { recipient, admissions, replayGuard } = rules;

  async function admitMessage(
    message: AgentCommMessage,
    { signal, replays }: VerifySettings,
  ): Promise<ReservedMessage | VerifyFailure> {
    signal?.throwIfAborted();
    const own = ensureMessage(message);
    try {
      const level = admit(own, admissions);
      assertRecipient(own, recipient);
      const early = findEarly(own, level, rules);
      const result = await verifyAt(level, own, rules, signal);
      if (early !== undefined) throw result.ok === true ? toVerified(early) : early;
      if (result.ok !== true) return result;
      await askAllow(own, result, rules, signal);
      // Check the age again, because resolving the sender takes time.
      const untilMs = checkFreshness(own, level, rules);
      const reservation = level === "none" || replays === "accept" || replayGuard === undefined
        ? NOT_TRACKED
        : await reserve(replayGuard, own, { untilMs, rules, signal });
      return { ...result, ...reservation };
    } catch (error) {
      return toFailure(error);
    }
  }

  async function begin(
    message: AgentCommMessage,
    options?: VerifyOptions,
  ): Promise<ReservedMessage | VerifyFailure> {
    return await admitMessage(message, readVerifyOptions(options));
  }

  async function verify(
    message: AgentCommMessage,
    options?: VerifyOptions,
  ): Promise<VerifyResult> {
    const { signal, replays } = readVerifyOptions(options);
    const reserved = await admitMessage(message, { signal, replays });
    if (!reserved.ok) return reserved;
    const { commit, abort, ...result } = reserved;
    try {
      await commit(toSignalOptions(signal));
      return result;
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      // The message is rejected with the error from `commit()`. If both `commit()` and `abort()`
      // fail, the id stays reserved until the store releases it.
      await abort(toSignalOptions(signal)).catch(() => {});
      signal?.throwIfAborted();
      return toFailure(error);
    }
  }

  return { recipient, rejectsReplays: replayGuard !== undefined, begin, verify };
}

type VerifySettings = Settings<VerifyOptions, "replays">;

const VERIFY_NAMES = namesOf<VerifyOptions>({ signal: true, replays: true });
const assertReplays = oneOf("reject", "accept");

/** Validates the options of a call. The options are read by hand, once for each message. */
function readVerifyOptions(options: VerifyOptions = {}): VerifySettings {
  assertObject("options", options);
  assertNames("options", options, VERIFY_NAMES, { abortSignal: "signal" });
  const { signal, replays = "reject" } = options;
  assertOptionalSignal("signal", signal);
  assertReplays("replays", replays);
  return { signal, replays };
}

/** Reservation of a message that no replay store tracks. */
const NOT_TRACKED: Reservation = {
  commit: () => Promise.resolve(),
  abort: () => Promise.resolve(),
};

/**
 * Checks the age and `replyTo` of a message. Returns the error if the message is ahead of the clock
 * by at most twice `clockSkewMs`: it can be accepted soon, if it is valid in all other respects.
 */
function findEarly(
  message: AgentCommMessage,
  level: TrustLevel,
  rules: VerifierRules,
): CommError | undefined {
  try {
    checkFreshness(message, level, rules);
    return undefined;
  } catch (error) {
    if (!(error instanceof CommError) || !error.is("not_yet_valid")) throw error;
    const isSoon = error.details.atMs <= askClock(rules.now) + 2 * rules.clockSkewMs;
    if (!isSoon) throw error;
    return error;
  }
}

function toVerified(early: CommError): CommError {
  return early.is("not_yet_valid") ? notYetValid(early.details.atMs, { isVerified: true }) : early;
}

async function verifyAt(
  level: TrustLevel,
  message: AgentCommMessage,
  rules: VerifierRules,
  signal: AbortSignal | undefined,
): Promise<VerifyResult> {
  if (level === "none") return { ok: true, level, keyId: undefined, covered: [] };
  const { recipient, resolver, relationship, verifyProof, now, timeoutMs } = rules;
  const { clockSkewMs, maxAgeMs } = rules;
  const settings = { recipient, resolver, relationship, now, timeoutMs };
  if (level === "proof" && verifyProof !== undefined) {
    // Resolving the sender is the only part of the verification that waits.
    const fail: SafeCallSettings["fail"] = (reason, options) =>
      didResolutionFailed(message.sender, `"verifyProof" ${reason}`, options);
    const result = await callWithin(
      ({ signal }) => verifyProof(message, defined({ ...settings, clockSkewMs, maxAgeMs, signal })),
      { signal, timeoutMs, late: () => lateFailure(timeoutMs, fail) },
    );
    assertResult(result);
    return result;
  }
  return await verifySignature(message, { ...settings, signal });
}

/**
 * Throws unless `ok` is a boolean: a caller of `begin` might accept any other value but `false`.
 */
function assertResult(result: unknown): void {
  if (isRecord(result) && typeof result.ok === "boolean") return;
  rejectArgument("verifyProof()", "a VerifyResult", result);
}

/**
 * Reserves the id of a message. The entry is kept for longer than the message is accepted: the
 * clocks of processes that share a store may differ by `clockSkewMs`.
 */
async function reserve(
  store: ReplayStore,
  message: AgentCommMessage,
  { untilMs, rules, signal }: {
    readonly untilMs: number;
    readonly rules: VerifierRules;
    readonly signal: AbortSignal | undefined;
  },
): Promise<Reservation> {
  const { clockSkewMs, timeoutMs } = rules;
  const nowMs = askClock(rules.now);
  return await reserveId(store, message, {
    untilMs: Math.min(untilMs + clockSkewMs, nowMs + store.ttlMs),
    nowMs,
    timeoutMs,
    signal,
  });
}

/** Calls `allow`. Throws `sender_refused` unless `allow` returns exactly `true`. */
async function askAllow(
  message: AgentCommMessage,
  result: VerifySuccess,
  { allow, timeoutMs }: VerifierRules,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (allow === undefined) return;
  const answer = await callSafely<unknown>(() => allow(message, result), {
    signal,
    timeoutMs,
    fail: (reason, options) => senderRefused(message.sender, `"allow" ${reason}`, options),
  });
  if (answer !== true) {
    const reason = `"allow" returned ${formatValue(answer)}`;
    throw senderRefused(message.sender, reason);
  }
}
