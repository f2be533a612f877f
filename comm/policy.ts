/**
 * Deciding which messages an agent accepts: verification, freshness and replay together.
 *
 * @example Accept what is signed, fresh, and new
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

/** What an agent asks of the messages it accepts. */
export interface VerificationPolicy {
  /** How much of a message must be proven; the default is `signature`. At `none` nothing is checked but the recipient. */
  readonly require?: TrustLevel;
  /** The same for single senders, by DID. */
  readonly senders?: Readonly<Record<string, TrustLevel>>;
  /** The same for single protocols; where sender and protocol are both named, the stricter holds. */
  readonly protocols?: Readonly<Record<string, TrustLevel>>;
  /**
   * How old a message may be, in milliseconds; the default is 5 minutes, `Infinity` is any age. The age is taken from
   * what is proven: the time inside a UUIDv7 id, or at level `proof` the timestamp.
   */
  readonly maxAgeMs?: number;
  /** How far a sender's clock may be ahead, in milliseconds; the default is 60,000. */
  readonly clockSkewMs?: number;
  /**
   * Whether `replyTo`, which a signature leaves open, must equal `correlationId` where it is present (`bound`), or may
   * be anything (`untrusted`); the default is `bound`. At level `proof` it is proven and may be anything.
   */
  readonly replyTo?: "bound" | "untrusted";
}

/** Verifies a proof: `verifyProof` of `@parley/comm/proof`. */
export type ProofVerifier = (
  message: AgentCommMessage,
  options: VerifyMessageOptions & { readonly now: () => number; readonly clockSkewMs: number },
) => Promise<VerifyResult>;

/** Options of {@linkcode createVerifier}. */
export interface VerifierOptions {
  /** The DID that messages must be for: your own. */
  readonly recipient: string;
  /** What is asked of them, read once; the default is a signature not older than 5 minutes. */
  readonly policy?: VerificationPolicy;
  /** Who resolves senders' DIDs; the default knows did:key and did:jwk and needs no network. */
  readonly resolver?: Resolvable;
  /** What senders' documents must authorize keys for; the default is `authentication`. */
  readonly relationship?: KeyRelationship;
  /** Remembers what was accepted; the default is nobody, so that a message can be accepted again. */
  readonly replayGuard?: ReplayGuard;
  /** Pass `verifyProof` when the policy requires proofs; they cost nothing in size to whoever does not. */
  readonly verifyProof?: ProofVerifier;
  /** The clock, in milliseconds; the default is `Date.now`. */
  readonly now?: () => number;
}

/** Decides on messages, one after another. */
export interface MessageVerifier {
  /**
   * Verifies a message and, when it is accepted, remembers it.
   *
   * @param message the message
   * @param options `signal` ends it early
   * @returns a result at the level that was required for the message
   * @throws the signal's reason, when aborted
   */
  verify(
    message: AgentCommMessage,
    options?: { readonly signal?: AbortSignal },
  ): Promise<VerifyResult>;
}

/**
 * Creates a verifier for everything one agent receives.
 *
 * In this order it looks at the recipient, the signature or proof that the policy requires, the age, `replyTo`, and
 * last at the replay guard, which therefore remembers genuine messages only.
 *
 * @param options whose messages, and what is asked of them
 * @throws {TypeError} when there is no `recipient`, the policy asks for a level that there is not, or requires a proof
 *   and `verifyProof` is not given
 * @throws {RangeError} when `maxAgeMs` or `clockSkewMs` is negative or no number, or the replay guard forgets messages
 *   before they are too old
 *
 * @example Accept each message once, and transfers with proof only
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

/** A message can be accepted from the moment that its clock is ahead until it is too old: so long must it be known. */
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

/** What a policy asks for. Names come from a peer: `constructor` must not be found on a prototype. */
interface Levels {
  readonly require: TrustLevel;
  readonly senders: ReadonlyMap<string, TrustLevel>;
  readonly protocols: ReadonlyMap<string, TrustLevel>;
}

/** A level that nobody knows, from a file of settings perhaps, must not be taken for the lowest. */
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

/** What is left to ask of a message that is its sender's. */
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

/** Id and timestamp of one message are made from one look at the clock; this much is left to other implementations. */
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
