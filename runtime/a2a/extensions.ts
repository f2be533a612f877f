/**
 * Extensions of the protocol: those of this package, and those that an application adds.
 *
 * @see {@link https://a2a-protocol.org/latest/specification/#46-extensions Extensions}
 * @module
 */

import type { Caller } from "../serve/contracts.ts";
import type { JsonObject } from "../shared/json.ts";
import type { A2aAgentExtension } from "./types.ts";

/**
 * URI of the extension with which a client promises that it sends different messages with different
 * ids. A message that is sent again then belongs to the task that the first one has started.
 */
export const A2A_UNIQUE_MESSAGE_IDS = "urn:parley:a2a:unique-message-ids:v1";

/**
 * URI of the extension with which the caller decides on the tool calls of its tasks. The message of
 * a status lists the pending calls in its metadata, under the URI:
 * `{ "pending": [{ "key", "toolName", "input" }] }`. A message to the task decides on them in its
 * own metadata, under the same URI: `{ "approve": ["key", ...] }`. All other calls are denied.
 */
export const A2A_APPROVALS = "urn:parley:a2a:approvals:v1";

/** An extension that a server supports. */
export interface A2aExtension {
  /** URI of the extension. */
  readonly uri: string;
  /** Description of the extension, for the card. */
  readonly description?: string;
  /** Parameters of the extension, for its card. */
  readonly params?: JsonObject;
  /**
   * Whether every request must activate the extension, with the header `A2A-Extensions`.
   *
   * @default {false}
   */
  readonly isRequired?: boolean;
  /**
   * Checks a message of a request that has activated the extension. Returns the caller to use, for
   * example the verified author of a signed message, or throws an `A2aError` to reject the request.
   * The request is passed as it was read: known members only, with names in lowerCamelCase.
   */
  readonly check?: (request: JsonObject, caller: Caller) => Caller | Promise<Caller>;
}

/** Returns the extension for the card. */
export function toAgentExtension(extension: A2aExtension): A2aAgentExtension {
  const { description, isRequired, params, uri } = extension;
  return {
    uri,
    ...description !== undefined && { description },
    ...isRequired === true && { required: true },
    ...params !== undefined && { params },
  };
}
