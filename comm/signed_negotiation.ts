/**
 * Protocol negotiation with signed messages.
 *
 * Call {@linkcode signOffer}, {@linkcode acceptOffer} and {@linkcode verifyAcceptance} in this
 * order. The signatures prevent downgrade attacks, in which an intermediary removes protocols from
 * an offer.
 *
 * @module
 */

import { CommError, invalidMessage } from "./shared/error.ts";
import { quote } from "@parley/internal/format-value";
import {
  assertObject,
  assertOptionalSignal,
  assertStrings,
} from "@parley/internal/assert-argument";
import { assertNames, namesOf, optionsReader, required } from "@parley/internal/options";
import { toSignalOptions } from "@parley/internal/read-signal";
import { isJsonObject, type JsonObject, type JsonValue } from "./shared/json.ts";
import { AgentCommMessage, ensureMessage } from "./message/message.ts";
import {
  createProtocolAccept,
  createProtocolOffer,
  negotiateProtocol,
  type ProtocolAccept,
  type ProtocolOffer,
} from "./negotiation/negotiate.ts";
import { readSenderKeyOptions } from "./signing/sender_keys.ts";
import { assertSigner, type Signer } from "./signing/signer.ts";
import { signMessage } from "./signing/signing.ts";
import {
  type VerifyMessageOptions,
  type VerifyMessageSettings,
  verifySignature,
} from "./signing/verify_message.ts";

/** Protocol identifier for messages that carry offers and acceptances. */
export const NEGOTIATION_PROTOCOL = "parley.negotiation.v1";

const OFFER = "offer";
const ACCEPT = "accept";

/** Options for {@linkcode signOffer}. */
export interface SignOfferOptions {
  /** Signer for the offering agent. */
  readonly signer: Signer;
  /** Aborts the operation. */
  readonly signal?: AbortSignal;
}

/** Options for {@linkcode acceptOffer}. */
export interface AcceptOfferOptions extends Omit<VerifyMessageOptions, "recipient"> {
  /** Protocols that this agent supports, in any order. */
  readonly supportedProtocols: readonly string[];
  /** Signer for the recipient of the offer. */
  readonly signer: Signer;
}

/** Options for {@linkcode verifyAcceptance}. */
export interface VerifyAcceptanceOptions extends Omit<VerifyMessageOptions, "recipient"> {
  /** The message with the offer. */
  readonly offer: AgentCommMessage;
}

const readSignOptions = optionsReader<SignOfferOptions>("options")({
  signer: required(assertSigner),
  signal: assertOptionalSignal,
});

const ACCEPT_NAMES = namesOf<AcceptOfferOptions>({
  supportedProtocols: true,
  signer: true,
  resolver: true,
  relationship: true,
  now: true,
  signal: true,
});

const VERIFY_NAMES = namesOf<VerifyAcceptanceOptions>({
  offer: true,
  resolver: true,
  relationship: true,
  now: true,
  signal: true,
});

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
  const { signer, signal } = readSignOptions(options);
  const { offererDid, protocols, timestamp } = createProtocolOffer(offer);
  const message = new AgentCommMessage({
    sender: offererDid,
    recipient,
    protocol: NEGOTIATION_PROTOCOL,
    messageType: OFFER,
    payload: { offererDid, protocols, timestamp },
  });
  return await signMessage(message, signer, toSignalOptions(signal));
}

/**
 * Verifies a signed offer, selects a protocol with `negotiateProtocol`, and signs the acceptance.
 *
 * @param message The message with the offer.
 * @param options Supported protocols and signer.
 * @throws {CommError} With the failure reason as its code, such as "signature_invalid", if
 *   verification fails.
 * @throws {CommError} With code "invalid_message" if the message does not contain a valid offer
 *   from its sender.
 * @throws {CommError} With code "no_common_protocol" if no offered protocol is supported.
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
  assertObject("options", options);
  assertNames("options", options, ACCEPT_NAMES);
  const { supportedProtocols, signer } = options;
  assertStrings("supportedProtocols", supportedProtocols);
  assertSigner("signer", signer);
  const settings = { recipient: signer.did, ...readSenderKeyOptions(options) };
  const own = await ensureVerified(message, settings);
  const offer = readOffer(own);
  const { accepterDid, selectedProtocol, timestamp } = negotiateProtocol(
    offer,
    supportedProtocols,
    signer.did,
  );
  const answer = own.reply(ACCEPT, { accepterDid, selectedProtocol, timestamp });
  return await signMessage(answer, signer, toSignalOptions(settings.signal));
}

/**
 * Verifies a signed acceptance. The acceptance must come from the recipient of the offer and select
 * an offered protocol.
 *
 * @param message The message with the acceptance.
 * @param options The message with the offer, and options for `verifyMessage`.
 * @throws {CommError} With the failure reason as its code, such as "signature_invalid", if
 *   verification fails.
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
  assertObject("options", options);
  assertNames("options", options, VERIFY_NAMES);
  assertObject("offer", options.offer);
  const offer = ensureMessage(options.offer);
  const { protocols } = readOffer(offer);
  const { sender, recipient, id } = offer;
  const settings = { recipient: sender, ...readSenderKeyOptions(options) };
  settings.signal?.throwIfAborted();
  const received = ensureMessage(message);
  // Check the sender first, so that a forged acceptance does not cause its sender to be resolved.
  if (received.sender !== recipient) {
    throw invalidMessage("sender", "is not the recipient of the offer");
  }
  const own = await ensureVerified(received, settings);
  if (own.correlationId !== id) {
    throw invalidMessage("correlationId", "is not the id of the offer");
  }
  const accept = readAccept(own);
  if (!protocols.includes(accept.selectedProtocol)) {
    throw invalidMessage("payload", "selects a protocol that was not offered");
  }
  return accept;
}

/** Returns the verified message. Throws if the verification fails. */
async function ensureVerified(
  message: AgentCommMessage,
  settings: VerifyMessageSettings,
): Promise<AgentCommMessage> {
  const own = ensureMessage(message);
  const result = await verifySignature(own, settings);
  if (!result.ok) throw result.error;
  return own;
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
