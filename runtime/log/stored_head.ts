/**
 * The state of a run as a row of a database.
 *
 * @module
 */

import { asRecord, isRecord } from "@parley/internal/json";
import { AgentError } from "../shared/error.ts";
import type { JsonObject, JsonValue } from "../shared/json.ts";
import type { RunHead, RunPhase } from "./run_log.ts";

const PHASES: ReadonlySet<unknown> = new Set<RunPhase>(["running", "released", "waiting", "ended"]);

/**
 * Reads a row of the table of runs.
 *
 * @param row The row, with numbers or numeric strings for times.
 * @param now Current time of the database, in milliseconds since the Unix epoch.
 * @throws {AgentError} With code `core` if the row is damaged.
 */
export function readHead(row: unknown, now: number): RunHead {
  const { key, metadata, phase, result, run_id, turn, turn_id, ...times } = asRecord(row);
  const [changedAt, count, epoch, first, keepUntil, leaseUntil, startedAt, takeovers] = [
    times.changed_at,
    times.count,
    times.epoch,
    times.first,
    times.keep_until,
    times.lease_until,
    times.started_at,
    times.takeovers,
  ].map(Number);
  if (
    !isPhase(phase) || ![count, epoch, first, leaseUntil, takeovers].every(Number.isSafeInteger)
  ) {
    throw damaged(key);
  }
  return {
    key: String(key),
    runId: String(run_id),
    epoch: Number(epoch),
    phase,
    isLeased: phase === "running" && Number(leaseUntil) > now,
    isStopping: Number(times.is_stopping) !== 0,
    turn: parse(turn, key),
    turnId: typeof turn_id === "string" ? turn_id : undefined,
    metadata: parseObject(metadata, key),
    takeovers: Number(takeovers),
    first: Number(first),
    count: Number(count),
    result: parse(result, key),
    isReadable: phase !== "ended" || Number(keepUntil) > now,
    startedAt: Number(startedAt),
    changedAt: Number(changedAt),
  };
}

function isPhase(value: unknown): value is RunPhase {
  return PHASES.has(value);
}

function parse(text: unknown, key: unknown): JsonValue {
  try {
    return JSON.parse(String(text));
  } catch {
    throw damaged(key);
  }
}

function parseObject(text: unknown, key: unknown): JsonObject {
  const value = parse(text, key);
  if (!isRecord(value)) throw damaged(key);
  const object: JsonObject = value;
  return object;
}

function damaged(key: unknown): AgentError {
  return AgentError.core(`Cannot read the run of session "${key}": the row is damaged`);
}
