/**
 * Validation of run records that are read from storage.
 *
 * @module
 */

import type { RunFailure } from "../shared/run_failure.ts";
import { isJsonValue, type JsonObject, type JsonValue } from "../shared/json.ts";
import { defined, isRecord, type UnknownRecord } from "@parley/internal/json";
import type { RunRecord, RunStatus, RunWait } from "./run_record.ts";

/** A record as read by an engine: the members of a {@linkcode RunRecord}, not validated. */
export type StoredRecord = { readonly [Name in keyof RunRecord]: unknown };

/** All values of {@linkcode RunStatus}. */
export const RUN_STATUSES: readonly RunStatus[] = [
  "queued",
  "running",
  "waiting",
  "done",
  "failed",
  "cancelled",
];

/**
 * Validates a run record that was read from storage.
 *
 * @param stored Members of the record.
 * @returns The record, or `undefined` if a member is invalid.
 */
export function readRunRecord(stored: StoredRecord): RunRecord | undefined {
  const { agent, createdAt, due, epoch, input, metadata, party, result, runId, updatedAt } = stored;
  const { version } = stored;
  const status = RUN_STATUSES.find((one) => one === stored.status);
  const waitingFor = readWaits(stored.waitingFor);
  const error = readFailure(stored.error);
  if (status === undefined || waitingFor === undefined || error === undefined) return undefined;
  if (typeof runId !== "string" || typeof agent !== "string" || typeof version !== "string") {
    return undefined;
  }
  if (party !== undefined && typeof party !== "string") return undefined;
  if (metadata !== undefined && !isJsonObject(metadata)) return undefined;
  if (!isTime(createdAt) || !isTime(updatedAt) || due !== undefined && !isTime(due)) {
    return undefined;
  }
  if (typeof epoch !== "number" || !Number.isSafeInteger(epoch) || !isJsonValue(input)) {
    return undefined;
  }
  const record = { runId, agent, version, input, status, epoch, waitingFor, createdAt, updatedAt };
  return {
    ...record,
    ...defined({ due, metadata, party }),
    ...isJsonValue(result) ? { result } : {},
    ...error,
  };
}

function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value) && isJsonValue(value);
}

/** Returns true if a value is a time that `Date.parse` accepts. */
export function isTime(value: unknown): value is string {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}

function readFailure(value: unknown): { readonly error?: RunFailure } | undefined {
  if (value === undefined) return {};
  if (!isRecord(value)) return undefined;
  const { code, message } = value;
  if (typeof code !== "string" || typeof message !== "string") return undefined;
  return { error: { code, message } };
}

function readWaits(value: unknown): readonly RunWait[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const waits = value.map(readWait).filter((wait) => wait !== undefined);
  return waits.length === value.length ? waits : undefined;
}

function readWait(value: unknown): RunWait | undefined {
  if (!isRecord(value)) return undefined;
  const { due, key, kind, toolCallId, toolName } = value;
  const path = readPath(value);
  if (typeof key !== "string" || typeof toolName !== "string" || path === undefined) {
    return undefined;
  }
  // Older versions did not store the id.
  if (toolCallId !== undefined && typeof toolCallId !== "string") return undefined;
  const wait = { key, path, toolName, ...defined({ toolCallId }) };
  if (kind === "approval") return readApproval(value, wait);
  if (kind === "signal") return { kind, ...wait };
  return kind === "time" && isTime(due) ? { kind, ...wait, due } : undefined;
}

function readApproval(
  { input, reason }: UnknownRecord,
  wait: Pick<RunWait, "key" | "path" | "toolCallId" | "toolName">,
): RunWait | undefined {
  const isReason = reason === "approval" || reason === "outcome_unknown";
  if (!isReason || !isJsonValue(input)) return undefined;
  const content: JsonValue = input;
  return { kind: "approval", ...wait, reason, input: content };
}

function readPath({ path }: UnknownRecord): readonly string[] | undefined {
  if (!Array.isArray(path)) return undefined;
  const names: readonly unknown[] = path;
  return names.every((name) => typeof name === "string") ? names : undefined;
}
