/**
 * Reads a user's message and decisions from a front end's request.
 *
 * A front end's request body is untrusted. Assistant messages, tool results and system messages can
 * be forged, so only the last user message and the approval decisions are read from a request.
 *
 * @module
 */

import type { ApprovalDecision } from "../loop/approval.ts";
import { assertCount, rejectArgument } from "@parley/internal/assert-argument";
import {
  type DefaultRule,
  type OptionsReader,
  optionsReader,
  withDefault,
} from "@parley/internal/options";
import type { FilePart, TextPart, UserTurn } from "../shared/model.ts";

/** Input from a front end for one run. */
export interface UiTurn {
  /**
   * Id of the conversation, for example for `AgentSession`. The id is chosen by the client, so the
   * application must check that the user has access to the conversation.
   */
  readonly threadId: string;
  /** Message from the user. Absent if the request contains only decisions. */
  readonly turn?: UserTurn;
  /**
   * Decisions on deferred approvals, keyed by approval key, for the `decisions` option of a run. If
   * an agent without an `approvalHandler` receives decisions, even an empty object, the user must
   * approve every tool call. To execute all calls without asking, set `approvalHandler` to
   * `autoApprove`.
   */
  readonly decisions: Readonly<Record<string, ApprovalDecision>>;
}

/** Limits on the input from a front end. */
export interface UiInputOptions {
  /**
   * Maximum total length of the text in the user's message, in UTF-16 code units; a positive
   * integer.
   *
   * @default {1_000_000}
   */
  readonly maxTextChars?: number;
  /**
   * Maximum total length of the files in the user's message, in base64 characters; a positive
   * integer.
   *
   * @default {16_777_216}
   */
  readonly maxFileChars?: number;
  /**
   * Maximum number of parts in the user's message; a positive integer.
   *
   * @default {100}
   */
  readonly maxParts?: number;
  /**
   * Maximum number of decisions on approvals; a positive integer.
   *
   * @default {128}
   */
  readonly maxDecisions?: number;
}

/** Validated limits on the input from a front end. */
export type UiInputLimits = Required<UiInputOptions>;

/**
 * Maximum length of ids, in characters. This maximum is high because the approval keys of nested
 * agents contain the names of all agents.
 */
const MAX_ID_CHARS = 4096;
const MAX_FILENAME_CHARS = 255;
const MAX_URL_CHARS = 8192;
const MAX_MEDIA_TYPE_CHARS = 512;
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const DATA_URL = /^data:([^,;]+)(?:;[^,;]+)*;base64,/i;
/**
 * Maximum length of a `data:` URL up to the start of its data. A regular expression may overflow
 * the stack on a string that exceeds this length.
 */
const MAX_DATA_URL_HEAD_CHARS = 1024;

/** Rules for the limits. */
export const INPUT_RULES: Readonly<Record<keyof UiInputOptions, DefaultRule<number>>> = {
  maxTextChars: withDefault(1_000_000, assertCount),
  maxFileChars: withDefault(16_777_216, assertCount),
  maxParts: withDefault(100, assertCount),
  maxDecisions: withDefault(128, assertCount),
};

/** Reads the limits. */
export const readUiLimits: OptionsReader<UiInputOptions, keyof UiInputOptions> = optionsReader<
  UiInputOptions
>("options")(INPUT_RULES);

/**
 * Reads the id of a conversation, a run or an approval.
 *
 * @throws {TypeError} If the value is not a non-empty string, or contains lone surrogates.
 * @throws {RangeError} If the id has more than 4096 characters.
 */
export function readId(name: string, value: unknown): string {
  if (typeof value !== "string" || value === "") rejectArgument(name, "a non-empty string", value);
  // A session would reject an id with lone surrogates.
  if (!value.isWellFormed()) rejectArgument(name, "a string without lone surrogates", value);
  assertLength(name, value.length, MAX_ID_CHARS, "characters");
  return value;
}

/** A file in a request from a front end. */
export interface UiFile {
  /** An `https:` URL, or a `data:` URL with base64 data. */
  readonly url: unknown;
  /** Media type. If `undefined`, the media type of the `data:` URL is used. */
  readonly mediaType?: unknown;
  /** Name of the file. */
  readonly filename?: unknown;
}

/**
 * Reads a file from a URL or a `data:` URL.
 *
 * @param name Name of the part in the request body, for error messages.
 * @throws {TypeError} If the URL, the media type or the file name is invalid.
 */
export function readFile(name: string, { url, mediaType, filename }: UiFile): FilePart {
  if (typeof url !== "string") rejectArgument(`${name}.url`, "a string", url);
  const head = DATA_URL.exec(url.slice(0, MAX_DATA_URL_HEAD_CHARS));
  if (head) {
    return {
      ...toFilePart(name, mediaType ?? head[1], filename),
      data: { type: "data", data: readBase64(`${name}.url`, url.slice(head[0].length)) },
    };
  }
  const parsed = url.length <= MAX_URL_CHARS && URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== "https:") {
    rejectArgument(`${name}.url`, 'an "https:" URL or a "data:" URL with base64 data', url);
  }
  return { ...toFilePart(name, mediaType, filename), data: { type: "url", url: parsed } };
}

/**
 * Reads a file with base64-encoded content.
 *
 * @param name Name of the part in the request body, for error messages.
 * @throws {TypeError} If the content or the media type is invalid.
 */
export function readBase64File(name: string, data: unknown, mediaType: unknown): FilePart {
  return {
    ...toFilePart(name, mediaType, undefined),
    data: { type: "data", data: readBase64(`${name}.value`, data) },
  };
}

function toFilePart(name: string, mediaType: unknown, filename: unknown): Omit<FilePart, "data"> {
  return {
    type: "file",
    mediaType: readMediaType(name, mediaType),
    ...filename !== undefined && { filename: readFilename(name, filename) },
  };
}

function readMediaType(name: string, value: unknown): string {
  // Browsers add parameters, for example `text/plain; charset=utf-8` (RFC 9110, section 8.3.1).
  const type = typeof value === "string" ? value.slice(0, MAX_MEDIA_TYPE_CHARS).split(";")[0] : "";
  if (type !== undefined && MEDIA_TYPE.test(type.trim())) return type.trim().toLowerCase();
  rejectArgument(`${name}.mediaType`, "a media type", value);
}

function readFilename(name: string, value: unknown): string {
  const isValid = typeof value === "string" && value.length <= MAX_FILENAME_CHARS;
  return isValid
    ? value
    : rejectArgument(`${name}.filename`, "a string of at most 255 characters", value);
}

function readBase64(name: string, data: unknown): string {
  if (typeof data === "string" && data.length % 4 === 0 && BASE64.test(data)) return data;
  rejectArgument(name, "base64 data", data);
}

/**
 * Checks the parts of a user's message against the limits.
 *
 * @returns The turn, or `undefined` if there are no parts. A single text part is returned as a
 * string.
 * @throws {RangeError} If a limit is exceeded.
 */
export function toUserTurn(
  parts: readonly (TextPart | FilePart)[],
  { maxFileChars, maxParts, maxTextChars }: UiInputLimits,
): UserTurn | undefined {
  assertLength("message", parts.length, maxParts, "parts");
  let textChars = 0;
  let fileChars = 0;
  for (const part of parts) {
    if (part.type === "text") textChars += part.text.length;
    else if (part.data.type === "data") fileChars += part.data.data.length;
  }
  assertLength("message", textChars, maxTextChars, "characters of text");
  assertLength("message", fileChars, maxFileChars, "base64 characters of files");
  const [first, ...others] = parts;
  if (first === undefined) return undefined;
  return first.type === "text" && others.length === 0 ? first.text : parts;
}

/** A user's decision on an approval, in a request from a front end. */
export interface UiApprovalAnswer {
  /** Key of the approval. */
  readonly key: unknown;
  /** The tool call is approved only if `approved` is `true`. */
  readonly approved: unknown;
  /** Reason for a denial. A reason that is not a string is ignored. */
  readonly reason?: unknown;
}

/**
 * Reads a user's decisions on approvals.
 *
 * @param name Part of the request body that contains the decisions, as named in error messages.
 * @throws {TypeError} If a key is not a non-empty string, or two decisions have the same key.
 * @throws {RangeError} If there are more decisions than `maxDecisions`, or a key or reason is too
 * long.
 */
export function toDecisions(
  name: string,
  answers: readonly UiApprovalAnswer[],
  { maxDecisions, maxTextChars }: UiInputLimits,
): Readonly<Record<string, ApprovalDecision>> {
  assertLength(name, answers.length, maxDecisions, "entries");
  const decisions = new Map<string, ApprovalDecision>();
  for (const { key: value, approved, reason } of answers) {
    const key = readId(name, value);
    if (decisions.has(key)) rejectArgument(name, "entries with different ids", answers);
    if (typeof reason === "string") assertLength(name, reason.length, maxTextChars, "characters");
    decisions.set(
      key,
      approved === true
        ? { decision: "approve" }
        : { decision: "deny", ...typeof reason === "string" && { reason } },
    );
  }
  return Object.fromEntries(decisions);
}

function assertLength(name: string, length: number, max: number, unit: string): void {
  if (length <= max) return;
  throw new RangeError(`"${name}" must have at most ${max} ${unit}, got ${length}`);
}
