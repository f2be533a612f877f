/**
 * Errors of the transport over HTTP.
 *
 * @module
 */

import { quote } from "@parley/internal/format-value";
import { CommError, receiveFailed, sendFailed } from "../shared/error.ts";

/** Creates the error for a recipient that a message cannot be sent to. */
export function noUrl(recipient: string, replyWaitMs: number): CommError {
  const remedy = replyWaitMs === 0
    ? '; set "replyWaitMs" to send replies in the responses to POST requests'
    : "";
  const reason = `recipient ${quote(recipient)} has no URL and is not waiting for a reply`;
  return sendFailed(`${reason}${remedy}`);
}

/** Creates the error for a response that is not held open. */
export function tooManyHeld(sender: string, capacity: number): CommError {
  return new CommError({
    code: "capacity_exceeded",
    details: { capacity },
    message: `Cannot hold a response to ${quote(sender)} open for replies: too many responses ` +
      "are held open",
  });
}

/** Creates the error for a response whose replies are not read. */
export function tooManyResponses(recipient: string, capacity: number): CommError {
  return new CommError({
    code: "capacity_exceeded",
    details: { capacity },
    message: `Cannot read replies from ${quote(recipient)}: too many responses are being read`,
  });
}

/** Creates the error for a response whose lines are not replies to its request. */
export function tooManyInvalid(recipient: string, count: number): CommError {
  return receiveFailed(
    `response of ${quote(recipient)} contains ${count} lines that are not replies to its request`,
  );
}
