/**
 * Types and functions that create the cases in `comm/verification.json`.
 *
 * @module
 */

import type { JsonObject } from "../../conformance/kit/json.ts";
import { createCase, LINKED, type Members, sign, toWire } from "./comm_messages.ts";

/** Prefix for the ids of all cases in `comm/verification.json`. */
export const AREA = "comm/verification";

/** A message to verify, with its name. */
export type Row = readonly [name: string, messageText: string];

/** Creates a message to verify, with its name. */
export function toRow(
  [name, messageText]: Row,
  valid: boolean,
  didDocuments?: JsonObject,
): JsonObject {
  return {
    name,
    input: { messageText, ...(didDocuments === undefined ? {} : { didDocuments }) },
    expect: { ok: { valid } },
  };
}

/** Descriptive members of a case. */
export interface Text {
  readonly slug: string;
  readonly title: string;
  readonly clauses: readonly string[];
  readonly why: string;
  readonly [member: string]: string | readonly string[];
}

/** Creates a case whose messages are valid. */
export function accept(text: Text, rows: readonly Row[]): JsonObject {
  return createCase(AREA, {
    ...text,
    op: "comm.message.verify",
    rows: rows.map((row) => toRow(row, true)),
  });
}

/** Creates a case whose messages are invalid. The control case contains valid messages. */
export function refuse(text: Text, rows: readonly Row[], control = "did-key"): JsonObject {
  return createCase(AREA, {
    ...text,
    control: `${AREA}/${control}`,
    op: "comm.message.verify",
    rows: rows.map((row) => toRow(row, false)),
  });
}

/** Returns a signed message in which members were changed after signing. */
export function tamper(change: Partial<Members>, members: Members = LINKED): string {
  return toWire({ ...sign(members), ...change });
}

/** The unsigned message that most verification cases use. */
export const SIGNED: Members = sign(LINKED);
/** Signature of {@linkcode SIGNED}. */
export const SIGNATURE: string = SIGNED.signature ?? "";
