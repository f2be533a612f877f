/**
 * Serves an agent to other agents.
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { assertCount, assertMethods } from "@parley/internal/assert-argument";
import { ownerOf } from "@parley/internal/did-owner";
import { asRecord, defined } from "@parley/internal/json";
import { int32From, oneOf } from "@parley/internal/option-checks";
import { optionsReader, withDefault } from "@parley/internal/options";
import { isSubject } from "../serve/caller.ts";
import type { Principal, ServedAgent, ServedRun, ServedRunState } from "../serve/contracts.ts";
import { AgentError } from "../shared/error.ts";
import { isJsonValue, type JsonValue } from "../shared/json.ts";
import { toStepValue } from "../shared/step_value.ts";
import {
  type PendingKey,
  readTaskRequest,
  type TaskRequest,
  type TaskResponse,
  type TaskUpdate,
} from "./task.ts";

/** Options for {@linkcode agentService}. */
export interface AgentServiceOptions {
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

/** Maximum length of a sender and a task id together, in characters. */
const MAX_IDS_LENGTH = 255;

/**
 * Serves an agent to other agents over the `agent.task.v1` protocol: every task in a request
 * becomes a run of its sender.
 *
 * The task id is the id of the request that starts the run. A task that is sent again, for example
 * after the requester has crashed, therefore refers to the same run, and the requester receives the
 * recorded result. While the run is in progress, the requester receives updates with the status of
 * the run.
 *
 * If an approval is deferred, the response has status `approval_pending` and contains the key of
 * the approval, but not the input of the tool call. Only the serving side decides, with the run of
 * the sender, whose `metadata` contains the `taskId`: `served.list({ subject: sender })` lists the
 * runs, and `run.input(key, decision)` sends the decision. When the requester sends the task again,
 * the response contains the result of the continued run.
 *
 * The agent of `serveRuns` executes tasks that survive a crash. The peer limits the number of
 * requests in progress, and the served agent limits the runs of each sender. All did:web senders
 * whose hosts have the same last two labels count as one.
 *
 * @param served Agent, from `serveRuns` or `serveSessions`.
 * @param options Limits, and the effect of a cancellation.
 * @throws {TypeError} If `served` is not a served agent or an option has the wrong type.
 * @throws {RangeError} If a limit is out of range.
 *
 * @example Handle the same task twice
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { agentService } from "@parley/runtime/bridge";
 * import { memoryRuns, openRuns } from "@parley/runtime/runs";
 * import { serveRuns } from "@parley/runtime/serve";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const model = scriptedModel([{ text: "42" }]);
 * const make = () => new ToolLoopAgent({ name: "oracle", model });
 * const runs = openRuns(memoryRuns(), { oracle: { version: "1", make } });
 * const working = runs.work();
 *
 * const serve = agentService(serveRuns(runs, { agent: "oracle" }));
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
  served: Pick<ServedAgent, "get" | "start">,
  options: AgentServiceOptions = {},
): AgentService {
  assertMethods("served", "a served agent", served, ["get", "start"]);
  const { maxContentChars, onCancel, updateMs } = readServiceOptions(options);
  const requests = new OpenRequests();
  return async ({ payload, sender }, { signal, update }) => {
    const task = readTaskRequest(payload, maxContentChars);
    if (typeof task === "string") return toRejection(task);
    const isLong = sender.length + task.taskId.length > MAX_IDS_LENGTH;
    if (isLong || !isSubject(sender)) return toRejection("the sender and the id are too long");
    signal.throwIfAborted();
    const caller = { subject: sender, party: ownerOf(sender) };
    const leave = requests.join(`${sender}/${task.taskId}`);
    const starting = startRun(served, caller, task);
    try {
      const run = await abortable(starting, signal);
      if (typeof run === "string") return toRejection(run);
      return await respond(run, {
        signal,
        update,
        updateMs,
        read: async () => (await served.get(caller, run.id))?.state.status,
      });
    } catch (error) {
      // Another request for the same task may still wait for the result.
      const isLast = leave();
      const isCanceled = signal.aborted && asRecord(signal.reason).name === "AbortError";
      if (isCanceled && isLast && onCancel === "cancel") {
        const run = await starting;
        if (typeof run !== "string") await run.cancel();
      }
      throw error;
    } finally {
      leave();
    }
  };
}

/** Starts the run for a task. Resolves with the reason if the task is rejected. */
async function startRun(
  served: Pick<ServedAgent, "start">,
  caller: Principal,
  { content, taskId }: TaskRequest,
): Promise<ServedRun | string> {
  try {
    const metadata = { taskId };
    return await served.start(caller, { turn: content, requestId: taskId, metadata });
  } catch (error) {
    if (!AgentError.isAgentError(error)) throw error;
    if (error.is("run_conflict")) return '"taskId" is the id of a different task';
    if (error.is("run_limit") || error.is("capacity_exceeded")) {
      return "the sender has too many tasks in progress";
    }
    throw error;
  }
}

/** Sends updates until the run has ended or needs a decision, and returns the response. */
async function respond(
  run: ServedRun,
  { read, signal, update, updateMs }: ServiceContext & {
    readonly updateMs: number;
    /** Reads the status of the run. */
    readonly read: () => Promise<TaskUpdate["status"] | undefined>;
  },
): Promise<TaskResponse> {
  const updates = sendUpdates(updateMs, async (isStopped) => {
    const status = await read();
    if (status === undefined || isStopped()) return;
    await update({ type: "progress", status } satisfies TaskUpdate);
  });
  try {
    return toResponse(await abortable(run.settled({ until: "waiting", signal }), signal));
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

function toResponse({ result, status, waitingFor }: ServedRunState): TaskResponse {
  if (status === "failed" || status === "cancelled") return { status, text: "" };
  if (status === "waiting") {
    const pending = waitingFor.flatMap(({ key, kind }): PendingKey[] =>
      kind === "time" ? [] : [{ kind, key }]
    );
    const isApproval = pending.some(({ kind }) => kind === "approval");
    return { status: isApproval ? "approval_pending" : "waiting", text: "", pending };
  }
  if (result === undefined) throw AgentError.core(`Cannot respond to a task: its run is ${status}`);
  const { finalText, hasAnswer, stopReason, totalUsage, value } = result;
  return {
    status: stopReason,
    text: hasAnswer ? finalText : "",
    ...hasAnswer && defined({ value: value === undefined ? undefined : toStepValue(value) }),
    ...isJsonValue(totalUsage) && { usage: totalUsage },
  };
}
