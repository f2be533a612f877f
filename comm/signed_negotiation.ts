/**
 * Negotiation between agents that do not trust the line between them: offers and acceptances as payloads of signed
 * messages.
 *
 * Without signatures somebody in between could strike the better protocols from an offer, and both agents would agree
 * on the worst.
 *
 * @module
 */

import { CommError, invalidMessage, quote } from "./shared/error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "./shared/json.ts";
import { AgentCommMessage, ensureMessage } from "./message/message.ts";
import {
  createProtocolAccept,
  createProtocolOffer,
  negotiateProtocol,
  type ProtocolAccept,
  type ProtocolOffer,
} from "./negotiation/negotiate.ts";
import type { Signer } from "./signing/signer.ts";
import { signMessage, verifyMessage, type VerifyMessageOptions } from "./signing/signing.ts";

/** The protocol that offers and acceptances are messages of. */
export const NEGOTIATION_PROTOCOL = "parley.negotiation.v1";

const OFFER = "offer";
const ACCEPT = "accept";

/** Options of {@linkcode signOffer}. */
export interface SignOfferOptions {
  /** Who signs, as the offerer. */
  readonly signer: Signer;
  /** Ends it early. */
  readonly signal?: AbortSignal;
}

/** Options of {@linkcode acceptOffer}. */
export interface AcceptOfferOptions extends Omit<VerifyMessageOptions, "recipient"> {
  /** What this agent speaks, in any order. */
  readonly supportedProtocols: readonly string[];
  /** Who signs the answer, as the one the offer is for. */
  readonly signer: Signer;
}

/** Options of {@linkcode verifyAcceptance}. */
export interface VerifyAcceptanceOptions extends Omit<VerifyMessageOptions, "recipient"> {
  /** The message that carried the offer. */
  readonly offer: AgentCommMessage;
}

/**
 * Puts an offer into a signed message.
 *
 * @param offer the offer, of the signer's DID
 * @param recipient the DID of the agent it is for
 * @param options who signs
 * @throws {CommError} `invalid_argument` when the offer is not the signer's
 * @throws the signal's reason, when aborted
 *
 * @example Negotiate over signed messages
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
  const { signer, ...how } = options;
  const { offererDid, protocols, timestamp } = createProtocolOffer(offer);
  const message = new AgentCommMessage({
    sender: offererDid,
    recipient,
    protocol: NEGOTIATION_PROTOCOL,
    messageType: OFFER,
    payload: { offererDid, protocols, timestamp },
  });
  return await signMessage(message, signer, how);
}

/**
 * Verifies a signed offer, chooses as `negotiateProtocol` does, and signs the acceptance.
 *
 * @param message the message that carries the offer
 * @param options what this agent speaks, and who signs
 * @throws {CommError} what verification ends with, e.g. `signature_invalid`; `invalid_message` when it carries no offer
 *   of its sender; `no_common_protocol`
 * @throws the signal's reason, when aborted
 *
 * @example Refuse an offer of unknown protocols
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
  const { supportedProtocols, signer, ...how } = options;
  const own = await ensureVerified(message, { ...how, recipient: signer.did });
  const offer = readOffer(own);
  const { accepterDid, selectedProtocol, timestamp } = negotiateProtocol(
    offer,
    supportedProtocols,
    signer.did,
  );
  const answer = own.reply(ACCEPT, { accepterDid, selectedProtocol, timestamp });
  return await signMessage(answer, signer, how.signal === undefined ? {} : { signal: how.signal });
}

/**
 * Verifies a signed acceptance and that it answers an offer: it comes from the agent the offer was for, and chooses
 * something that was offered.
 *
 * @param message the message that carries the acceptance
 * @param options the message that carried the offer
 * @throws {CommError} what verification ends with, e.g. `signature_invalid`; `invalid_message` when it does not answer
 *   the offer
 * @throws the signal's reason, when aborted
 *
 * @example Refuse the answer of another agent
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
  const { offer, ...how } = options;
  const { protocols } = readOffer(offer);
  const { sender, recipient, id } = offer;
  const own = await ensureVerified(message, { ...how, recipient: sender });
  if (own.sender !== recipient) {
    throw invalidMessage("sender", "is not the recipient of the offer");
  }
  if (own.correlationId !== id) {
    throw invalidMessage("correlationId", "is not the id of the offer");
  }
  const accept = readAccept(own);
  if (!protocols.includes(accept.selectedProtocol)) {
    throw invalidMessage("payload", "selects a protocol that was not offered");
  }
  return accept;
}

/** Answers the very message that was verified. */
async function ensureVerified(
  message: AgentCommMessage,
  options: VerifyMessageOptions,
): Promise<AgentCommMessage> {
  const own = ensureMessage(message);
  const result = await verifyMessage(own, options);
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

/** What would be a caller's mistake is here what a peer wrote. */
function asPayload<T>(create: () => T): T {
  try {
    return create();
  } catch (error) {
    if (error instanceof CommError) throw invalidMessage("payload", `is invalid: ${error.message}`);
    throw error;
  }
}
