/**
 * Verification policies: the required trust level and the maximum age of a message.
 *
 * @module
 */

import type { AgentCommMessage } from "../message/message.ts";
import { askClock } from "@parley/internal/ask-clock";
import { assertNonNegative, assertObject, rejectArgument } from "@parley/internal/assert-argument";
import { escapeText, excerpt } from "@parley/internal/escape-text";
import { quote } from "@parley/internal/format-value";
import { isPlainObject } from "@parley/internal/json";
import { oneOf } from "@parley/internal/option-checks";
import {
  type OptionsReader,
  optionsReader,
  type Settings,
  withDefault,
} from "@parley/internal/options";
import { isDid } from "../did/did.ts";
import {
  ageUnproven,
  expired,
  notYetValid,
  replyMismatch,
  senderRefused,
  timestampMismatch,
} from "./verify_error.ts";
import { readUuidV7Time } from "../shared/uuid.ts";
import { DEFAULT_CLOCK_SKEW_MS, DEFAULT_MAX_AGE_MS } from "./verify_options.ts";
import type { TrustLevel } from "./verify_result.ts";

/**
 * Minimum trust level of a message, or `reject`, which rejects the message with `sender_refused`.
 */
export type Admission = TrustLevel | "reject";

/** Requirements for accepted messages. */
export interface VerificationPolicy {
  /**
   * Minimum trust level. At level `none`, only the recipient is checked. With `reject`, only the
   * senders in `senders` are admitted. DIDs are free to create, so a valid signature alone does not
   * mean that the sender is known.
   *
   * @default {"signature"}
   */
  readonly require?: Admission;
  /**
   * Minimum trust levels, keyed by sender DID, which override `require`. To admit only these
   * senders, set `require` to `reject`. With another `require`, `createVerifier` throws if the list
   * would have no effect.
   */
  readonly senders?: Readonly<Record<string, Admission>>;
  /**
   * Minimum trust levels, keyed by protocol, which override `require`. If the sender and the
   * protocol both have a level, the stricter one applies, and `reject` is the strictest. If
   * `require` is `reject`, senders that are not in `senders` are rejected, even if `protocols` has
   * a level for the message's protocol.
   */
  readonly protocols?: Readonly<Record<string, Admission>>;
  /**
   * Maximum age of a message, in milliseconds. `Infinity` disables the age check: a message can
   * then be accepted again after the replay store's `ttlMs`. The age is computed from an
   * authenticated time: the time in a UUIDv7 `id`, or, at level `proof`, `timestamp`. If messages
   * wait in a queue, `maxAgeMs` must be at least the queue's retention time.
   *
   * @default {300_000}
   */
  readonly maxAgeMs?: number;
  /**
   * Maximum clock skew: how far a sender's clock may be ahead, in milliseconds.
   *
   * @default {60_000}
   */
  readonly clockSkewMs?: number;
  /**
   * Handling of `replyTo`, which a signature does not cover. With `bound`, a `replyTo` must equal
   * the signed `correlationId`. With `untrusted`, any `replyTo` is accepted. At level `proof`, any
   * `replyTo` is accepted, because the proof authenticates it.
   *
   * @default {"bound"}
   */
  readonly replyTo?: "bound" | "untrusted";
}

/** Requirements for accepted messages, with default values filled in. */
export type PolicySettings = Settings<VerificationPolicy, keyof VerificationPolicy>;

const STRICTNESS: Readonly<Record<Admission, number>> = {
  none: 0,
  signature: 1,
  proof: 2,
  reject: 3,
};

const assertLevel = oneOf("none", "signature", "proof", "reject");

/**
 * Validates a policy and fills in default values. The levels of senders and protocols are checked
 * by {@linkcode readAdmissions}.
 */
export const readPolicy: OptionsReader<VerificationPolicy, keyof VerificationPolicy> =
  optionsReader<VerificationPolicy>("policy")({
    require: withDefault("signature", assertLevel),
    senders: withDefault({}, assertPlainObject),
    protocols: withDefault({}, assertPlainObject),
    maxAgeMs: withDefault(DEFAULT_MAX_AGE_MS, assertNonNegative),
    clockSkewMs: withDefault(DEFAULT_CLOCK_SKEW_MS, assertNonNegative),
    replyTo: withDefault("bound", oneOf("bound", "untrusted")),
  });

/**
 * Throws unless a value is a plain object. A `Map`, for example, has no members, so that none of
 * its levels would be applied.
 */
function assertPlainObject(name: string, value: unknown): void {
  assertObject(name, value);
  if (!isPlainObject(value)) rejectArgument(name, "a plain object", value);
}

/** Copies levels, and throws if one of them is unknown. Each level is read once. */
function copyLevels(
  name: string,
  levels: Readonly<Record<string, Admission>>,
): ReadonlyMap<string, Admission> {
  const copy = new Map(Object.entries(levels));
  for (const [key, level] of copy) assertLevel(`${name}[${escapeText(excerpt(key))}]`, level);
  return copy;
}

/**
 * Levels that a policy requires. The levels are stored in maps, because a name from a message, such
 * as `constructor`, must not match a property inherited from a prototype.
 */
export interface Admissions {
  readonly require: Admission;
  readonly senders: ReadonlyMap<string, Admission>;
  readonly protocols: ReadonlyMap<string, Admission>;
}

/**
 * Reads the levels that a policy requires. Throws for a sender that is not a DID and for a list of
 * senders without effect, because a mistake in a configuration file must not disable
 * authentication.
 */
export function readAdmissions(policy: PolicySettings, canProve: boolean): Admissions {
  const { require } = policy;
  const senders = copyLevels("policy.senders", policy.senders);
  const protocols = copyLevels("policy.protocols", policy.protocols);
  for (const sender of senders.keys()) {
    if (!isDid(sender)) rejectArgument("policy.senders", "keyed by DIDs", sender);
  }
  const levels = [require, ...senders.values(), ...protocols.values()];
  if (levels.includes("proof") && !canProve) {
    throw new TypeError(`"verifyProof" must be set if the policy requires level "proof"`);
  }
  if (haveNoEffect([...senders.values()], require, [...protocols.values()])) {
    throw new TypeError(
      `"policy.senders" must contain a level other than ${
        quote(require)
      }, which "policy.require" sets for all ` +
        `senders; to admit only the senders in "policy.senders", set "policy.require" to "reject"`,
    );
  }
  return { require, senders, protocols };
}

/**
 * Returns true if the policy would admit the same messages without its list of senders, but does
 * not reject all other senders. Such a list is probably intended as the list of all admitted
 * senders.
 */
function haveNoEffect(
  senderLevels: readonly Admission[],
  require: Admission,
  protocolLevels: readonly Admission[],
): boolean {
  return require !== "reject" && senderLevels.length > 0 &&
    senderLevels.every((level) => level === require) &&
    protocolLevels.every((level) => STRICTNESS[level] >= STRICTNESS[require]);
}

/**
 * Returns the level that is required for a message. Throws `sender_refused` if the level is
 * `reject`.
 */
export function admit({ sender, protocol }: AgentCommMessage, admissions: Admissions): TrustLevel {
  const { require, senders, protocols } = admissions;
  const bySender = senders.get(sender);
  const byProtocol = protocols.get(protocol);
  const level = bySender ?? require;
  if (level === "reject") throw senderRefused(sender, "the policy does not admit this sender");
  if (byProtocol === "reject") {
    throw senderRefused(sender, `the policy does not admit protocol ${quote(protocol)}`);
  }
  if (byProtocol === undefined) return level;
  if (bySender === undefined) return byProtocol;
  return STRICTNESS[level] > STRICTNESS[byProtocol] ? level : byProtocol;
}

/** Settings for the age check and the `replyTo` check, and the clock. */
export interface FreshnessRules {
  readonly maxAgeMs: number;
  readonly clockSkewMs: number;
  readonly replyTo: "bound" | "untrusted";
  readonly now: () => number;
}

/**
 * Checks the age and `replyTo` of a message. The age and `replyTo` checks can only reject a
 * message, so they run before signature verification. Returns the time until which the message
 * would be accepted.
 */
export function checkFreshness(
  message: AgentCommMessage,
  level: TrustLevel,
  rules: FreshnessRules,
): number {
  if (level === "none") return Infinity;
  const untilMs = checkAge(message, level, rules);
  if (level === "signature" && rules.replyTo !== "untrusted") checkReply(message);
  return untilMs;
}

/**
 * Maximum difference between the times in `id` and `timestamp`, in milliseconds. Some
 * implementations read the clock once for `id` and once for `timestamp`.
 */
const ID_TOLERANCE_MS = 1000;

/** Checks the age of a message. Returns the time until which the message would be accepted. */
function checkAge(
  message: AgentCommMessage,
  level: "signature" | "proof",
  { maxAgeMs, clockSkewMs, now }: FreshnessRules,
): number {
  if (maxAgeMs === Infinity) return Infinity;
  const { timestampMs } = message;
  const provenMs = level === "proof" ? timestampMs : readUuidV7Time(message.id);
  if (provenMs === undefined) throw ageUnproven(message.id);
  if (Math.abs(provenMs - timestampMs) > ID_TOLERANCE_MS) {
    throw timestampMismatch(timestampMs, provenMs);
  }
  const nowMs = askClock(now);
  if (!(provenMs <= nowMs + clockSkewMs)) throw notYetValid(provenMs);
  if (!(provenMs + maxAgeMs >= nowMs)) throw expired(provenMs + maxAgeMs);
  return provenMs + maxAgeMs;
}

function checkReply({ replyTo, correlationId }: AgentCommMessage): void {
  if (replyTo !== undefined && replyTo !== correlationId) {
    throw replyMismatch(replyTo, correlationId);
  }
}
