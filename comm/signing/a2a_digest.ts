/**
 * Digests of A2A requests that send a message.
 *
 * @module
 */

import type { MessageJson } from "@parley/internal/a2a-message";
import { readSendRequest } from "@parley/internal/a2a-request";
import { InvalidMember } from "@parley/internal/proto-json";
import { canonicalize } from "../canonical/canonical_json.ts";
import { CommError, invalidMessage } from "../shared/error.ts";
import { copyJson, isJsonObject, type JsonObject, type JsonValue } from "../shared/json.ts";

/** Maximum number of parts, which is more than an endpoint accepts. */
const MAX_PARTS = 10_000;

/** Maximum nesting depth of a request. The reader accepts 200 levels in data and metadata. */
const MAX_DEPTH = 256;

/** A request that has been read, without its proof. */
export interface CoveredRequest {
  /** The members that the digest covers. */
  readonly covered: JsonObject;
  /** The `message` of the request. */
  readonly message: JsonObject;
  /** The value of the metadata under the URI of the extension. */
  readonly proof: JsonValue | undefined;
}

/**
 * Reads a request in the form in which A2A endpoints read it, and removes the proof and empty
 * metadata. Throws `invalid_message` if the request is not valid.
 *
 * @param uri Name of the member of the message's metadata that contains the proof.
 */
export function readCovered(request: unknown, uri: string): CoveredRequest {
  try {
    const { message: read, ...rest } = readSendRequest(request, MAX_PARTS);
    const { [uri]: proof, ...metadata } = read.metadata ?? {};
    const message = toJson(withoutEmptyParts({ ...read, metadata }));
    return { covered: { ...toJson(withoutEmpty(rest)), message }, message, proof };
  } catch (error) {
    throw toInvalidMessage(error);
  }
}

/** Returns the digest of the members that are covered. */
export async function digestOf(covered: JsonObject): Promise<string> {
  const bytes = new TextEncoder().encode(canonicalize(covered, { maxDepth: MAX_DEPTH }));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const hex = Array.from(hash, (byte) => byte.toString(16).padStart(2, "0"));
  return `sha-256:${hex.join("")}`;
}

/** Validates and copies an object that was read. Throws if a text has a lone surrogate. */
function toJson(value: object): JsonObject {
  const copy = copyJson(value, { maxDepth: MAX_DEPTH });
  if (!isJsonObject(copy)) throw invalidMessage("", "must be an object");
  return copy;
}

function withoutEmptyParts({ parts, ...message }: MessageJson): object {
  return { ...withoutEmpty(message), parts: parts.map(withoutEmpty) };
}

/** Some proxies drop empty metadata, and others do not. */
function withoutEmpty(value: { readonly metadata?: object }): object {
  const { metadata, ...rest } = value;
  return metadata === undefined || Object.keys(metadata).length === 0 ? rest : value;
}

function toInvalidMessage(error: unknown): unknown {
  if (error instanceof InvalidMember) {
    return invalidMessage(error.path, `must be ${error.requirement}`);
  }
  return error instanceof CommError ? invalidMessage("", error.message) : error;
}
