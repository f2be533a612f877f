/**
 * The updates of a task, from the events of its run.
 *
 * @module
 */

import type { LiveEvent } from "../log/live_run.ts";
import type { ServedRun, ServedRunState } from "../serve/contracts.ts";
import { toStatus, toTask } from "./task.ts";
import { isEnded, toTaskState } from "./task_state.ts";
import { StreamedArtifact } from "./streamed_artifact.ts";
import type { A2aTaskState, StreamResponse } from "./types.ts";

/** Settings of a stream of updates. */
export interface UpdateSettings {
  /** Ends the stream. Does not affect the run. */
  readonly signal: AbortSignal;
  /** Whether the stream also ends when the task requires input. */
  readonly until: "input" | "ended";
  /** Number of messages in the task at the beginning. */
  readonly historyLength?: number | undefined;
  /** Whether the status lists the tool calls that the caller can approve. */
  readonly withApprovals: boolean;
  /** Reads the run again. */
  readonly refresh: () => Promise<ServedRun | undefined>;
}

/**
 * Yields the task, and then its updates.
 *
 * The events are read from the first one, so that a client which starts to read later also receives
 * the text before. States before that of the task at the beginning are not sent.
 */
export async function* readUpdates(
  run: ServedRun,
  settings: UpdateSettings,
): AsyncGenerator<StreamResponse, void> {
  const { historyLength, signal, until, withApprovals } = settings;
  yield { task: toTask(run, { historyLength, withApprovals }) };
  const isLast = (state: A2aTaskState): boolean =>
    isEnded(state) || until === "input" && state === "TASK_STATE_INPUT_REQUIRED";
  if (isLast(toTaskState(run.state))) return;
  const answer = new StreamedArtifact(run);
  let shown = run.state;
  for await (const { event } of run.events({ until: "ended", signal })) {
    if (event.type !== "run_state") {
      const update = answer.add(event);
      if (update !== undefined) yield update;
      continue;
    }
    if (event.state === "ended") break;
    const state = await stateAt(event, shown, settings);
    if (state === undefined || isShown(state, shown)) continue;
    shown = state;
    yield toStatusUpdate(run, state, withApprovals);
    if (isLast(toTaskState(state))) return;
  }
  if (signal.aborted) return;
  const end = await run.settled({ until: "ended", signal });
  const update = answer.finish(end);
  if (update !== undefined) yield update;
  yield toStatusUpdate(run, end, withApprovals);
}

type RunStateEvent = Extract<LiveEvent["event"], { readonly type: "run_state" }>;

/**
 * Returns the state that an event has announced. `undefined` if the state is older than the state
 * that was shown last. The times of events and states are not compared, because the clocks of a
 * process and of a database differ.
 */
async function stateAt(
  { at, state }: RunStateEvent,
  shown: ServedRunState,
  { refresh }: UpdateSettings,
): Promise<ServedRunState | undefined> {
  const isWaiting = state === "waiting";
  const current = isWaiting || shown.status === "waiting" ? (await refresh())?.state : undefined;
  if (isWaiting) return current?.status === "waiting" ? current : undefined;
  // The run was started before it began to wait.
  if (current !== undefined && isShown(current, shown)) return undefined;
  return { status: "running", waitingFor: [], updatedAt: Math.max(at, shown.updatedAt) };
}

/** A task can require input several times in succession, each time at another time. */
function isShown(state: ServedRunState, shown: ServedRunState): boolean {
  if (toTaskState(state) !== toTaskState(shown)) return false;
  return state.status !== "waiting" || state.updatedAt === shown.updatedAt;
}

function toStatusUpdate(
  run: ServedRun,
  state: ServedRunState,
  withApprovals: boolean,
): StreamResponse {
  const status = toStatus(run, state, withApprovals);
  return { statusUpdate: { taskId: run.id, contextId: run.sessionId, status } };
}
