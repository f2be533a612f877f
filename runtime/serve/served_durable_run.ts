/**
 * A durable run of a caller.
 *
 * @module
 */

import { copyJson, defined } from "@parley/internal/json";
import type { LiveEvent } from "../log/live_run.ts";
import type { RunReadOptions } from "../log/log_options.ts";
import type { ApprovalDecision } from "../loop/approval.ts";
import type { RunResult } from "../loop/run_result.ts";
import type { RunRecord } from "../runs/run_record.ts";
import { readRunResult } from "../runs/run_result.ts";
import type { Runs } from "../runs/runs.ts";
import { isEnded } from "../runs/memory_journal.ts";
import { AgentError } from "../shared/error.ts";
import type { JsonObject, JsonValue } from "../shared/json.ts";
import type { RunContext } from "../shared/run_context.ts";
import { readServedMetadata } from "./caller.ts";
import type { ServedRun, ServedRunState } from "./contracts.ts";
import { readLater } from "./read_later.ts";
import { readSettledOptions } from "./read_start.ts";
import type { ServedRunContext } from "./serve_sessions_options.ts";

/** Returns the id of a run, as its caller knows it. The key of a caller contains no slash. */
export function servedIdOf(runId: string): string {
  return runId.slice(runId.indexOf("/") + 1);
}

/**
 * Returns the caller, the session and the metadata of a durable run that was started for a caller,
 * for the function that creates its agent.
 *
 * @param run The run, as `AgentVersion.make` receives it.
 *
 * @example Greet the caller
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { memoryRuns, openRuns, type RunContext } from "@parley/runtime/runs";
 * import { serveRuns, toServedContext } from "@parley/runtime/serve";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const make = (run: RunContext) => {
 *   const { caller } = toServedContext(run);
 *   const model = scriptedModel([{ text: `Hello ${caller?.subject}` }]);
 *   return new ToolLoopAgent({ name: "clerk", model });
 * };
 * const clerk = { version: "1", make };
 * await using runs = openRuns(memoryRuns(), { clerk }, { storeEvents: true });
 * const working = runs.work();
 * const run = await serveRuns(runs, { agent: "clerk" }).start({ subject: "ann" }, { turn: "Hi" });
 * assertEquals((await run.settled()).result?.finalText, "Hello ann");
 * await runs.close();
 * await working;
 * ```
 */
export function toServedContext({ metadata: stored, runId }: RunContext): ServedRunContext {
  const { caller, metadata, sessionId } = readServedMetadata(stored);
  return { caller, sessionId, runId: servedIdOf(runId), metadata };
}

/** A durable run of a caller, with its state at the time at which it was read. */
export class ServedDurableRun implements ServedRun {
  readonly id: string;
  readonly sessionId: string;
  readonly startedAt: number;
  readonly metadata: JsonObject;
  readonly state: ServedRunState;
  readonly #runs: Runs;
  readonly #runId: string;

  constructor(record: RunRecord, runs: Runs) {
    this.#runs = runs;
    this.#runId = record.runId;
    const { metadata, sessionId } = readServedMetadata(record.metadata ?? {});
    this.id = servedIdOf(record.runId);
    this.sessionId = sessionId;
    this.startedAt = Date.parse(record.createdAt);
    this.metadata = copyJson(metadata);
    this.state = toDurableState(record);
  }

  events(options: RunReadOptions = {}): AsyncIterable<LiveEvent> {
    return readLater(options, (reading) => this.#runs.attach(this.#runId, reading));
  }

  async settled(
    options: { readonly until?: "ended" | "waiting"; readonly signal?: AbortSignal } = {},
  ): Promise<ServedRunState> {
    const read = defined(readSettledOptions(options));
    return toDurableState(await this.#runs.result(this.#runId, read));
  }

  async input(key: string, value: ApprovalDecision | JsonValue): Promise<boolean> {
    const record = await this.#runs.get(this.#runId);
    if (record === undefined || isEnded(record.status)) return false;
    // Another input may have continued the run, which then has no waits until it waits again.
    const { waitingFor } = record.status === "waiting" ? record : this.state;
    if (!waitingFor.some((wait) => wait.kind !== "time" && wait.key === key)) return false;
    const { outcome } = await this.#runs.signal(this.#runId, key, value);
    return outcome === "stored" || outcome === "present" || outcome === "stored_not_awaited";
  }

  async cancel(): Promise<boolean> {
    return await this.#runs.cancel(this.#runId);
  }
}

/** Returns the state of a durable run. */
function toDurableState(record: RunRecord): ServedRunState {
  const { error, status, updatedAt, waitingFor } = record;
  const changedAt = Date.parse(updatedAt);
  if (status === "failed") {
    const unknown = { code: "core", message: "The run has failed" };
    return { status, waitingFor: [], error: error ?? unknown, updatedAt: changedAt };
  }
  const result = readResult(record);
  if (result instanceof AgentError) {
    const { code, message } = result;
    return { status: "failed", waitingFor: [], error: { code, message }, updatedAt: changedAt };
  }
  return { status, waitingFor, ...defined({ result }), updatedAt: changedAt };
}

/** Returns the result of a run, or the error of a result that is damaged. */
function readResult(record: RunRecord): RunResult | AgentError | undefined {
  try {
    return readRunResult(record);
  } catch (error) {
    if (AgentError.isAgentError(error)) return error;
    throw error;
  }
}
