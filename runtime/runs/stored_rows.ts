/**
 * Reads the rows of durable runs from a database.
 *
 * Steps and signals are stored as JSON text with a digest, which reveals changes by other programs.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { type JournalEntry, readJournalEntry } from "../journal/journal.ts";
import { AgentError, errorMessageOf } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";
import { defined, type UnknownRecord } from "@parley/internal/json";
import type { RunRecord, RunSignal } from "./run_record.ts";
import { isTime, readRunRecord, type StoredRecord } from "./read_record.ts";

/** Timestamp for a run whose row contains no valid time. */
const UNKNOWN_TIME = new Date(0).toISOString();

/** Returns a value as JSON text, or `null` if it is `undefined`. */
export function textOrNull(value: JsonValue | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** Returns the digest of a step or signal. */
export function digestOf(runId: string, key: string, text: string): string {
  return hash([runId, key, text]).toString("base64url");
}

/** Returns a UUID derived from all of the given strings. */
export function uuidOf(...texts: readonly string[]): string {
  const hex = hash(texts).toString("hex");
  return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function hash(texts: readonly string[]) {
  return createHash("sha256").update(JSON.stringify(texts)).digest();
}

/**
 * Reads the row of a run. A damaged row is read as a run with status `"failed"` whose error has
 * code `run_damaged`, so that a damaged run does not hide other runs.
 */
export function toRecord(row: UnknownRecord): RunRecord {
  try {
    return readRecord(row);
  } catch (error) {
    if (!isDamaged(error)) throw error;
    const { agent, created_at: createdAt, run_id: runId, updated_at: updatedAt, version } = row;
    return {
      runId: String(runId),
      agent: String(agent),
      version: String(version),
      input: null,
      status: "failed",
      epoch: 0,
      waitingFor: [],
      error: { code: error.code, message: error.message },
      createdAt: isTime(createdAt) ? createdAt : UNKNOWN_TIME,
      updatedAt: isTime(updatedAt) ? updatedAt : UNKNOWN_TIME,
    };
  }
}

/** Returns true if an error reports that the stored data of a run is damaged. */
export function isDamaged(error: unknown): error is AgentError {
  return AgentError.isAgentError(error) && error.is("run_damaged");
}

/**
 * Reads the row of a run. The columns are named after the members of {@linkcode RunRecord}, in
 * snake case.
 *
 * @throws {AgentError} With code `run_damaged` if a column is invalid.
 */
export function readRecord(row: UnknownRecord): RunRecord {
  const runId = String(row.run_id);
  const stored: StoredRecord = {
    runId,
    agent: row.agent,
    version: row.version,
    input: parse(runId, "input", row.input),
    status: row.status,
    epoch: row.epoch,
    waitingFor: parse(runId, "waiting_for", row.waiting_for),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...defined({
      due: row.due ?? undefined,
      party: row.party ?? undefined,
      metadata: row.metadata === null ? undefined : parse(runId, "metadata", row.metadata),
      result: row.result === null ? undefined : parse(runId, "result", row.result),
      error: row.error === null ? undefined : parse(runId, "error", row.error),
    }),
  };
  const record = readRunRecord(stored) ?? throwDamaged(runId, "the row of the run");
  // The column contains what the run waited for when it was last closed.
  return record.status === "waiting" ? record : { ...record, waitingFor: [] };
}

/**
 * Reads a step from the `key`, `entry` and `digest` columns.
 *
 * @throws {AgentError} With code `run_damaged` if another program changed the step.
 */
export function readStep(runId: string, row: UnknownRecord): JournalEntry {
  const key = String(row.key);
  const place = `step "${key}"`;
  const entry = readJournalEntry(parse(runId, place, readText(runId, place, key, row)));
  return typeof entry === "object" && entry.key === key ? entry : throwDamaged(runId, place);
}

/**
 * Reads a signal from the `key`, `entry` and `digest` columns.
 *
 * @throws {AgentError} With code `run_damaged` if another program changed the signal.
 */
export function readSignal(runId: string, row: UnknownRecord): RunSignal {
  const key = String(row.key);
  const place = `signal "${key}"`;
  return { key, value: parse(runId, place, readText(runId, place, key, row)) };
}

/** Returns the text from a row if its digest matches. */
function readText(runId: string, place: string, key: string, row: UnknownRecord): string {
  const { entry: text } = row;
  if (typeof text === "string" && digestOf(runId, key, text) === row.digest) return text;
  return throwDamaged(runId, place);
}

function parse(runId: string, place: string, text: unknown): JsonValue {
  try {
    return JSON.parse(String(text));
  } catch (cause) {
    return throwDamaged(runId, place, cause);
  }
}

function throwDamaged(runId: string, place: string, cause?: unknown): never {
  const detail = cause === undefined ? "" : `: ${errorMessageOf(cause)}`;
  const reason = `${place} was changed by another program or is damaged${detail}`;
  throw AgentError.run("run_damaged", "read", { runId, reason }, defined({ cause }));
}
