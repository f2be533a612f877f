/**
 * Options of verifiers.
 *
 * @module
 */

import { assertRelationship, type KeyRelationship } from "../did/document.ts";
import { RESOLUTION_TIMEOUT_MS, type Resolvable } from "../did/resolver.ts";
import type { AgentCommMessage } from "../message/message.ts";
import {
  assertFunction,
  assertObject,
  assertPositiveNumber,
} from "@parley/internal/assert-argument";
import { optionsReader, required, type Settings, withDefault } from "@parley/internal/options";
import { assertReplayStore, type ReplayStore } from "./replay_store.ts";
import type { VerifyMessageOptions } from "./verify_message.ts";
import {
  type Admissions,
  type FreshnessRules,
  readAdmissions,
  readPolicy,
  type VerificationPolicy,
} from "./verification_policy.ts";
import {
  assertRecipientIsSet,
  assertRecipientOption,
  assertResolver,
  DEFAULT_RELATIONSHIP,
} from "./verify_options.ts";
import type { VerifyResult, VerifySuccess } from "./verify_result.ts";

/** A function that verifies a proof, such as `verifyProof` from `@parley/comm/proof`. */
export type ProofVerifier = (
  message: AgentCommMessage,
  options: VerifyMessageOptions & {
    readonly now: () => number;
    readonly clockSkewMs: number;
    readonly maxAgeMs: number;
  },
) => Promise<VerifyResult>;

/** Options for `createVerifier`. */
export interface VerifierOptions {
  /**
   * DID of this agent, or `any`. Messages for other recipients fail with `recipient_mismatch`. With
   * `any`, messages for any recipient are accepted.
   */
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
   * Verification relationship that a sender's DID document must authorize the key for.
   *
   * @default {"authentication"}
   */
  readonly relationship?: KeyRelationship;
  /**
   * Store that rejects replayed messages: a `ReplayGuard`, or a custom store that several replicas
   * share. If omitted, replayed messages are accepted.
   */
  readonly replayGuard?: ReplayStore;
  /**
   * Called with each message that has passed the verifier's own checks, before the replay store is
   * called. Only a result of exactly `true` admits the message; otherwise, or if the function
   * throws, the verification fails with `sender_refused`. At level `none`, no member of the message
   * is authenticated. If omitted, all verified messages are admitted.
   */
  readonly allow?: (
    message: AgentCommMessage,
    result: VerifySuccess,
  ) => boolean | Promise<boolean>;
  /**
   * Function that verifies proofs, such as `verifyProof` from `@parley/comm/proof`. Required if the
   * policy uses level `proof`. Applications that do not verify proofs do not need to bundle
   * `verifyProof`.
   */
  readonly verifyProof?: ProofVerifier;
  /**
   * Timeout for each call of the resolver, `allow`, `verifyProof` and the replay store, in
   * milliseconds. A message whose verification is not finished by then is not admitted. The
   * verification fails with `did_resolution_failed` if the resolver or `verifyProof` exceeds the
   * timeout, with `sender_refused` if `allow` does, and with `replay_store_failed` if the replay
   * store does.
   *
   * @default {10_000}
   */
  readonly timeoutMs?: number;
  /**
   * Returns the current time, in milliseconds. The verifier compares the age of messages and the
   * validity of keys and proofs with the returned time. If the result is not a finite number, the
   * verification rejects with a `TypeError`. Defaults to `Date.now`.
   */
  readonly now?: () => number;
}

/** Settings of a verifier, with default values filled in. */
export interface VerifierRules
  extends
    Omit<Settings<VerifierOptions, "relationship" | "now" | "timeoutMs">, "policy">,
    FreshnessRules {
  readonly admissions: Admissions;
}

const readOptions = optionsReader<VerifierOptions>("options")({
  recipient: required(assertRecipientOption),
  policy: withDefault({}, assertObject),
  resolver: assertResolver,
  relationship: withDefault(DEFAULT_RELATIONSHIP, assertRelationship),
  replayGuard: assertReplayStore,
  allow: assertFunction,
  verifyProof: assertFunction,
  timeoutMs: withDefault(RESOLUTION_TIMEOUT_MS, assertPositiveNumber),
  now: withDefault((): number => Date.now(), assertFunction),
});

/** Validates the options of a verifier and fills in default values. */
export function readRules(options: VerifierOptions): VerifierRules {
  assertRecipientIsSet(options);
  const { policy: requirements, ...settings } = readOptions(options);
  const policy = readPolicy(requirements);
  const admissions = readAdmissions(policy, settings.verifyProof !== undefined);
  const { maxAgeMs, clockSkewMs, replyTo } = policy;
  const { replayGuard } = settings;
  if (replayGuard !== undefined) assertReplayWindow(replayGuard, maxAgeMs, clockSkewMs);
  return { ...settings, admissions, maxAgeMs, clockSkewMs, replyTo };
}

/**
 * Throws if the replay store does not track messages for long enough. A message is accepted for up
 * to `maxAgeMs` after its timestamp, and up to `clockSkewMs` before it if the sender's clock is
 * ahead. Replays must be detected for as long as the original message would be accepted.
 */
function assertReplayWindow(store: ReplayStore, maxAgeMs: number, skewMs: number): void {
  if (maxAgeMs === Infinity ? store.ttlMs > 0 : store.ttlMs >= maxAgeMs + skewMs) return;
  const minimum = maxAgeMs === Infinity
    ? "positive"
    : `at least ${maxAgeMs + skewMs} ("policy.maxAgeMs" + "policy.clockSkewMs")`;
  throw new RangeError(`"replayGuard.ttlMs" must be ${minimum}, got ${store.ttlMs}`);
}
