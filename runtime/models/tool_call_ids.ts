/**
 * Encodes tool call ids for model providers, which accept fewer ids than a conversation can
 * contain: a conversation can move between providers, and the loop adds suffixes to duplicate ids.
 *
 * @module
 */

import { shortHash } from "@parley/internal/short-hash";

/** Tool call ids that an API accepts. */
export interface CallIdRules {
  /** Ids that are sent unchanged. */
  readonly accepted: RegExp;
  /** Encodes an id that the API rejects. Different ids are unlikely to have the same result. */
  readonly encode: (id: string) => string;
}

/** Second start value for hashes. */
const OTHER_SEED = 0x9747b28c;

/**
 * Ids that the Anthropic Messages API accepts.
 *
 * @see https://platform.claude.com/docs/en/api/messages
 */
export const ANTHROPIC_CALL_IDS: CallIdRules = {
  accepted: /^[A-Za-z0-9_-]{1,64}$/,
  encode: (id) => encodeId(id, 64),
};

/** Ids that OpenAI Chat Completions servers accept. OpenAI limits the length to 40 characters. */
export const OPENAI_CALL_IDS: CallIdRules = {
  accepted: /^[A-Za-z0-9_.:~-]{1,40}$/,
  encode: (id) => encodeId(id, 40),
};

/** Ids that the OpenAI Responses API accepts. */
export const RESPONSES_CALL_IDS: CallIdRules = {
  accepted: /^[\x21-\x7e]{1,64}$/,
  encode: (id) => encodeId(id, 64),
};

/**
 * Ids that the Mistral API accepts: nine letters and digits.
 *
 * @see https://docs.mistral.ai/capabilities/function_calling
 */
export const MISTRAL_CALL_IDS: CallIdRules = {
  accepted: /^[A-Za-z0-9]{9}$/,
  encode: (id) => hash(id).slice(-9),
};

/** Encodes the id of a tool call, in the same way for the call and its result. */
export function toWireCallId(id: string, { accepted, encode }: CallIdRules): string {
  return accepted.test(id) ? id : encode(id);
}

function encodeId(id: string, maxLength: number): string {
  const suffix = hash(id);
  const kept = id.slice(0, maxLength - suffix.length - 1).replace(/[^A-Za-z0-9_-]/g, "_");
  return `${kept}_${suffix}`;
}

function hash(id: string): string {
  return `${shortHash(id)}${shortHash(id, OTHER_SEED)}`;
}
