/**
 * What the cases of `comm/verification.json` have in common.
 *
 * @module
 */

import type { JsonObject } from "../kit/json.ts";
import { createCase, LINKED, type Members, sign, toWire } from "./comm_messages.ts";

/** The area of the file. */
export const AREA = "comm/verification";

/** A message to be verified, and what is special about it. */
export type Row = readonly [name: string, messageText: string];

/** Makes one row. */
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

/** What a case says of itself. */
export interface Text {
  readonly slug: string;
  readonly title: string;
  readonly clauses: readonly string[];
  readonly why: string;
  readonly [member: string]: string | readonly string[];
}

/** A case whose messages verify. */
export function accept(text: Text, rows: readonly Row[]): JsonObject {
  return createCase(AREA, {
    ...text,
    op: "comm.message.verify",
    rows: rows.map((row) => toRow(row, true)),
  });
}

/** A case whose messages do not verify, though those of its control do. */
export function refuse(text: Text, rows: readonly Row[], control = "did-key"): JsonObject {
  return createCase(AREA, {
    ...text,
    control: `${AREA}/${control}`,
    op: "comm.message.verify",
    rows: rows.map((row) => toRow(row, false)),
  });
}

/** A signed message of which members were changed afterwards. */
export function tamper(change: Partial<Members>, members: Members = LINKED): string {
  return toWire({ ...sign(members), ...change });
}

/** The message of most cases. */
export const SIGNED: Members = sign(LINKED);
/** Its signature. */
export const SIGNATURE: string = SIGNED.signature ?? "";
