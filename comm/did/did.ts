/**
 * Syntax of decentralized identifiers (DIDs).
 *
 * @module
 */

import { didInvalid } from "./did_error.ts";

const DID = /^did:[a-z0-9]+:[\w.:-]*(?:%[0-9A-Fa-f]{2}[\w.:-]*)*(?<!:)$/;

/** Maximum length of a DID, in characters. */
export const MAX_DID_LENGTH = 2048;

/** Components of a DID. */
export interface Did {
  /** The DID method, such as `key` or `web`. */
  readonly method: string;
  /** The method-specific identifier. */
  readonly id: string;
}

/**
 * Parses a DID.
 *
 * @param text A DID of at most 2048 characters, without path, query or fragment.
 * @throws {CommError} With code "did_invalid" if the text is not a valid DID.
 * @see https://www.w3.org/TR/did-core/#did-syntax
 *
 * @example Parse a DID
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
  if (!DID.test(text)) throw didInvalid(text, "not of the form did:<method>:<id>");
  const end = text.indexOf(":", "did:".length);
  return { method: text.slice("did:".length, end), id: text.slice(end + 1) };
}

/**
 * Returns `true` if a value is a valid DID.
 *
 * @param value The value to test.
 *
 * @example Distinguish a DID from a DID URL
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
