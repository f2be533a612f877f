/**
 * Agreeing on a protocol: one agent offers, the other accepts.
 *
 * @module
 */

import { isDid } from "../did/did.ts";
import { formatValue, invalidArgument, noCommonProtocol } from "../shared/error.ts";
import { MAX_PROTOCOL_ID_LENGTH } from "./protocol_id.ts";
import { formatTimestamp, readTimestamp } from "../shared/timestamp.ts";

/** What an agent can speak. Plain data: two offers are equal when their canonical JSON is. */
export interface ProtocolOffer {
  /** The offering agent's DID. */
  readonly offererDid: string;
  /** Protocol identifiers in order of preference. */
  readonly protocols: readonly string[];
  /** Time of the offer, RFC 3339. */
  readonly timestamp: string;
}

/** What the other agent chose. Plain data: two of them are equal when their canonical JSON is. */
export interface ProtocolAccept {
  /** The accepting agent's DID. */
  readonly accepterDid: string;
  /** The chosen protocol identifier. */
  readonly selectedProtocol: string;
  /** Time of the choice, RFC 3339. */
  readonly timestamp: string;
}

/** How many protocols one list may name. */
const MAX_PROTOCOLS = 1000;

/**
 * Creates an offer.
 *
 * @param init `timestamp` is RFC 3339 text; the default is now
 * @throws {CommError} `invalid_argument` when `offererDid` is no DID, an identifier is empty or longer than 256
 *   characters, there are more than 1000, or `timestamp` is not RFC 3339
 *
 * @example Offer two versions, the newer one first
 * ```ts
 * import { createProtocolOffer } from "@parley/comm";
 * import { assertEquals } from "@std/assert";
 *
 * const offer = createProtocolOffer({
 *   offererDid: "did:web:ann.example",
 *   protocols: ["agent.task.v2", "agent.task.v1"],
 * });
 * assertEquals(offer.protocols[0], "agent.task.v2");
 * ```
 */
export function createProtocolOffer(
  init: Omit<ProtocolOffer, "timestamp"> & Partial<Pick<ProtocolOffer, "timestamp">>,
): ProtocolOffer {
  checkObject(init);
  const { offererDid, protocols, timestamp = formatTimestamp(Date.now()) } = init;
  checkDid("offererDid", offererDid);
  checkProtocols("protocols", protocols);
  checkTimestamp(timestamp);
  return Object.freeze({ offererDid, protocols: Object.freeze([...protocols]), timestamp });
}

/**
 * Creates an acceptance; `negotiateProtocol` makes the one that fits an offer.
 *
 * @param init `timestamp` is RFC 3339 text; the default is now
 * @throws {CommError} `invalid_argument` when `accepterDid` is no DID, the identifier is empty or longer than 256
 *   characters, or `timestamp` is not RFC 3339
 *
 * @example Accept a protocol
 * ```ts
 * import { createProtocolAccept } from "@parley/comm";
 * import { assertEquals } from "@std/assert";
 *
 * const accept = createProtocolAccept({
 *   accepterDid: "did:web:bob.example",
 *   selectedProtocol: "agent.task.v1",
 * });
 * assertEquals(accept.selectedProtocol, "agent.task.v1");
 * ```
 */
export function createProtocolAccept(
  init: Omit<ProtocolAccept, "timestamp"> & Partial<Pick<ProtocolAccept, "timestamp">>,
): ProtocolAccept {
  checkObject(init);
  const { accepterDid, selectedProtocol, timestamp = formatTimestamp(Date.now()) } = init;
  checkDid("accepterDid", accepterDid);
  checkProtocols("selectedProtocol", [selectedProtocol]);
  checkTimestamp(timestamp);
  return Object.freeze({ accepterDid, selectedProtocol, timestamp });
}

/**
 * Chooses a protocol: the first of the offer that the responder supports.
 *
 * Decision: identifiers are compared as text, so another version is another protocol; the offerer's order wins.
 *
 * @param offer what the other agent speaks
 * @param supportedProtocols what this agent speaks, in any order
 * @param responderDid this agent's DID
 * @throws {CommError} `no_common_protocol` when the lists share nothing; `invalid_argument` as the constructors of
 *   offers and acceptances do
 *
 * @example The offerer's order decides
 * ```ts
 * import { createProtocolOffer, negotiateProtocol } from "@parley/comm";
 * import { assertEquals } from "@std/assert";
 *
 * const offer = createProtocolOffer({
 *   offererDid: "did:web:ann.example",
 *   protocols: ["agent.task.v2", "agent.task.v1"],
 * });
 * const accept = negotiateProtocol(
 *   offer,
 *   ["agent.task.v1", "agent.task.v2"],
 *   "did:web:bob.example",
 * );
 * assertEquals(accept.selectedProtocol, "agent.task.v2");
 * ```
 */
export function negotiateProtocol(
  offer: ProtocolOffer,
  supportedProtocols: readonly string[],
  responderDid: string,
): ProtocolAccept {
  const { protocols } = createProtocolOffer(offer);
  checkProtocols("supportedProtocols", supportedProtocols);
  checkDid("responderDid", responderDid);
  const supported = new Set(supportedProtocols);
  const selectedProtocol = protocols.find((protocol) => supported.has(protocol));
  if (selectedProtocol === undefined) throw noCommonProtocol(protocols, [...supportedProtocols]);
  return createProtocolAccept({ accepterDid: responderDid, selectedProtocol });
}

/** Offers and acceptances are read from JSON, which holds other things too. */
function checkObject(init: unknown): void {
  if (typeof init !== "object" || init === null) {
    throw invalidArgument("init", `must be an object, got ${formatValue(init)}`);
  }
}

function checkDid(name: string, did: unknown): void {
  if (!isDid(did)) throw invalidArgument(name, `must be a DID, got ${formatValue(did)}`);
}

function checkProtocols(name: string, protocols: unknown): void {
  if (!Array.isArray(protocols)) {
    throw invalidArgument(name, `must be an array, got ${formatValue(protocols)}`);
  }
  if (protocols.length > MAX_PROTOCOLS) {
    throw invalidArgument(
      name,
      `must have at most ${MAX_PROTOCOLS} protocols, got ${protocols.length}`,
    );
  }
  for (const protocol of protocols) {
    if (typeof protocol !== "string" || protocol === "") {
      throw invalidArgument(name, `must contain non-empty strings, got ${formatValue(protocol)}`);
    }
    if (protocol.length > MAX_PROTOCOL_ID_LENGTH) {
      const limit = `must contain at most ${MAX_PROTOCOL_ID_LENGTH} characters per protocol`;
      throw invalidArgument(name, `${limit}, got ${protocol.length}`);
    }
  }
}

function checkTimestamp(timestamp: unknown): void {
  if (typeof timestamp !== "string" || readTimestamp(timestamp) === undefined) {
    const reason = `must be an RFC 3339 date-time, got ${formatValue(timestamp)}`;
    throw invalidArgument("timestamp", reason);
  }
}
