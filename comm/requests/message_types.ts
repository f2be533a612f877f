/**
 * Message types of the request protocol.
 *
 * @module
 */

/** Message type of a request, unless the requester chooses a different type. */
export const REQUEST = "request";
/** Message type of an interim result. */
export const UPDATE = "update";
/** Message type of the final result, which ends the request. */
export const RESPONSE = "response";
/** Message type of a failure, which ends the request. */
export const ERROR = "error";
/** Message type that the requester sends to cancel its request. */
export const CANCEL = "cancel";

/** Message types of the replies to a request. */
export const ANSWER_TYPES: ReadonlySet<string> = new Set([UPDATE, RESPONSE, ERROR]);

/** Returns `true` if a request must not have the message type. */
export function isReservedType(messageType: string): boolean {
  return messageType === CANCEL || ANSWER_TYPES.has(messageType);
}
