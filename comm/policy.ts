/**
 * Verification policies: verification, maximum age and replay protection for received messages.
 *
 * To create a verifier that applies a policy, call {@linkcode createVerifier}.
 *
 * @example Accept only signed, recent and new messages
 * ```ts
 * import { AgentCommMessage } from "@parley/comm";
 * import { createVerifier, ReplayGuard } from "@parley/comm/policy";
 * import { assertEquals } from "@std/assert";
 *
 * const verifier = createVerifier({
 *   recipient: "did:web:bob.example",
 *   replayGuard: new ReplayGuard(),
 * });
 * const unsigned = new AgentCommMessage({
 *   sender: "did:web:ann.example",
 *   recipient: "did:web:bob.example",
 *   protocol: "agent.task.v1",
 *   messageType: "task_assign",
 *   payload: null,
 * });
 * const result = await verifier.verify(unsigned);
 * assertEquals(result.ok || result.reason, "signature_missing");
 * ```
 *
 * @module
 */

import type { KeyRelationship } from "./did/document.ts";
import type { Resolvable } from "./did/resolver.ts";
import {
  ageUnproven,
  expired,
  formatValue,
  notYetValid,
  replayDetected,
  replyMismatch,
  timestampMismatch,
} from "./shared/error.ts";
import { type AgentCommMessage, ensureMessage } from "./message/message.ts";
import type { ReplayGuard } from "./signing/replay_guard.ts";
import { verifyMessage, type VerifyMessageOptions } from "./signing/signing.ts";
import { readUuidV7Time } from "./shared/uuid.ts";
import {
  assertRecipient,
  toFailure,
  type TrustLevel,
  type VerifyResult,
  type VerifySuccess,
} from "./signing/verify_result.ts";

export { ReplayGuard, type ReplayGuardOptions } from "./signing/replay_guard.ts";

/** Requirements for accepted messages. */
export interface VerificationPolicy {
  /**
   * Minimum trust level. At level `none`, only the recipient is checked.
   *
   * @default {"signature"}
   */
  readonly require?: TrustLevel;
  /** Minimum trust level by sender DID, which overrides `require`. */
  readonly senders?: Readonly<Record<string, TrustLevel>>;
  /**
   * Minimum trust level by protocol, which overrides `require`. If sender and protocol both have a
   * level, the stricter one applies.
   */
  readonly protocols?: Readonly<Record<string, TrustLevel>>;
  /**
   * Maximum age of a message, in milliseconds. `Infinity` disables the age check. The age is
   * computed from an authenticated time: the time in a UUIDv7 `id`, or, at level `proof`,
   * `timestamp`.
   *
   * @default {300_000}
   */
  readonly maxAgeMs?: number;
  /**
   * Maximum time by which a sender's clock may be ahead, in milliseconds.
   *
   * @default {60_000}
   */
  readonly clockSkewMs?: number;
  /**
   * Check for `replyTo`, which a signature does not cover. With `bound`, `replyTo` must equal the
   * signed `correlationId` if it is present. With `untrusted`, any `replyTo` is accepted. At level
   * `proof`, any `replyTo` is accepted, because the proof authenticates it.
   *
   * @default {"bound"}
   */
  readonly replyTo?: "bound" | "untrusted";
}

/** A function that verifies a proof, such as `verifyProof` from `@parley/comm/proof`. */
export type ProofVerifier = (
  message: AgentCommMessage,
  options: VerifyMessageOptions & { readonly now: () => number; readonly clockSkewMs: number },
) => Promise<VerifyResult>;

/** Options for {@linkcode createVerifier}. */
export interface VerifierOptions {
  /** DID of this agent. Messages for other recipients fail with `recipient_mismatch`. */
  readonly recipient: string;
  /**
   * Requirements for messages. The policy is read once, when the verifier is created. If `policy`
   * is omitted, messages must be signed and at most 5 minutes old.
   */
  readonly policy?: VerificationPolicy;
  /**
   * Resolver for sender DIDs. If omitted, only did:key and did:jwk are supported, which need no
   * network access.
   */
  readonly resolver?: Resolvable;
  /**
   * Verification relationship for which a sender's DID document must authorize the key.
   *
   * @default {"authentication"}
   */
  readonly relationship?: KeyRelationship;
  /** Guard that rejects replayed messages. If omitted, replays are accepted. */
  readonly replayGuard?: ReplayGuard;
  /**
   * Function that verifies proofs, such as `verifyProof` from `@parley/comm/proof`. Required if the
   * policy uses level `proof`. Applications that do not verify proofs need not bundle the function.
   */
  readonly verifyProof?: ProofVerifier;
  /** Returns the current time, in milliseconds. Defaults to `Date.now`. */
  readonly now?: () => number;
}

/** A verifier that applies a policy. */
export interface MessageVerifier {
  /**
   * Verifies a message. An accepted message is added to the replay guard.
   *
   * @param message The message to verify.
   * @param options An optional abort signal.
   * @returns The result, at the level that the policy requires for the message.
   * @throws The signal's reason if the signal is aborted.
   */
  verify(
    message: AgentCommMessage,
    options?: { readonly signal?: AbortSignal },
  ): Promise<VerifyResult>;
}

/**
 * Creates a verifier for the messages that an agent receives.
 *
 * The verifier checks, in this order, the recipient, the required signature or proof, the age,
 * `replyTo`, and the replay guard. Because the replay guard is checked last, it tracks only
 * messages that pass all other checks.
 *
 * @param options Recipient, policy, resolver and replay guard.
 * @throws {TypeError} If `recipient` is not a string, if the policy contains an unknown level, or
 *   if the policy uses level `proof` and `verifyProof` is not set.
 * @throws {RangeError} If `maxAgeMs` or `clockSkewMs` is negative or `NaN`, or if the replay guard
 *   does not track messages for at least `maxAgeMs + clockSkewMs`.
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
 */
export function createVerifier(options: VerifierOptions): MessageVerifier {
  const { recipient, policy = {}, verifyProof } = options;
  if (typeof recipient !== "string") {
    throw new TypeError(`"recipient" must be a DID, got ${formatValue(recipient)}`);
  }
  const { maxAgeMs = 300_000, clockSkewMs = 60_000 } = policy;
  for (const [name, value] of Object.entries({ maxAgeMs, clockSkewMs })) {
    if (!(value >= 0)) throw new RangeError(`"policy.${name}" must not be negative, got ${value}`);
  }
  const levels = readLevels(policy, verifyProof !== undefined);
  assertReplayWindow(options.replayGuard, maxAgeMs, clockSkewMs);
  const limits = { maxAgeMs, clockSkewMs, now: options.now ?? Date.now };
  return {
    async verify(message, { signal } = {}): Promise<VerifyResult> {
      const { resolver, relationship } = options;
      const how = {
        recipient,
        ...(resolver === undefined ? {} : { resolver }),
        ...(relationship === undefined ? {} : { relationship }),
        ...(signal === undefined ? {} : { signal }),
      };
      signal?.throwIfAborted();
      const own = ensureMessage(message);
      const result = await verifyAt(levelFor(own, levels), own, {
        ...how,
        ...limits,
        verifyProof,
      });
      return result.ok ? checkFreshness(own, result, { ...options, limits }) : result;
    },
  };
}

/**
 * Throws if the replay guard does not track messages long enough. A message is accepted for up to
 * `maxAgeMs` after its timestamp, and up to `clockSkewMs` before it if the sender's clock is ahead.
 * Replays must be detected for as long as the original message would be accepted.
 */
function assertReplayWindow(
  guard: ReplayGuard | undefined,
  maxAgeMs: number,
  skewMs: number,
): void {
  if (guard === undefined || maxAgeMs === Infinity || guard.ttlMs >= maxAgeMs + skewMs) return;
  const minimum = `${maxAgeMs + skewMs} ("policy.maxAgeMs" + "policy.clockSkewMs")`;
  throw new RangeError(`"replayGuard.ttlMs" must be at least ${minimum}, got ${guard.ttlMs}`);
}

const STRICTNESS: Readonly<Record<TrustLevel, number>> = { none: 0, signature: 1, proof: 2 };

/**
 * Trust levels that a policy requires. The levels are stored in maps, because a name from a
 * message, such as `constructor`, must not match a property inherited from a prototype.
 */
interface Levels {
  readonly require: TrustLevel;
  readonly senders: ReadonlyMap<string, TrustLevel>;
  readonly protocols: ReadonlyMap<string, TrustLevel>;
}

/**
 * Reads the trust levels that a policy requires. Throws for an unknown level, because a typo in a
 * configuration file must not disable authentication.
 */
function readLevels(policy: VerificationPolicy, canProve: boolean): Levels {
  const { require = "signature", senders = {}, protocols = {} } = policy;
  for (const level of [require, ...Object.values(senders), ...Object.values(protocols)]) {
    if (!Object.hasOwn(STRICTNESS, level)) {
      throw new TypeError(
        `"policy" levels must be "none", "signature" or "proof", got ${formatValue(level)}`,
      );
    }
    if (level === "proof" && !canProve) {
      throw new TypeError(`"verifyProof" must be set if the policy requires level "proof"`);
    }
  }
  return {
    require,
    senders: new Map(Object.entries(senders)),
    protocols: new Map(Object.entries(protocols)),
  };
}

function levelFor(message: AgentCommMessage, levels: Levels): TrustLevel {
  const bySender = levels.senders.get(message.sender);
  const byProtocol = levels.protocols.get(message.protocol);
  if (bySender === undefined) return byProtocol ?? levels.require;
  if (byProtocol === undefined) return bySender;
  return STRICTNESS[bySender] > STRICTNESS[byProtocol] ? bySender : byProtocol;
}

interface Limits {
  readonly maxAgeMs: number;
  readonly clockSkewMs: number;
  readonly now: () => number;
}

async function verifyAt(
  level: TrustLevel,
  message: AgentCommMessage,
  options: VerifyMessageOptions & Limits & { readonly verifyProof: ProofVerifier | undefined },
): Promise<VerifyResult> {
  const { verifyProof } = options;
  if (level === "proof" && verifyProof !== undefined) return await verifyProof(message, options);
  if (level !== "none") return await verifyMessage(message, options);
  try {
    assertRecipient(message, options.recipient);
    return { ok: true, level: "none", keyId: undefined, covered: [] };
  } catch (error) {
    return toFailure(error);
  }
}

/** Checks the age and `replyTo` of a verified message, and whether the message is a replay. */
function checkFreshness(
  message: AgentCommMessage,
  result: VerifySuccess,
  options: VerifierOptions & { readonly limits: Limits },
): VerifyResult {
  const { level } = result;
  if (level === "none") return result;
  const { limits, replayGuard, policy: { replyTo } = {} } = options;
  try {
    checkAge(message, level, limits);
    if (level === "signature" && replyTo !== "untrusted") checkReply(message);
    if (replayGuard?.accept(message.sender, message.id) === false) {
      throw replayDetected(message.sender, message.id);
    }
    return result;
  } catch (error) {
    return toFailure(error);
  }
}

/**
 * Maximum difference between the times in `id` and `timestamp`, in milliseconds. Some
 * implementations read the clock separately for each.
 */
const ID_TOLERANCE_MS = 1000;

function checkAge(message: AgentCommMessage, level: "signature" | "proof", limits: Limits): void {
  if (limits.maxAgeMs === Infinity) return;
  const { timestampMs } = message;
  const provenMs = level === "proof" ? timestampMs : readUuidV7Time(message.id);
  if (provenMs === undefined) throw ageUnproven(message.id);
  if (Math.abs(provenMs - timestampMs) > ID_TOLERANCE_MS) {
    throw timestampMismatch(timestampMs, provenMs);
  }
  const nowMs = limits.now();
  if (provenMs > nowMs + limits.clockSkewMs) throw notYetValid(provenMs);
  if (provenMs + limits.maxAgeMs < nowMs) throw expired(provenMs + limits.maxAgeMs);
}

function checkReply({ replyTo, correlationId }: AgentCommMessage): void {
  if (replyTo !== undefined && replyTo !== correlationId) {
    throw replyMismatch(replyTo, correlationId);
  }
}
