/**
 * Readers for the arguments of a served agent.
 *
 * @module
 */

import {
  assertNonNegative,
  assertOptionalBoolean,
  assertOptionalSignal,
  assertRecord,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { isRecord } from "@parley/internal/json";
import { integerFrom, oneOf } from "@parley/internal/option-checks";
import { type OptionsReader, optionsReader, required, withDefault } from "@parley/internal/options";
import { assertTurn } from "../loop/conversation.ts";
import { RUN_STATUSES } from "../runs/read_record.ts";
import { isStorable } from "../runs/step_recorder.ts";
import type { ModelMessage, TextMessage } from "../shared/model.ts";
import type { ServedRun, ServedRunFilter, ServedRunStart } from "./contracts.ts";

const MAX_SESSION_CHARS = 512;
const MAX_REQUEST_CHARS = 256;
/** Maximum number of runs on a page. */
const MAX_PAGE = 1000;

function text(maxChars: number): (name: string, value: unknown) => void {
  return (name, value) => {
    const isText = typeof value === "string" && value.length >= 1 && value.length <= maxChars;
    if (isText && isStorable(value)) return;
    rejectArgument(name, `a string of 1 to ${maxChars} characters`, value);
  };
}

/** Reads the id of a session. */
export function assertSessionId(sessionId: unknown): void {
  text(MAX_SESSION_CHARS)("sessionId", sessionId);
}

function assertTexts(name: string, value: unknown): void {
  if (Array.isArray(value) && value.every(isTextMessage)) return;
  rejectArgument(name, "an array of messages with a role and a text", value);
}

function isTextMessage(value: unknown): boolean {
  if (!isRecord(value) || typeof value.content !== "string") return false;
  return value.role === "user" || value.role === "assistant";
}

const readStart: OptionsReader<ServedRunStart, "ifBusy" | "isTemporary"> = optionsReader<
  ServedRunStart
>("start")({
  turn: required((name, value) => {
    if (value === undefined) rejectArgument(name, "a message", value);
    assertTurn(name, value);
  }),
  sessionId: text(MAX_SESSION_CHARS),
  messages: assertTexts,
  requestId: text(MAX_REQUEST_CHARS),
  // The members are checked when the metadata is stored.
  metadata: assertRecord,
  ifBusy: withDefault("reject", oneOf("reject", "queue")),
  isTemporary: withDefault(false, assertOptionalBoolean),
});

/** A run to start, as it was read. */
export type ReadStart = ReturnType<typeof readStart>;

/**
 * Reads a run to start.
 *
 * @throws {TypeError} If a member has the wrong type, or two members exclude each other.
 * @throws {RangeError} If the metadata is too large.
 */
export function readServedStart(start: ServedRunStart): ReadStart {
  const read = readStart(start);
  const { isTemporary, messages, sessionId } = read;
  if (sessionId !== undefined && messages !== undefined) {
    rejectArgument("start.messages", 'omitted with "sessionId"', messages);
  }
  if (sessionId !== undefined && isTemporary) {
    rejectArgument("start.isTemporary", 'omitted with "sessionId"', isTemporary);
  }
  return read;
}

/** Converts texts to messages of a conversation. */
export function toMessages(texts: readonly TextMessage[]): readonly ModelMessage[] {
  return texts.map(({ content, role }) => ({ role, content: [{ type: "text", text: content }] }));
}

/** Reads a filter for a list of runs. */
export const readServedFilter: OptionsReader<ServedRunFilter, "limit" | "withTotal"> =
  optionsReader<ServedRunFilter>("filter")({
    sessionId: text(MAX_SESSION_CHARS),
    status: oneOf(...RUN_STATUSES),
    changedAfter: assertNonNegative,
    after: text(2 * MAX_SESSION_CHARS * 6),
    limit: withDefault(50, integerFrom(1, MAX_PAGE)),
    withTotal: withDefault(false, assertOptionalBoolean),
  });

/** Reads the options for waiting for a run. */
export const readSettledOptions: OptionsReader<
  Exclude<Parameters<ServedRun["settled"]>[0], undefined>,
  "until"
> = optionsReader<Exclude<Parameters<ServedRun["settled"]>[0], undefined>>("options")({
  until: withDefault("ended", oneOf("ended", "waiting")),
  signal: assertOptionalSignal,
});

/** Position in a list of runs. */
export interface ListPosition {
  readonly changedAt: number;
  readonly id: string;
}

/** Formats the position after a run in a list. */
export function formatPosition({ changedAt, id }: ListPosition): string {
  return `${changedAt}.${id}`;
}

/**
 * Reads the position after a run in a list.
 *
 * @throws {TypeError} If the text is not a position.
 */
export function parsePosition(text: string): ListPosition {
  const match = /^(\d{1,15})\.(.+)$/s.exec(text);
  const [, changedAt, id] = match ?? [];
  if (id !== undefined) return { changedAt: Number(changedAt), id };
  return rejectArgument("filter.after", "the position that the previous page contains", text);
}
