/**
 * Protocol negotiation with signed messages.
 *
 * Call {@linkcode signOffer}, {@linkcode acceptOffer} and {@linkcode verifyAcceptance} in this
 * order. The signatures prevent downgrade attacks, in which an intermediary removes protocols from
 * an offer. An intermediary also cannot replay an earlier offer with fewer protocols: offers and
 * acceptances have a maximum age, and each offer is accepted once.
 *
 * @module
 */

import { CommError, invalidMessage } from "./shared/error.ts";
import { abortable } from "@parley/internal/abortable";
import { quote } from "@parley/internal/format-value";
import {
  assertFunction,
  assertNonNegative,
  assertObject,
  assertOptionalSignal,
  assertPositiveNumber,
  assertStrings,
} from "@parley/internal/assert-argument";
import { defined } from "@parley/internal/json";
import { optionsReader, required, withDefault } from "@parley/internal/options";
import { toSignalOptions } from "@parley/internal/read-signal";
import { assertRelationship } from "./did/document.ts";
import { RESOLUTION_TIMEOUT_MS } from "./did/resolver.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "./shared/json.ts";
import { AgentCommMessage, ensureMessage } from "./message/message.ts";
import {
  createProtocolAccept,
  createProtocolOffer,
  negotiateProtocol,
  type ProtocolAccept,
  type ProtocolOffer,
} from "./negotiation/negotiate.ts";
import { ReplayGuard } from "./signing/replay_guard.ts";
import { assertReplayStore, type ReplayStore, type Reservation } from "./signing/replay_store.ts";
import { SIGNER_TIMEOUT_MS } from "./signing/sign_options.ts";
import { assertSigner, type Signer } from "./signing/signer.ts";
import { signMessage } from "./signing/signing.ts";
import { createVerifier } from "./signing/verifier.ts";
import type { VerifierOptions } from "./signing/verifier_options.ts";
import type { VerifyMessageOptions } from "./signing/verify_message.ts";
import {
  assertResolver,
  DEFAULT_CLOCK_SKEW_MS,
  DEFAULT_MAX_AGE_MS,
  DEFAULT_RELATIONSHIP,
} from "./signing/verify_options.ts";

/** Protocol identifier for messages that carry offers and acceptances. */
export const NEGOTIATION_PROTOCOL = "parley.negotiation.v1";

const OFFER = "offer";
const ACCEPT = "accept";

/** Options for {@linkcode signOffer}. */
export interface SignOfferOptions {
  /** Signer for the offering agent. */
  readonly signer: Signer;
  /**
   * Timeout for the signer, in milliseconds.
   *
   * @default {30_000}
   */
  readonly timeoutMs?: number;
  /** Aborts the operation. */
  readonly signal?: AbortSignal;
}

/** Options for messages that have a maximum age. */
export interface NegotiationAgeOptions extends Omit<VerifyMessageOptions, "recipient"> {
  /**
   * Maximum age of the message, in milliseconds. The age is computed from the time in the signed
   * `id`, which must be a UUIDv7. `Infinity` disables the check.
   *
   * @default {300_000}
   */
  readonly maxAgeMs?: number;
  /**
   * Maximum clock skew: how far the sender's clock may be ahead, in milliseconds.
   *
   * @default {60_000}
   */
  readonly clockSkewMs?: number;
}

/** Options for {@linkcode acceptOffer}. */
export interface AcceptOfferOptions extends NegotiationAgeOptions {
  /** Protocols that this agent supports, in any order. */
  readonly supportedProtocols: readonly string[];
  /** Signer for the recipient of the offer. */
  readonly signer: Signer;
  /**
   * Store that rejects replayed offers. `ttlMs` of the store must be at least `maxAgeMs` plus
   * `clockSkewMs`. Processes that share a DID need a shared store. If omitted, the offers that were
   * accepted with the same `signer` object are tracked in memory, for 10 minutes.
   */
  readonly replayGuard?: ReplayStore;
}

/** Options for {@linkcode verifyAcceptance}. */
export interface VerifyAcceptanceOptions extends NegotiationAgeOptions {
  /** The message with the offer. */
  readonly offer: AgentCommMessage;
}

const readSignOptions = optionsReader<SignOfferOptions>("options")({
  signer: required(assertSigner),
  timeoutMs: withDefault(SIGNER_TIMEOUT_MS, assertPositiveNumber),
  signal: assertOptionalSignal,
});

/** Rules for the options of {@linkcode NegotiationAgeOptions}. */
const AGE_RULES = {
  resolver: assertResolver,
  relationship: withDefault(DEFAULT_RELATIONSHIP, assertRelationship),
  maxAgeMs: withDefault(DEFAULT_MAX_AGE_MS, assertNonNegative),
  clockSkewMs: withDefault(DEFAULT_CLOCK_SKEW_MS, assertNonNegative),
  now: withDefault((): number => Date.now(), assertFunction),
  timeoutMs: withDefault(RESOLUTION_TIMEOUT_MS, assertPositiveNumber),
  signal: assertOptionalSignal,
} as const;

const readAcceptOptions = optionsReader<AcceptOfferOptions>("options")({
  ...AGE_RULES,
  supportedProtocols: required(assertStrings),
  signer: required(assertSigner),
  replayGuard: assertReplayStore,
});

const readVerifyOptions = optionsReader<VerifyAcceptanceOptions>("options")({
  ...AGE_RULES,
  offer: required(assertObject),
});

/** Options of a verifier and an abort signal. */
type VerifySettings = Omit<VerifierOptions, "policy"> & {
  readonly maxAgeMs: number;
  readonly clockSkewMs: number;
  readonly signal?: AbortSignal;
};

/**
 * Replay stores for the signers that were used without a store. Without a default store, replayed
 * offers would be accepted. The store of a signer is garbage-collected together with the signer.
 */
const DEFAULT_STORES = new WeakMap<Signer, ReplayStore>();

/**
 * Creates a signed message with an offer.
 *
 * @param offer The offer. `offererDid` must be the signer's DID.
 * @param recipient DID of the recipient.
 * @param options The signer.
 * @throws {CommError} With code "invalid_argument" if the offer is invalid or not from the signer.
 * @throws The signal's reason if the signal is aborted.
 *
 * @example Negotiate a protocol with signed messages
 * ```ts
 * import { createProtocolOffer, generateSigner } from "@parley/comm";
 * import { acceptOffer, verifyAcceptance, signOffer } from "@parley/comm/signed-negotiation";
 * import { assertEquals } from "@std/assert";
 *
 * const [ann, bob] = [await generateSigner(), await generateSigner()];
 * const protocols = ["agent.task.v2", "agent.task.v1"];
 * const offer = await signOffer(createProtocolOffer({ offererDid: ann.did, protocols }), bob.did, {
 *   signer: ann,
 * });
 * const answer = await acceptOffer(offer, { supportedProtocols: ["agent.task.v1"], signer: bob });
 * const accept = await verifyAcceptance(answer, { offer });
 * assertEquals(accept.selectedProtocol, "agent.task.v1");
 * ```
 */
export async function signOffer(
  offer: ProtocolOffer,
  recipient: string,
  options: SignOfferOptions,
): Promise<AgentCommMessage> {
  const { signer, timeoutMs, signal } = readSignOptions(options);
  const { offererDid, protocols, timestamp } = createProtocolOffer(offer);
  const message = new AgentCommMessage({
    sender: offererDid,
    recipient,
    protocol: NEGOTIATION_PROTOCOL,
    messageType: OFFER,
    payload: { offererDid, protocols, timestamp },
  });
  return await signMessage(message, signer, defined({ timeoutMs, signal }));
}

/**
 * Verifies a signed offer, selects a protocol with `negotiateProtocol`, and signs the acceptance.
 * An offer is accepted once. If no acceptance is returned, the same offer can be accepted later.
 *
 * @param message The message with the offer.
 * @param options Supported protocols, signer, maximum age and replay store.
 * @throws {CommError} With the failure reason as its code, such as "signature_invalid", "expired"
 *   or "replay_detected", if verification fails.
 * @throws {CommError} With code "invalid_message" if the message does not contain a valid offer
 *   from its sender.
 * @throws {CommError} With code "no_common_protocol" if no offered protocol is supported.
 * @throws {CommError} With code "timeout" if the signer takes longer than `timeoutMs`.
 * @throws {TypeError} If an option is missing, invalid or unknown, or if `now` does not return a
 *   finite number.
 * @throws {RangeError} If a number is not in its range, or if the replay store does not track
 *   messages for at least `maxAgeMs + clockSkewMs`.
 * @throws The signal's reason if the signal is aborted.
 *
 * @example Reject an offer without a supported protocol
 * ```ts
 * import { CommError, createProtocolOffer, generateSigner } from "@parley/comm";
 * import { acceptOffer, signOffer } from "@parley/comm/signed-negotiation";
 * import { assertEquals, assertRejects } from "@std/assert";
 *
 * const [ann, bob] = [await generateSigner(), await generateSigner()];
 * const offer = createProtocolOffer({ offererDid: ann.did, protocols: ["agent.task.v1"] });
 * const message = await signOffer(offer, bob.did, { signer: ann });
 * const error = await assertRejects(
 *   () => acceptOffer(message, { supportedProtocols: ["agent.chat.v1"], signer: bob }),
 *   CommError,
 * );
 * assertEquals(error.code, "no_common_protocol");
 * ```
 */
export async function acceptOffer(
  message: AgentCommMessage,
  options: AcceptOfferOptions,
): Promise<AgentCommMessage> {
  const { supportedProtocols, signer, replayGuard, ...settings } = readAcceptOptions(options);
  const { timeoutMs, signal } = settings;
  const own = ensureMessage(message);
  const store = replayGuard ?? defaultStoreOf(signer);
  const { did: recipient } = signer;
  const expected = { recipient, replayGuard: store };
  const reservation = await begin(own, defined({ ...settings, ...expected }));
  try {
    const offer = readOffer(own);
    const accept = negotiateProtocol(offer, supportedProtocols, signer.did);
    const { accepterDid, selectedProtocol, timestamp } = accept;
    const answer = own.reply(ACCEPT, { accepterDid, selectedProtocol, timestamp });
    const signed = await signMessage(answer, signer, defined({ timeoutMs, signal }));
    await reservation.commit(toSignalOptions(signal));
    return signed;
  } catch (error) {
    // If `abort` fails, the offer stays reserved, and is therefore not accepted again.
    await abortable(reservation.abort(), signal).catch(() => {});
    throw error;
  }
}

/**
 * Verifies a signed acceptance. The acceptance must come from the recipient of the offer and select
 * an offered protocol.
 *
 * @param message The message with the acceptance.
 * @param options The message with the offer, maximum age, and options for `verifyMessage`.
 * @throws {CommError} With the failure reason as its code, such as "signature_invalid" or
 *   "expired", if verification fails.
 * @throws {CommError} With code "invalid_message" if the acceptance does not match the offer.
 * @throws The signal's reason if the signal is aborted.
 *
 * @example Reject an acceptance from another agent
 * ```ts
 * import { CommError, createProtocolOffer, generateSigner } from "@parley/comm";
 * import { acceptOffer, verifyAcceptance, signOffer } from "@parley/comm/signed-negotiation";
 * import { assertRejects } from "@std/assert";
 *
 * const [ann, bob, eve] = [await generateSigner(), await generateSigner(), await generateSigner()];
 * const offer = createProtocolOffer({ offererDid: ann.did, protocols: ["agent.task.v1"] });
 * const toBob = await signOffer(offer, bob.did, { signer: ann });
 * const toEve = await signOffer(offer, eve.did, { signer: ann });
 * const answer = await acceptOffer(toEve, { supportedProtocols: ["agent.task.v1"], signer: eve });
 * await assertRejects(() => verifyAcceptance(answer, { offer: toBob }), CommError);
 * ```
 */
export async function verifyAcceptance(
  message: AgentCommMessage,
  options: VerifyAcceptanceOptions,
): Promise<ProtocolAccept> {
  const { offer: sent, ...settings } = readVerifyOptions(options);
  const offer = ensureMessage(sent);
  const { protocols } = readOffer(offer);
  const { sender, recipient, id } = offer;
  settings.signal?.throwIfAborted();
  const own = ensureMessage(message);
  // Check the sender first, so that a forged acceptance does not cause its sender to be resolved.
  if (own.sender !== recipient) {
    throw invalidMessage("sender", "is not the recipient of the offer");
  }
  // The acceptance names the id of one offer, so no replay store is necessary.
  await begin(own, defined({ ...settings, recipient: sender }));
  if (own.correlationId !== id) {
    throw invalidMessage("correlationId", "is not the id of the offer");
  }
  const accept = readAccept(own);
  if (!protocols.includes(accept.selectedProtocol)) {
    throw invalidMessage("payload", "selects a protocol that was not offered");
  }
  return accept;
}

/** Verifies a message and reserves its id. Throws if the verification fails. */
async function begin(message: AgentCommMessage, settings: VerifySettings): Promise<Reservation> {
  const { maxAgeMs, clockSkewMs, signal, ...options } = settings;
  // Negotiation does not use `replyTo`.
  const policy = { maxAgeMs, clockSkewMs, replyTo: "untrusted" } as const;
  const verifier = createVerifier({ ...options, policy });
  const result = await verifier.begin(message, toSignalOptions(signal));
  if (!result.ok) throw result.error;
  return result;
}

function defaultStoreOf(signer: Signer): ReplayStore {
  const store = DEFAULT_STORES.get(signer) ?? new ReplayGuard();
  DEFAULT_STORES.set(signer, store);
  return store;
}

function readOffer(message: AgentCommMessage): ProtocolOffer {
  const { offererDid, protocols, timestamp } = readPayload(message, OFFER);
  if (offererDid !== message.sender) {
    throw invalidMessage("payload", `has an "offererDid" that is not the sender`);
  }
  if (!Array.isArray(protocols) || typeof timestamp !== "string") {
    throw invalidMessage("payload", "is not a protocol offer");
  }
  return asPayload(() => createProtocolOffer({ offererDid, protocols, timestamp }));
}

function readAccept(message: AgentCommMessage): ProtocolAccept {
  const { accepterDid, selectedProtocol, timestamp } = readPayload(message, ACCEPT);
  if (accepterDid !== message.sender) {
    throw invalidMessage("payload", `has an "accepterDid" that is not the sender`);
  }
  if (typeof selectedProtocol !== "string" || typeof timestamp !== "string") {
    throw invalidMessage("payload", "is not a protocol acceptance");
  }
  return asPayload(() => createProtocolAccept({ accepterDid, selectedProtocol, timestamp }));
}

function readPayload(message: AgentCommMessage, messageType: string): JsonObject {
  if (message.protocol !== NEGOTIATION_PROTOCOL) {
    throw invalidMessage("protocol", `is not ${quote(NEGOTIATION_PROTOCOL)}`);
  }
  if (message.messageType !== messageType) {
    throw invalidMessage("messageType", `is not ${quote(messageType)}`);
  }
  const payload: JsonValue = message.payload;
  if (!isJsonObject(payload)) throw invalidMessage("payload", "is not an object");
  return payload;
}

/**
 * Converts an `invalid_argument` error to `invalid_message`, because the invalid value comes from a
 * received message.
 */
function asPayload<T>(create: () => T): T {
  try {
    return create();
  } catch (error) {
    if (error instanceof CommError) throw invalidMessage("payload", `is invalid: ${error.message}`);
    throw error;
  }
}
