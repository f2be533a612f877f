/**
 * The keys under which the sessions and runs of a caller are stored.
 *
 * @module
 */

import { asRecord, defined, isRecord } from "@parley/internal/json";
import { assertStrings, holds, rejectArgument } from "@parley/internal/assert-argument";
import type { JsonObject } from "../shared/json.ts";
import { toMetadata } from "../shared/run_metadata.ts";
import { isStorable } from "../runs/step_recorder.ts";
import type { Caller } from "./contracts.ts";

/** Maximum length of the key of a caller, so that the id of a durable run has room for it. */
const MAX_CALLER_CHARS = 200;

/** Key of all anonymous callers. The key of a principal starts with another character. */
const ANONYMOUS = "-";

/**
 * Copies the caller of an operation. The given object can change while the operation waits, for
 * example if a server renews its scopes, and the session of one caller must not get the run of
 * another.
 *
 * @throws {TypeError} If the caller is not a principal.
 */
export function readCaller(caller: Caller): Caller {
  if (caller === undefined) return undefined;
  const { party, scopes: given, subject } = asRecord(caller);
  const scopes: unknown = Array.isArray(given) ? [...given] : given;
  toKey("caller.subject", subject);
  if (scopes !== undefined) assertStrings("caller.scopes", scopes);
  if (party !== undefined) toKey("caller.party", party);
  return readPrincipal({ subject, scopes, party });
}

/**
 * Returns the key of a caller, which contains no slash. Different subjects have different keys.
 *
 * @throws {TypeError} If the caller is not a principal.
 */
export function callerKeyOf(caller: Caller): string {
  if (caller === undefined) return ANONYMOUS;
  return toKey("caller.subject", asRecord(caller).subject);
}

/**
 * Returns the party whose share of the limits a caller uses.
 *
 * @throws {TypeError} If the party is not valid.
 */
export function partyOf(caller: Caller): string {
  if (caller?.party === undefined) return callerKeyOf(caller);
  return toKey("caller.party", caller.party);
}

/** Returns true if a text can be the subject of a caller. */
export function isSubject(text: string): boolean {
  return holds(() => toKey("subject", text) !== "");
}

function toKey(name: string, text: unknown): string {
  if (typeof text !== "string" || text === "" || !isStorable(text)) {
    return rejectArgument(name, "a non-empty string", text);
  }
  const key = `=${text.replaceAll(/[%/]/g, encodeURIComponent)}`;
  if (key.length <= MAX_CALLER_CHARS) return key;
  const requirement = `at most ${MAX_CALLER_CHARS - 1} characters, with "/" and "%" as three each`;
  return rejectArgument(name, `a string of ${requirement}`, text);
}

/** Data that is stored with a run of a caller. */
export interface ServedMetadata {
  /** The caller. */
  readonly caller: Caller;
  /** Id of the session, as the caller knows it. */
  readonly sessionId: string;
  /** Data of the protocol. */
  readonly metadata: JsonObject;
}

/**
 * Returns the metadata to store with a run.
 *
 * @param served The caller, as {@linkcode readCaller} returns it, with the session and the data.
 * @throws {TypeError} If the data of the protocol is not JSON.
 * @throws {RangeError} If the metadata is larger than 65,536 bytes.
 */
export function toServedMetadata({ caller, metadata, sessionId }: ServedMetadata): JsonObject {
  return toMetadata(defined({ caller, sessionId, metadata }));
}

/** Reads the metadata that {@linkcode toServedMetadata} has created. */
export function readServedMetadata(stored: JsonObject): ServedMetadata {
  const { caller, metadata, sessionId } = stored;
  return {
    caller: readPrincipal(caller),
    sessionId: typeof sessionId === "string" ? sessionId : "",
    metadata: isRecord(metadata) ? metadata : {},
  };
}

function readPrincipal(value: unknown): Caller {
  const { party, scopes, subject } = asRecord(value);
  if (typeof subject !== "string") return undefined;
  return defined({
    subject,
    scopes: Array.isArray(scopes) ? scopes.filter((one) => typeof one === "string") : undefined,
    party: typeof party === "string" ? party : undefined,
  });
}

/** Returns the id under which a session of a caller is stored. */
export function sessionKeyOf(callerKey: string, sessionId: string): string {
  return `${callerKey}/${sessionId}`;
}
