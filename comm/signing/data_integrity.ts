/**
 * Steps of the W3C Data Integrity cryptosuite `eddsa-jcs-2022` that do not depend on messages.
 *
 * @see https://www.w3.org/TR/vc-di-eddsa/#eddsa-jcs-2022
 * @module
 */

import { formatBase58, readBase58 } from "../shared/base58.ts";
import { concatBytes } from "../shared/concat_bytes.ts";
import { canonicalize } from "../canonical/canonical_json.ts";
import type { Bytes } from "./ed25519_strict.ts";
import { proofInvalid } from "./verify_error.ts";
import type { JsonObject, JsonValue } from "../shared/json.ts";

/**
 * Returns the document with its `@context` replaced by the proof's `@context` (verification,
 * §3.3.2). Throws if the document's `@context` does not start with the proof's `@context`.
 */
export function withContext(document: JsonObject, config: JsonObject): JsonObject {
  const context = config["@context"];
  if (context === undefined) return document;
  const expected = toArray(context);
  const actual = toArray(document["@context"] ?? []).slice(0, expected.length);
  if (canonicalize(actual) !== canonicalize(expected)) {
    throw proofInvalid(`"@context" does not match the document`);
  }
  return { ...document, "@context": context };
}

function toArray(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : [value];
}

/** Returns the hash of the proof configuration followed by the hash of the document (§3.3.4). */
export async function hashProofInput(document: JsonObject, config: JsonObject): Promise<Bytes> {
  return concatBytes(await Promise.all([sha256(config), sha256(document)]));
}

async function sha256(value: JsonObject): Promise<Bytes> {
  const bytes = new TextEncoder().encode(canonicalize(value));
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

/** Encodes a signature as `proofValue`. */
export function formatProofValue(signature: Bytes): string {
  return `z${formatBase58(signature)}`;
}

/** Maximum length of 64 base58-encoded bytes, in characters. */
const MAX_PROOF_VALUE = 88;

/** Decodes the signature in `proofValue`. Throws if the signature is malformed. */
export function readProofValue(value: JsonValue | undefined): Bytes {
  const text = typeof value === "string" && value.startsWith("z") ? value.slice(1) : undefined;
  const bytes = text === undefined ? undefined : readBase58(text, MAX_PROOF_VALUE);
  if (bytes?.length !== 64) throw proofInvalid(`"proofValue" is not 64 bytes in base58btc`);
  return bytes;
}
