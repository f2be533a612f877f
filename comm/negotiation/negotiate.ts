/**
 * Protocol negotiation: one agent offers protocols, and the other agent accepts one.
 *
 * @module
 */

import { isDid } from "../did/did.ts";
import { CommError, invalidArgument } from "../shared/error.ts";
import { formatValue } from "@parley/internal/format-value";
import { MAX_PROTOCOL_ID_LENGTH } from "./protocol_id.ts";
import { formatTimestamp, readTimestamp } from "../shared/timestamp.ts";

/**
 * An offer of the protocols that an agent supports. Two offers are equal if their canonical JSON is
 * equal.
 */
export interface ProtocolOffer {
  /** DID of the offering agent. */
  readonly offererDid: string;
  /** Protocol identifiers in order of preference. */
  readonly protocols: readonly string[];
  /** Time of the offer, as an RFC 3339 date-time. */
  readonly timestamp: string;
}

/**
 * An acceptance of an offered protocol. Two acceptances are equal if their canonical JSON is equal.
 */
export interface ProtocolAccept {
  /** DID of the accepting agent. */
  readonly accepterDid: string;
  /** The selected protocol identifier. */
  readonly selectedProtocol: string;
  /** Time of the acceptance, as an RFC 3339 date-time. */
  readonly timestamp: string;
}

/** Maximum number of protocols in a list. */
const MAX_PROTOCOLS = 1000;

/**
 * Creates an offer.
 *
 * @param init Members of the offer. `timestamp` defaults to the current time.
 * @throws {CommError} With code "invalid_argument" if `offererDid` is not a DID, if there are more
 *   than 1000 protocols, if a protocol is empty or longer than 256 characters, or if `timestamp` is
 *   not an RFC 3339 date-time.
 *
 * @example Offer two protocol versions
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
 * Creates an acceptance. To create an acceptance that matches an offer, use `negotiateProtocol`.
 *
 * @param init Members of the acceptance. `timestamp` defaults to the current time.
 * @throws {CommError} With code "invalid_argument" if `accepterDid` is not a DID, if
 *   `selectedProtocol` is empty or longer than 256 characters, or if `timestamp` is not an RFC 3339
 *   date-time.
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
 * Selects the first protocol in an offer that the responder supports.
 *
 * Decision: identifiers are compared as strings, so a different version is a different protocol.
 * The order of the offered protocols takes precedence over the order of `supportedProtocols`.
 *
 * @param offer Offer from the other agent.
 * @param supportedProtocols Protocols that this agent supports, in any order.
 * @param responderDid DID of this agent.
 * @throws {CommError} With code "no_common_protocol" if no offered protocol is supported.
 * @throws {CommError} With code "invalid_argument" if an argument is invalid.
 *
 * @example Select the preferred protocol in an offer
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

/**
 * Throws if the argument is not an object. The check is needed at runtime because a JavaScript
 * caller might pass any parsed JSON.
 */
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

/** Creates an error with code `no_common_protocol`. */
function noCommonProtocol(
  offered: readonly string[],
  supported: readonly string[],
): CommError {
  const message =
    `Cannot select protocol: none of the ${offered.length} offered protocols is supported`;
  return new CommError({ code: "no_common_protocol", details: { offered, supported }, message });
}
