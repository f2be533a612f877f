/**
 * Decentralized identifiers: their syntax.
 *
 * @module
 */

import { didInvalid } from "../shared/error.ts";

const DID = /^did:([a-z0-9]+):([\w.:-]*(?:%[0-9A-Fa-f]{2}[\w.:-]*)*)(?<!:)$/;

/** How long a DID may be, in characters. */
export const MAX_DID_LENGTH = 2048;

/** The parts of a DID. */
export interface Did {
  /** The method, e.g. `key` or `web`. */
  readonly method: string;
  /** What identifies the subject within the method. */
  readonly id: string;
}

/**
 * Takes a DID apart.
 *
 * @param text a DID without path, query or fragment, at most 2048 characters
 * @throws {CommError} `did_invalid` for any other text
 * @see https://www.w3.org/TR/did-core/#did-syntax
 *
 * @example Read the method of a DID
 * ```ts
 * import { parseDid } from "@parley/comm/did";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(parseDid("did:web:example.com:agents:ann"), {
 *   method: "web",
 *   id: "example.com:agents:ann",
 * });
 * ```
 */
export function parseDid(text: string): Did {
  if (text.length > MAX_DID_LENGTH) {
    throw didInvalid(text, `longer than ${MAX_DID_LENGTH} characters`);
  }
  const [, method, id] = DID.exec(text) ?? [];
  if (method === undefined || id === undefined) {
    throw didInvalid(text, "not of the form did:<method>:<id>");
  }
  return { method, id };
}

/**
 * Whether a value is the text of a DID.
 *
 * @param value anything
 *
 * @example Tell a DID from a DID URL
 * ```ts
 * import { isDid } from "@parley/comm/did";
 * import { assert, assertFalse } from "@std/assert";
 *
 * assert(isDid("did:web:example.com"));
 * assertFalse(isDid("did:web:example.com#key-1"));
 * ```
 */
export function isDid(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_DID_LENGTH && DID.test(value);
}
