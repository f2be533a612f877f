/**
 * A run of a caller's session.
 *
 * @module
 */

import { asRecord, copyJson, defined } from "@parley/internal/json";
import { rejectArgument } from "@parley/internal/assert-argument";
import { readDecision } from "../runs/run_options.ts";
import type { RunStatus, RunWait } from "../runs/run_record.ts";
import { waitsIn } from "../runs/run_waits.ts";
import { isInterruptedRun, type RunHead, type RunLog } from "../log/run_log.ts";
import type { LiveEvent } from "../log/live_run.ts";
import type { RunReadOptions } from "../log/log_options.ts";
import type { ApprovalDecision } from "../loop/approval.ts";
import type { Sessions } from "../session/sessions.ts";
import type { SendOptions } from "../session/sessions_options.ts";
import { readPending, toSessionRun } from "../session/session_state.ts";
import { AgentError } from "../shared/error.ts";
import { isJsonValue, type JsonObject, type JsonValue } from "../shared/json.ts";
import { partyOf, readServedMetadata } from "./caller.ts";
import type { ServedRun, ServedRunState } from "./contracts.ts";
import { readLater } from "./read_later.ts";
import { readSettledOptions } from "./read_start.ts";

/** The sessions that contain a run. */
export interface RunOwner {
  readonly sessions: Sessions;
  readonly log: RunLog;
  /** Aborted when the sessions are closed. */
  readonly closed: AbortSignal;
}

/** Returns the id of a run, as its caller knows it. */
export function toServedId(sessionId: string, runId: string): string {
  return `${encodeURIComponent(sessionId)}.${runId.slice(runId.lastIndexOf("/") + 1)}`;
}

/** The parts of an id that {@linkcode toServedId} has created. */
export interface ServedId {
  readonly sessionId: string;
  readonly number: string;
}

/** Reads the id of a run. */
export function readServedId(id: string): ServedId | undefined {
  const [, encoded, number] = /^(.+)\.(0|[1-9]\d{0,14})$/s.exec(id) ?? [];
  if (encoded === undefined || number === undefined) return undefined;
  try {
    const sessionId = decodeURIComponent(encoded);
    // Each run has one id: other ways to encode the same session are rejected.
    return encodeURIComponent(sessionId) === encoded ? { sessionId, number } : undefined;
  } catch {
    return undefined;
  }
}

/** A run of a caller's session, with its state at the time at which it was read. */
export class SessionServedRun implements ServedRun {
  readonly id: string;
  readonly sessionId: string;
  readonly startedAt: number;
  readonly metadata: JsonObject;
  readonly state: ServedRunState;
  readonly #owner: RunOwner;
  readonly #key: string;
  readonly #runId: string;
  readonly #party: string;

  constructor(head: RunHead, owner: RunOwner) {
    this.#owner = owner;
    this.#key = head.key;
    this.#runId = head.runId;
    const { caller, metadata, sessionId } = readServedMetadata(head.metadata);
    this.#party = partyOf(caller);
    this.id = toServedId(sessionId, head.runId);
    this.sessionId = sessionId;
    this.startedAt = head.startedAt;
    this.metadata = copyJson(metadata);
    this.state = toServedState(head);
  }

  events(options: RunReadOptions = {}): AsyncIterable<LiveEvent> {
    return readLater(options, async (reading) => {
      const run = await this.#owner.sessions.attach(this.#key, reading);
      return run?.runId === this.#runId ? run : undefined;
    });
  }

  async settled(
    options: { readonly until?: "ended" | "waiting"; readonly signal?: AbortSignal } = {},
  ): Promise<ServedRunState> {
    const { signal, until } = readSettledOptions(options);
    let idleEpoch: number | undefined;
    for (;;) {
      signal?.throwIfAborted();
      const head = await this.#find();
      const state = toServedState(head);
      if (head.phase === "ended") return state;
      const isBlocked = state.waitingFor.some(({ kind }) => kind !== "time");
      if (until === "waiting" && isBlocked) return state;
      if (isInterruptedRun(head) && idleEpoch === head.epoch) {
        // No process renews the lease of the run, so this process takes it over.
        await this.#owner.sessions.attach(this.#key);
        idleEpoch = undefined;
        continue;
      }
      idleEpoch = isInterruptedRun(head) ? head.epoch : undefined;
      await this.#changed(head, signal);
    }
  }

  async input(key: string, value: ApprovalDecision | JsonValue): Promise<boolean> {
    for (;;) {
      const head = await this.#find();
      if (head.phase === "ended") return false;
      const isWaiting = head.phase === "waiting";
      const { waitingFor } = isWaiting ? toServedState(head) : this.state;
      const wait = waitingFor.find((one) => one.kind !== "time" && one.key === key);
      if (wait === undefined) return false;
      const sent = toSent(wait, value);
      if (isWaiting && await this.#send(sent)) return true;
      // The run continues because of another input.
      if (!isWaiting) await this.#changed(head, undefined);
    }
  }

  async cancel(): Promise<boolean> {
    const { sessions } = this.#owner;
    if (await sessions.stop(this.#key, { runId: this.#runId }) === "not_running") return false;
    return toServedState(await this.#find()).status === "cancelled";
  }

  /** Continues the run. Resolves to `false` if the state of the run must be read again. */
  async #send(sent: Pick<SendOptions, "decisions" | "signals">): Promise<boolean> {
    const { sessions } = this.#owner;
    try {
      const options = { ...sent, runId: this.#runId, party: this.#party };
      await sessions.send(this.#key, undefined, options);
      return true;
    } catch (error) {
      if (!AgentError.isAgentError(error)) throw error;
      if (error.is("session_busy") || error.is("session_not_waiting")) return false;
      throw error;
    }
  }

  /** @throws {AgentError} With code `run_not_found` if the state of the run is not kept anymore. */
  async #find(): Promise<RunHead> {
    const { closed, log } = this.#owner;
    if (closed.aborted) throw AgentError.sessionsClosed();
    const newest = await log.head(this.#key);
    const head = newest?.runId === this.#runId ? newest : await log.find(this.#runId);
    if (head !== undefined) return head;
    const reason = "its session was deleted, or its state is not kept anymore";
    throw AgentError.run("run_not_found", "read", { runId: this.id, reason });
  }

  /** Waits until the run may have changed. */
  async #changed(head: RunHead, signal: AbortSignal | undefined): Promise<void> {
    const { closed, log } = this.#owner;
    const wait = new AbortController();
    const end = (): void => wait.abort();
    const signals = [closed, ...signal ? [signal] : []];
    for (const one of signals) one.addEventListener("abort", end);
    try {
      if (!signals.some(({ aborted }) => aborted)) await log.changed(head, wait.signal);
    } finally {
      for (const one of signals) one.removeEventListener("abort", end);
    }
  }
}

function toSent(
  { key, kind }: RunWait,
  value: ApprovalDecision | JsonValue,
): Pick<SendOptions, "decisions" | "signals"> {
  if (kind === "approval") return { decisions: { [key]: readDecision(value) } };
  if (!isJsonValue(value)) rejectArgument("value", "a JSON value", value);
  return { signals: { [key]: value } };
}

/** Returns the state of a run. */
export function toServedState(head: RunHead): ServedRunState {
  const { error, result } = toSessionRun(head);
  const status = toStatus(head);
  const pending = status === "waiting" ? readPending(head.result) : undefined;
  return {
    status,
    waitingFor: pending === undefined ? [] : waitsIn(pending),
    ...status === "done" && defined({ result }),
    ...status === "failed" && {
      error: error ?? { code: "core", message: "The run has failed" },
    },
    updatedAt: head.changedAt,
  };
}

function toStatus({ phase, result }: RunHead): RunStatus {
  if (phase === "waiting") return "waiting";
  // A run whose process has stopped continues in the process that reads it next.
  if (phase !== "ended") return "running";
  const { error, stopReason } = asRecord(result);
  // A run that was stopped before its agent was ready also has an error.
  if (stopReason === "aborted") return "cancelled";
  if (error !== undefined || stopReason === "failed") return "failed";
  return stopReason === "abandoned" ? "cancelled" : "done";
}
