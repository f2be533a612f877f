/**
 * Serves an agent to other agents.
 *
 * @module
 */

import type { RunRecord } from "../runs/run_record.ts";
import type { Runs } from "../runs/runs.ts";
import { readRunResult } from "../runs/run_result.ts";
import type { RunStart } from "../runs/run_options.ts";
import { ownerOf } from "@parley/internal/did-owner";
import { abortable } from "@parley/internal/abortable";
import { assertCount, assertMethods, rejectArgument } from "@parley/internal/assert-argument";
import { optionsReader, required, withDefault } from "@parley/internal/options";
import { AgentError } from "../shared/error.ts";
import { isJsonValue, type JsonValue } from "../shared/json.ts";
import { asRecord } from "@parley/internal/json";
import { int32From, oneOf } from "@parley/internal/option-checks";
import { type PendingKey, readTaskRequest, type TaskResponse, type TaskUpdate } from "./task.ts";

/** Options for {@linkcode agentService}. */
export interface AgentServiceOptions {
  /** Name of the agent that executes the tasks, as passed to {@linkcode openRuns}. */
  readonly agent: string;
  /**
   * Time between updates to the requester, in milliseconds; between 1 and 2^31 - 1. An update
   * restarts the requester's timeout.
   *
   * @default {15_000}
   */
  readonly updateMs?: number;
  /**
   * Maximum length of a task, in characters. A task that exceeds this length is rejected.
   *
   * @default {100_000}
   */
  readonly maxContentChars?: number;
  /**
   * Effect on the run if the requester cancels its request and no other request for the same task
   * is in progress at this service. Use `"continue"` if the requester is itself a durable run: when
   * the requester's worker is stopped, the request is cancelled, and the next worker sends the same
   * task again. A request that ends without being cancelled, for example because of a lost
   * connection, never cancels the run.
   *
   * @default {"cancel"}
   */
  readonly onCancel?: "cancel" | "continue";
}

const readServiceOptions = optionsReader<AgentServiceOptions>("options")({
  agent: required((name, value) => {
    if (typeof value === "string" && value !== "") return;
    rejectArgument(name, "the name of an agent", value);
  }),
  updateMs: withDefault(15_000, int32From(1)),
  maxContentChars: withDefault(100_000, assertCount),
  onCancel: withDefault("cancel", oneOf("cancel", "continue")),
});

/**
 * A request with a task. A `PeerRequest` from `@parley/comm/requests` can be used as a
 * `ServiceRequest`.
 */
export interface ServiceRequest {
  /** Verified DID of the requester. */
  readonly sender: string;
  /** Payload of the request. */
  readonly payload: unknown;
}

/**
 * Context of a request. A `PeerContext` from `@parley/comm/requests` can be used as a
 * `ServiceContext`.
 */
export interface ServiceContext {
  /**
   * Aborted when the request ends early: with an `AbortError` if and only if the requester cancels
   * the request.
   */
  readonly signal: AbortSignal;
  /** Sends an update to the requester. */
  update(payload: JsonValue): Promise<void>;
}

/**
 * Handles requests from other agents. The function type matches the handlers that `peer.serve`
 * accepts.
 */
export type AgentService = (
  request: ServiceRequest,
  context: ServiceContext,
) => Promise<TaskResponse>;

/** Maximum length of a run id, in characters. */
const MAX_RUN_ID_LENGTH = 256;

/**
 * Serves an agent to other agents over the `agent.task.v1` protocol: every task in a request
 * becomes a durable run.
 *
 * The id of the run is `<sender>/<taskId>`. A task that is sent again, for example after the
 * requester has crashed, therefore refers to the same run, and the requester receives the recorded
 * result. While the run is in progress, the requester receives updates with the status of the run.
 *
 * If an approval is deferred, the response has status `approval_pending` and contains the key of
 * the approval, but not the input of the tool call. Only the serving side decides, with
 * `runs.signal(runId, key, decision)`. When the requester sends the task again, the response
 * contains the result of the continued run.
 *
 * The service does not execute runs: call `runs.work()` in this or any other program. The peer
 * limits the number of requests in progress, `work` limits the number of runs in progress, and the
 * engine limits the number of stored runs for each sender. All did:web senders whose hosts have the
 * same last two labels count as one.
 *
 * @param runs Durable runs, from `openRuns`.
 * @param options Name of the agent, limits, and the effect of a cancellation.
 * @throws {TypeError} If `runs` is not a `Runs` object or an option has the wrong type.
 * @throws {RangeError} If a limit is out of range.
 *
 * @example Handle the same task twice
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { agentService } from "@parley/runtime/bridge";
 * import { memoryRuns, openRuns } from "@parley/runtime/runs";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const model = scriptedModel([{ text: "42" }]);
 * const make = () => new ToolLoopAgent({ name: "oracle", model });
 * const runs = openRuns(memoryRuns(), { oracle: { version: "1", make } });
 * const working = runs.work();
 *
 * const serve = agentService(runs, { agent: "oracle" });
 * const request = { sender: "did:web:ann.example", payload: { taskId: "t1", content: "6 * 7?" } };
 * const context = { signal: new AbortController().signal, update: () => Promise.resolve() };
 * const first = await serve(request, context);
 * assertEquals([first.status, first.text], ["model_stop", "42"]);
 * assertEquals(await serve(request, context), first);
 * await runs.close();
 * await working;
 * ```
 */
export function agentService(
  runs: Pick<Runs, "cancel" | "get" | "result" | "start">,
  options: AgentServiceOptions,
): AgentService {
  assertMethods("runs", "a Runs object", runs, ["cancel", "get", "result", "start"]);
  const { agent, maxContentChars, onCancel, updateMs } = readServiceOptions(options);
  const requests = new OpenRequests();
  return async ({ payload, sender }, { signal, update }) => {
    const task = readTaskRequest(payload, maxContentChars);
    if (typeof task === "string") return toRejection(task);
    const runId = `${sender}/${task.taskId}`;
    if (runId.length > MAX_RUN_ID_LENGTH) return toRejection("the sender and the id are too long");
    signal.throwIfAborted();
    const leave = requests.join(runId);
    try {
      const start = { runId, agent, input: task.content, party: ownerOf(sender) };
      const reason = await startRun(runs, start, signal);
      if (reason !== undefined) return toRejection(reason);
      return await respond(runs, runId, { signal, update, updateMs });
    } catch (error) {
      // Another request for the same task may still wait for the result.
      const isLast = leave();
      const isCanceled = signal.aborted && asRecord(signal.reason).name === "AbortError";
      if (isCanceled && isLast && onCancel === "cancel") await runs.cancel(runId);
      throw error;
    } finally {
      leave();
    }
  };
}

/**
 * Starts the run for a task. Returns the reason for a rejection, or `undefined` if the run exists.
 */
async function startRun(
  runs: Pick<Runs, "start">,
  run: RunStart,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    await abortable(runs.start(run), signal);
    return undefined;
  } catch (error) {
    if (!AgentError.isAgentError(error)) throw error;
    if (error.is("run_conflict")) return '"taskId" is the id of a different task';
    if (error.is("run_limit")) return "the sender has too many tasks in progress";
    throw error;
  }
}

/** Sends updates until the run has ended or needs a decision, and returns the response. */
async function respond(
  runs: Pick<Runs, "get" | "result">,
  runId: string,
  { signal, update, updateMs }: ServiceContext & { readonly updateMs: number },
): Promise<TaskResponse> {
  const updates = sendUpdates(updateMs, async (isStopped) => {
    const status = (await runs.get(runId))?.status;
    if (status === undefined || isStopped()) return;
    await update({ type: "progress", status } satisfies TaskUpdate);
  });
  try {
    const result = runs.result(runId, { signal, until: "waiting" });
    return toResponse(await abortable(result, signal));
  } finally {
    updates.stop();
  }
}

/** Counts the requests in progress for each run. */
class OpenRequests {
  readonly #counts = new Map<string, number>();

  /**
   * Adds a request. Returns a function that removes the request, and returns `true` if it was the
   * last one for the run. Further calls return `false`.
   */
  join(runId: string): () => boolean {
    this.#counts.set(runId, (this.#counts.get(runId) ?? 0) + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return false;
      isOpen = false;
      const left = (this.#counts.get(runId) ?? 1) - 1;
      if (left > 0) this.#counts.set(runId, left);
      else this.#counts.delete(runId);
      return left <= 0;
    };
  }
}

/**
 * Sends an update immediately and then periodically. If an update fails, no further updates are
 * sent.
 */
function sendUpdates(
  updateMs: number,
  send: (isStopped: () => boolean) => Promise<void>,
): { stop(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;
  const next = (): void => {
    // A failed update has no effect on the task: a lost connection aborts the request anyway, and
    // if the status of a run cannot be read, reading its result fails too.
    send(() => isStopped).then(() => {
      if (!isStopped) timer = setTimeout(next, updateMs);
    }, () => {});
  };
  next();
  return {
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

function toRejection(reason: string): TaskResponse {
  return { status: "rejected", text: "", reason };
}

function toResponse(run: RunRecord): TaskResponse {
  const { status, waitingFor } = run;
  if (status === "failed" || status === "cancelled") return { status, text: "" };
  if (status === "waiting") {
    const pending = waitingFor.flatMap(({ key, kind }): PendingKey[] =>
      kind === "time" ? [] : [{ kind, key }]
    );
    const isApproval = pending.some(({ kind }) => kind === "approval");
    return { status: isApproval ? "approval_pending" : "waiting", text: "", pending };
  }
  const result = readRunResult(run);
  if (result === undefined) throw AgentError.core(`Cannot respond to a task: its run is ${status}`);
  const { finalText, hasAnswer, stopReason, totalUsage } = result;
  // The stored value is JSON in which bytes are encoded.
  const { value } = asRecord(run.result);
  return {
    status: stopReason,
    text: hasAnswer ? finalText : "",
    ...hasAnswer && isJsonValue(value) && { value },
    ...isJsonValue(totalUsage) && { usage: totalUsage },
  };
}
